import * as Migrations from "../src/Migrations.ts"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlMemorySettingsStore from "../src/SqlMemorySettingsStore.ts"
import * as MemorySettingsStoreSuite from "@svc-runtime/test-support/suites/MemorySettingsStoreSuite"

MemorySettingsStoreSuite.suite(
  "on PostgreSQL",
  SqlMemorySettingsStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
