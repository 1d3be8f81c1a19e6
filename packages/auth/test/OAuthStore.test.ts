import * as OAuthStoreSuite from "@svc-runtime/test-support/suites/OAuthStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"

OAuthStoreSuite.suite("in memory", InMemory.OAuthStore)
