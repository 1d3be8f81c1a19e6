import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as RunStoreSuite from "@svc-runtime/test-support/suites/RunStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

RunStoreSuite.suite("on PGlite", Stores.pipe(Layer.provide(PgliteLayer.layer)))
