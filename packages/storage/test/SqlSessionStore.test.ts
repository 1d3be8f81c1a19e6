import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as Sample from "@svc/testing/Sample"
import * as SessionStoreSuite from "@svc/testing/suites/SessionStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(4)

SessionStoreSuite.suite("on PGlite", Stores.pipe(Layer.provide(PgliteLayer.layer)))
