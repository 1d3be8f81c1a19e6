// Budgets: limits of what requests to models cost.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as DeclaredComponent from "../declarations/DeclaredComponent.ts"
import * as DeclaredOption from "../declarations/DeclaredOption.ts"
import * as Feature from "../Feature.ts"
import * as Endpoints from "./BudgetsApi.ts"
import { budgetSettings } from "./BudgetSettings.ts"
import { BudgetStore } from "./BudgetStore.ts"
import type * as DeclaredBudgets from "./DeclaredBudgets.ts"
import { budgets as migrations } from "./migrations.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly budgets: typeof BudgetStore
  }
}

declare module "@svc-runtime/features/declarations/DeclaredOption" {
  interface Declarable {
    /** What requests to models may cost, for each run, user, tenant or component, or for the service. */
    readonly budgets?: ReadonlyArray<DeclaredBudgets.Declaration> | undefined
  }
}

const declared = DeclaredOption.make("budgets", {
  label: "The budget",
  kinds: {
    name: "text",
    scope: { oneOf: ["run", "user", "tenant", "component", "service"] },
    period: { oneOf: ["day", "month"] },
    amount: "number",
    currency: "text",
    userId: "text",
    component: "any",
    warnAt: "any",
    unpriced: "any"
  },
  check: (owner, { amount, component, scope }) => {
    DeclaredComponent.check(owner, component)
    if (scope === undefined) throw new Mistake(`${owner} has no scope. Give it run, user, tenant, component or service`)
    if (amount === undefined) throw new Mistake(`${owner} has no amount. Give it a number, such as 5`)
  }
})

export const budgets = Feature.make({
  name: "budgets",
  groups: [Endpoints.Budgets],
  settings: budgetSettings,
  declared,
  stores: { budgets: BudgetStore },
  inMemory: () => import("./MemoryBudgetStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
