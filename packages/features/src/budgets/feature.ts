// Budgets: limits of what requests to models cost.
import * as DeclaredOption from "../declarations/DeclaredOption.ts"
import * as Feature from "../Feature.ts"
import { defaultCurrency } from "./Budget.ts"
import * as BudgetDeclaration from "./BudgetDeclaration.ts"
import * as Endpoints from "./BudgetsApi.ts"
import { budgetSettings, problemOfCurrency, type Settings } from "./BudgetSettings.ts"
import { BudgetStore } from "./BudgetStore.ts"
import { budgets as migrations } from "./migrations.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly budgets: typeof BudgetStore
  }
}

declare module "@svc-runtime/features/declarations/DeclaredOption" {
  interface Declarable {
    /** What requests to models may cost, for each run, user, tenant or component, or for the service. */
    readonly budgets?: ReadonlyArray<BudgetDeclaration.Declaration> | undefined
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
  check: BudgetDeclaration.check
})

const problemOf = (settings: Settings, { budgets = [] }: DeclaredOption.Declarable): string | undefined => {
  const found = budgets.flatMap(({ currency = defaultCurrency, name }) => {
    const problem = problemOfCurrency(settings, currency)
    return problem === undefined ? [] : [`The budget '${name}': ${problem}`]
  })
  return found[0]
}

export const budgets = Feature.make({
  name: "budgets",
  groups: [Endpoints.Budgets],
  settings: budgetSettings,
  declared,
  problemOf,
  stores: { budgets: BudgetStore },
  inMemory: () => import("./MemoryBudgetStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
