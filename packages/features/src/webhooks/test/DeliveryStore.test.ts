import * as Stores from "@svc-runtime/engine/database/Stores"
import * as DeliveryStoreSuite from "./DeliveryStoreSuite.ts"

DeliveryStoreSuite.suite("in memory", Stores.layerMemory)
