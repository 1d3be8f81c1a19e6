import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as ContentStoreSuite from "./ContentStoreSuite.ts"

// the fast tier runs the whole suite on PostgreSQL
Tier.oneIn(4)

ContentStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
