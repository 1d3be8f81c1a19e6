import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlJobStore from "@svc-runtime/postgres/SqlJobStore"
import * as SqlRunStore from "@svc-runtime/postgres/SqlRunStore"
import * as SqlSessionStore from "@svc-runtime/postgres/SqlSessionStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlBackgroundTaskStore from "../SqlBackgroundTaskStore.ts"
import * as BackgroundTaskStoreSuite from "./BackgroundTaskStoreSuite.ts"

BackgroundTaskStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlBackgroundTaskStore.layer, SqlJobStore.layer, SqlRunStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
