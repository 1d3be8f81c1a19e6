import { OAuthStore } from "@svc/auth"
import * as OAuthStoreSuite from "@svc/testing/suites/OAuthStoreSuite"

OAuthStoreSuite.suite("in memory", OAuthStore.layerMemory)
