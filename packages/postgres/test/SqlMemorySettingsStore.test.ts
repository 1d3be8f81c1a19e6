import * as Migrations from "../src/Migrations.ts"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlMemorySettingsStore from "../src/SqlMemorySettingsStore.ts"
import * as MemorySettingsStoreSuite from "@svc-runtime/test-support/suites/MemorySettingsStoreSuite"

MemorySettingsStoreSuite.suite(
  "on PGlite",
  SqlMemorySettingsStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
