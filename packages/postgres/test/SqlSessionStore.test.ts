import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as SessionStoreSuite from "@svc-runtime/test-support/suites/SessionStoreSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

Tier.oneIn(10)

SessionStoreSuite.suite("on PGlite", Stores.pipe(Layer.provide(PgliteLayer.layer)))
