import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlTraceStore from "../SqlTraceStore.ts"
import * as TraceStoreSuite from "./TraceStoreSuite.ts"

TraceStoreSuite.suite(
  "on PGlite",
  SqlTraceStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
