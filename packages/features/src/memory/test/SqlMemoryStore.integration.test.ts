import * as SqlJobStore from "@svc-runtime/postgres/SqlJobStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import { Stores } from "../../../../postgres/test/Stores.ts"
import * as SqlMemoryStore from "../SqlMemoryStore.ts"
import * as MemoryStoreSuite from "./MemoryStoreSuite.ts"

Tier.oneIn(4)

MemoryStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlJobStore.layer, SqlMemoryStore.layer, Stores).pipe(Layer.provide(PostgresLayer.layer))
)
