import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import * as SessionStoreSuite from "@svc-runtime/test-support/suites/SessionStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(4)

SessionStoreSuite.suite("on PGlite", Stores.pipe(Layer.provide(PgliteLayer.layer)))
