import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as LearningStoreSuite from "@svc/testing/suites/LearningStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlLearningStore from "../src/SqlLearningStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"

LearningStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlLearningStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
