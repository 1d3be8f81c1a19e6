import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as MetricsStoreSuite from "@svc/testing/suites/MetricsStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

MetricsStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
