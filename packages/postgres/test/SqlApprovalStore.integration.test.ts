import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as ApprovalStoreSuite from "@svc-runtime/test-support/suites/ApprovalStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"

ApprovalStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlApprovalStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
