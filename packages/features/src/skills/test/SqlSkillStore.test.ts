import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlSkillStore from "../SqlSkillStore.ts"
import * as SkillStoreSuite from "./SkillStoreSuite.ts"

SkillStoreSuite.suite(
  "on PGlite",
  SqlSkillStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
