import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as SessionStoreSuite from "@svc/testing/suites/SessionStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

SessionStoreSuite.suite("on PGlite", Stores.pipe(Layer.provide(PgliteLayer.layer)))
