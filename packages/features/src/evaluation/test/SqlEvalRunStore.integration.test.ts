import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlJobStore from "@svc-runtime/postgres/SqlJobStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlEvalRunStore from "../SqlEvalRunStore.ts"
import * as EvalRunStoreSuite from "./EvalRunStoreSuite.ts"

EvalRunStoreSuite.suite(
  "on PostgreSQL",
  Layer.merge(SqlEvalRunStore.layer, SqlJobStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
