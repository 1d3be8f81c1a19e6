import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import * as RunStoreSuite from "@svc-runtime/test-support/suites/RunStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(4)

RunStoreSuite.suite("on PGlite", Stores.pipe(Layer.provide(PgliteLayer.layer)))
