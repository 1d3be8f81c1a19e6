import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as MemorySettingsStoreSuite from "@svc-runtime/test-support/suites/MemorySettingsStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlMemorySettingsStore from "../src/SqlMemorySettingsStore.ts"

MemorySettingsStoreSuite.suite(
  "on PostgreSQL",
  SqlMemorySettingsStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
