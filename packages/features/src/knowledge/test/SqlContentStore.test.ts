import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as ContentStoreSuite from "./ContentStoreSuite.ts"

ContentStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
