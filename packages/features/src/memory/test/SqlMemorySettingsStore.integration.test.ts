import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlMemorySettingsStore from "../SqlMemorySettingsStore.ts"
import * as MemorySettingsStoreSuite from "./MemorySettingsStoreSuite.ts"

MemorySettingsStoreSuite.suite(
  "on PostgreSQL",
  SqlMemorySettingsStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
