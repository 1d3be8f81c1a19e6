import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlBudgetStore from "../SqlBudgetStore.ts"
import * as BudgetStoreSuite from "./BudgetStoreSuite.ts"

Tier.oneIn(2)

BudgetStoreSuite.suite(
  "on PostgreSQL",
  SqlBudgetStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
