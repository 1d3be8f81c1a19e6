import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as FeedbackStoreSuite from "@svc/testing/suites/FeedbackStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlFeedbackStore from "../src/SqlFeedbackStore.ts"
import * as SqlRunStore from "../src/SqlRunStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"

Sample.oneTestIn(6)
FeedbackStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlFeedbackStore.layer, SqlRunStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
