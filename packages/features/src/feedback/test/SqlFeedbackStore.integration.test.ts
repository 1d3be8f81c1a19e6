import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlRunStore from "@svc-runtime/postgres/SqlRunStore"
import * as SqlSessionStore from "@svc-runtime/postgres/SqlSessionStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlFeedbackStore from "../SqlFeedbackStore.ts"
import * as FeedbackStoreSuite from "./FeedbackStoreSuite.ts"

Tier.oneIn(2)

FeedbackStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlFeedbackStore.layer, SqlRunStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
