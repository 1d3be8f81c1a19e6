import * as SqlJobStore from "@svc-runtime/postgres/SqlJobStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import { Stores } from "../../../../postgres/test/Stores.ts"
import * as SqlMemoryStore from "../SqlMemoryStore.ts"
import * as MemoryStoreSuite from "./MemoryStoreSuite.ts"

// the fast tier runs the whole suite on PostgreSQL
Tier.oneIn(5)

MemoryStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlJobStore.layer, SqlMemoryStore.layer, Stores).pipe(Layer.provide(PgliteLayer.layer))
)
