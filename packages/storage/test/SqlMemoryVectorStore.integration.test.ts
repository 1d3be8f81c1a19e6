import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as MemoryVectorStoreSuite from "@svc/testing/suites/MemoryVectorStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlMemorySettingsStore from "../src/SqlMemorySettingsStore.ts"
import * as SqlMemoryStore from "../src/SqlMemoryStore.ts"
import * as SqlMemoryVectorStore from "../src/SqlMemoryVectorStore.ts"

Sample.oneTestIn(6)
MemoryVectorStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlMemorySettingsStore.layer, SqlMemoryStore.layer, SqlMemoryVectorStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
