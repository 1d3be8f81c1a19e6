import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as ChunkStoreSuite from "@svc/testing/suites/ChunkStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

ChunkStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
