import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlMemorySettingsStore from "../SqlMemorySettingsStore.ts"
import * as MemorySettingsStoreSuite from "./MemorySettingsStoreSuite.ts"

MemorySettingsStoreSuite.suite(
  "on PGlite",
  SqlMemorySettingsStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
