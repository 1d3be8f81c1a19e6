import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as MemoryVectorStoreSuite from "@svc/testing/suites/MemoryVectorStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlMemorySettingsStore from "../src/SqlMemorySettingsStore.ts"
import * as SqlMemoryStore from "../src/SqlMemoryStore.ts"
import * as SqlMemoryVectorStore from "../src/SqlMemoryVectorStore.ts"

MemoryVectorStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlMemorySettingsStore.layer, SqlMemoryStore.layer, SqlMemoryVectorStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
