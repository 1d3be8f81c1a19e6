import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlPromptStore from "../SqlPromptStore.ts"
import * as PromptStoreSuite from "./PromptStoreSuite.ts"

Tier.oneIn(2)

PromptStoreSuite.suite(
  "on PostgreSQL",
  SqlPromptStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
