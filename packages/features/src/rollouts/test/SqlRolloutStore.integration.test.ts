import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlRunStore from "@svc-runtime/postgres/SqlRunStore"
import * as SqlSessionStore from "@svc-runtime/postgres/SqlSessionStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlFeedbackStore from "../../feedback/SqlFeedbackStore.ts"
import * as SqlRolloutStore from "../SqlRolloutStore.ts"
import * as RolloutStoreSuite from "./RolloutStoreSuite.ts"

Tier.oneIn(2)

RolloutStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlRolloutStore.layer, SqlFeedbackStore.layer, SqlRunStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
