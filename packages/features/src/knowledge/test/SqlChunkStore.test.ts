import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import { Layer } from "effect"
import * as ChunkStoreSuite from "./ChunkStoreSuite.ts"

Sample.oneTestIn(4)

ChunkStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
