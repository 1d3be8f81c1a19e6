import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlTraceStore from "../SqlTraceStore.ts"
import * as TraceStoreSuite from "./TraceStoreSuite.ts"

// the fast tier runs the whole suite on PostgreSQL
Tier.oneIn(5)

TraceStoreSuite.suite(
  "on PGlite",
  SqlTraceStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
