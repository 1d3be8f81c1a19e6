import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as Sample from "@svc/testing/Sample"
import * as ChunkStoreSuite from "@svc/testing/suites/ChunkStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

Sample.oneTestIn(4)

ChunkStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
