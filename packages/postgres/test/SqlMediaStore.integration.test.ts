import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as MediaStoreSuite from "@svc-runtime/test-support/suites/MediaStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlMediaStore from "../src/SqlMediaStore.ts"
import * as SqlRunStore from "../src/SqlRunStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"

MediaStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlMediaStore.layer, SqlRunStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
