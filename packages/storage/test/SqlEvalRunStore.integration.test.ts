import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as EvalRunStoreSuite from "@svc/testing/suites/EvalRunStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlEvalRunStore from "../src/SqlEvalRunStore.ts"
import * as SqlJobStore from "../src/SqlJobStore.ts"

Sample.oneTestIn(6)
EvalRunStoreSuite.suite(
  "on PostgreSQL",
  Layer.merge(SqlEvalRunStore.layer, SqlJobStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
