import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as Sample from "@svc/testing/Sample"
import * as RunStoreSuite from "@svc/testing/suites/RunStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(4)

RunStoreSuite.suite("on PGlite", Stores.pipe(Layer.provide(PgliteLayer.layer)))
