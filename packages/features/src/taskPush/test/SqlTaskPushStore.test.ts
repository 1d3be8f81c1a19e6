import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlRunStore from "@svc-runtime/postgres/SqlRunStore"
import * as SqlSessionStore from "@svc-runtime/postgres/SqlSessionStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlTaskPushStore from "../SqlTaskPushStore.ts"
import * as TaskPushStoreSuite from "./TaskPushStoreSuite.ts"

TaskPushStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlTaskPushStore.layer, SqlRunStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
