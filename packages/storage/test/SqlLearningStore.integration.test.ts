import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as LearningStoreSuite from "@svc/testing/suites/LearningStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlLearningStore from "../src/SqlLearningStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"

LearningStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlLearningStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
