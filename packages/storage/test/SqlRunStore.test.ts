import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as RunStoreSuite from "@svc/testing/suites/RunStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

RunStoreSuite.suite("on PGlite", Stores.pipe(Layer.provide(PgliteLayer.layer)))
