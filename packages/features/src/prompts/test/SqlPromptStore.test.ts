import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlPromptStore from "../SqlPromptStore.ts"
import * as PromptStoreSuite from "./PromptStoreSuite.ts"

PromptStoreSuite.suite(
  "on PGlite",
  SqlPromptStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
