import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as MemoryStoreSuite from "@svc/testing/suites/MemoryStoreSuite"
import { Layer } from "effect"
import * as SqlJobStore from "../src/SqlJobStore.ts"
import * as SqlMemoryStore from "../src/SqlMemoryStore.ts"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(6)
MemoryStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlJobStore.layer, SqlMemoryStore.layer, Stores).pipe(Layer.provide(PostgresLayer.layer))
)
