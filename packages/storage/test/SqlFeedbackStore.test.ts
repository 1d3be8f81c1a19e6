import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as FeedbackStoreSuite from "@svc/testing/suites/FeedbackStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlFeedbackStore from "../src/SqlFeedbackStore.ts"
import * as SqlRunStore from "../src/SqlRunStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"

FeedbackStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlFeedbackStore.layer, SqlRunStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
