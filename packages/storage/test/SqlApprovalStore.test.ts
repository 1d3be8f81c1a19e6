import * as Migrations from "@svc/storage/Migrations"
import * as SqlApprovalStore from "@svc/storage/SqlApprovalStore"
import * as SqlSessionStore from "@svc/storage/SqlSessionStore"
import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as ApprovalStoreSuite from "@svc/testing/suites/ApprovalStoreSuite"
import { Layer } from "effect"

ApprovalStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlApprovalStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
