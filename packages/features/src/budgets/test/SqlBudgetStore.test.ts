import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlBudgetStore from "../SqlBudgetStore.ts"
import * as BudgetStoreSuite from "./BudgetStoreSuite.ts"

BudgetStoreSuite.suite(
  "on PGlite",
  SqlBudgetStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
