// What the feature does in a service that has it.
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as Feature from "../Feature.ts"
import * as BudgetJob from "./BudgetJob.ts"
import * as Budgets from "./Budgets.ts"
import { BudgetRules, type Settings } from "./BudgetSettings.ts"
import { handlers } from "./BudgetsHandlers.ts"
import * as DeclaredBudgets from "./DeclaredBudgets.ts"
import * as SqlBudgetStore from "./SqlBudgetStore.ts"

/** The maximum number of rows that one statement removes. */
const maxRows = 1000

/** Removes what was spent in periods that began before, after `BUDGET_RETENTION`. */
const removeExpired = (sql: SqlClient.SqlClient) => (seconds: number) =>
  sql`
    with gone as (
      delete from svc_budget_spending where ctid = any(array(
        select ctid from svc_budget_spending
        where created_at <= extract(epoch from now())::bigint - ${seconds}::bigint
        order by created_at limit ${maxRows} for update skip locked
      )) returning 1
    )
    select count(*)::int as count from gone`

export const live = Feature.live({
  stores: SqlBudgetStore.layer,
  expiry: {
    budgetSpending: {
      prune: removeExpired,
      age: ({ retention }: Settings) => retention,
      removed: "count(s) of budgets removed"
    }
  },
  handlers,
  service: (settings: Settings) => Layer.provideMerge(Budgets.layer, Layer.succeed(BudgetRules, settings)),
  jobs: (_, { isOwn }) => isOwn ? Effect.map(BudgetJob.kind, (kind) => [kind]) : Effect.succeed([]),
  declares: (_, { budgets = [] }) => DeclaredBudgets.kind(budgets)
})
