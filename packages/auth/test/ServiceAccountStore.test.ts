import { ServiceAccountStore } from "@svc/auth"
import * as ServiceAccountStoreSuite from "@svc/testing/suites/ServiceAccountStoreSuite"

ServiceAccountStoreSuite.suite("in memory", ServiceAccountStore.layerMemory)
