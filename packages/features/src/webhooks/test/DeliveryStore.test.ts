import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import * as DeliveryStoreSuite from "./DeliveryStoreSuite.ts"

DeliveryStoreSuite.suite("in memory", InMemory.layer)
