import * as Stores from "@svc-runtime/engine/database/Stores"
import * as MetricsStoreSuite from "./MetricsStoreSuite.ts"

MetricsStoreSuite.suite("in memory", Stores.layerMemory)
