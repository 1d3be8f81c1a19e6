import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as TaskPushStoreSuite from "@svc/testing/suites/TaskPushStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlRunStore from "../src/SqlRunStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"
import * as SqlTaskPushStore from "../src/SqlTaskPushStore.ts"

TaskPushStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlTaskPushStore.layer, SqlRunStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
