import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as RunStoreSuite from "@svc-runtime/test-support/suites/RunStoreSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

// the fast tier runs the whole suite on PostgreSQL
Tier.oneIn(12)

RunStoreSuite.suite("on PGlite", Stores.pipe(Layer.provide(PgliteLayer.layer)))
