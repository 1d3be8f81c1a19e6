import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as MetricsStoreSuite from "./MetricsStoreSuite.ts"

MetricsStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
