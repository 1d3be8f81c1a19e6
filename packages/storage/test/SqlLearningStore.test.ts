import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as LearningStoreSuite from "@svc/testing/suites/LearningStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

LearningStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
