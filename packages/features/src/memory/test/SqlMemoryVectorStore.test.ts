import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlMemorySettingsStore from "@svc-runtime/postgres/SqlMemorySettingsStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlMemoryStore from "../SqlMemoryStore.ts"
import * as SqlMemoryVectorStore from "../SqlMemoryVectorStore.ts"
import * as MemoryVectorStoreSuite from "./MemoryVectorStoreSuite.ts"

MemoryVectorStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlMemorySettingsStore.layer, SqlMemoryStore.layer, SqlMemoryVectorStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
