import * as Migrations from "@svc/storage/Migrations"
import * as SqlApprovalStore from "@svc/storage/SqlApprovalStore"
import * as SqlSessionStore from "@svc/storage/SqlSessionStore"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as ApprovalStoreSuite from "@svc/testing/suites/ApprovalStoreSuite"
import { Layer } from "effect"

ApprovalStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlApprovalStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
