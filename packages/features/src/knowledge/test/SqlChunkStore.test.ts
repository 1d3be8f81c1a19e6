import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as ChunkStoreSuite from "./ChunkStoreSuite.ts"

ChunkStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
