import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as ApprovalStoreSuite from "@svc/testing/suites/ApprovalStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"

ApprovalStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlApprovalStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
