import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as Sample from "@svc/testing/Sample"
import * as ContentStoreSuite from "@svc/testing/suites/ContentStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

Sample.oneTestIn(4)

ContentStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
