import * as Stores from "@svc/runtime/database/Stores"
import * as MetricsStoreSuite from "@svc/testing/suites/MetricsStoreSuite"

MetricsStoreSuite.suite("in memory", Stores.layerMemory)
