import { ServiceAccountStore } from "@svc-runtime/auth"
import * as ServiceAccountStoreSuite from "@svc-runtime/test-support/suites/ServiceAccountStoreSuite"

ServiceAccountStoreSuite.suite("in memory", ServiceAccountStore.layerMemory)
