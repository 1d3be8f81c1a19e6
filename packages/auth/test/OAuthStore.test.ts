import { OAuthStore } from "@svc-runtime/auth"
import * as OAuthStoreSuite from "@svc-runtime/test-support/suites/OAuthStoreSuite"

OAuthStoreSuite.suite("in memory", OAuthStore.layerMemory)
