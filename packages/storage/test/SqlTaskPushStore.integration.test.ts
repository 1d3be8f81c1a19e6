import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as TaskPushStoreSuite from "@svc/testing/suites/TaskPushStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlRunStore from "../src/SqlRunStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"
import * as SqlTaskPushStore from "../src/SqlTaskPushStore.ts"

TaskPushStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlTaskPushStore.layer, SqlRunStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
