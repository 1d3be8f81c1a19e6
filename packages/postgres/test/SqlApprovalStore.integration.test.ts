import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import * as ApprovalStoreSuite from "@svc-runtime/test-support/suites/ApprovalStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"

Sample.oneTestIn(6)
ApprovalStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlApprovalStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
