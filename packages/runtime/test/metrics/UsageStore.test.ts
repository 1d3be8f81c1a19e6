import * as Stores from "@svc/runtime/database/Stores"
import * as UsageStoreSuite from "@svc/testing/suites/UsageStoreSuite"

UsageStoreSuite.suite("in memory", Stores.layerMemory)
