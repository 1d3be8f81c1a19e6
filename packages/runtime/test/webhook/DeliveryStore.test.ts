import * as Stores from "@svc/runtime/database/Stores"
import * as DeliveryStoreSuite from "@svc/testing/suites/DeliveryStoreSuite"

DeliveryStoreSuite.suite("in memory", Stores.layerMemory)
