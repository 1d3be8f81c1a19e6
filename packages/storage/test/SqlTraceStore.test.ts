import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as TraceStoreSuite from "@svc/testing/suites/TraceStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlTraceStore from "../src/SqlTraceStore.ts"

TraceStoreSuite.suite(
  "on PGlite",
  SqlTraceStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
