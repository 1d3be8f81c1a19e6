import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlSkillStore from "../SqlSkillStore.ts"
import * as SkillStoreSuite from "./SkillStoreSuite.ts"

Tier.oneIn(2)

SkillStoreSuite.suite(
  "on PostgreSQL",
  SqlSkillStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
