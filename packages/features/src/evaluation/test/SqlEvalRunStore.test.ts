import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlJobStore from "@svc-runtime/postgres/SqlJobStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlEvalRunStore from "../SqlEvalRunStore.ts"
import * as EvalRunStoreSuite from "./EvalRunStoreSuite.ts"

EvalRunStoreSuite.suite(
  "on PGlite",
  Layer.merge(SqlEvalRunStore.layer, SqlJobStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
