import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as DeliveryStoreSuite from "@svc/testing/suites/DeliveryStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

DeliveryStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
