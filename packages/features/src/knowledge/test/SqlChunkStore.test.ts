import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as ChunkStoreSuite from "./ChunkStoreSuite.ts"

// the fast tier runs the whole suite on PostgreSQL
Tier.oneIn(4)

ChunkStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
