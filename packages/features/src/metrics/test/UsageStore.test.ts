import * as Stores from "@svc-runtime/engine/database/Stores"
import * as UsageStoreSuite from "./UsageStoreSuite.ts"

UsageStoreSuite.suite("in memory", Stores.layerMemory)
