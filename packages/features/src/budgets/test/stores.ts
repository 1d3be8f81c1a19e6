// The store of budgets, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BudgetStore } from "../BudgetStore.ts"
import * as BudgetStoreSuite from "./BudgetStoreSuite.ts"

const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_budgets (id, name, scope, period, amount, currency, unpriced, enabled, created_at)
    select 'budget-' || number, 'budget ' || number, 'user', 'day', 1, 'USD', '"zero"', true, 1
    from generate_series(1, 100) as number`
  yield* sql`
    insert into svc_budget_spending (budget_id, key, since, spent, created_at)
    select 'budget-' || number % 100 + 1, 'user-' || number, number % 100, 1, number
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_budget_reservations (id, payer, attempt, targets, created_at)
    select 'reservation-' || number, 'run-' || number, 1, '[]', number + 1000000
    from generate_series(1, ${rows}::int) as number`
})

const calls = Effect.gen(function*() {
  const budgets = yield* BudgetStore
  const first = { page: 1, limit: 1 }
  const one = BudgetStoreSuite.budget()
  const reservation = BudgetStoreSuite.reservation([[one, "ann", 1]])
  return {
    "budgets.all": budgets.all,
    "budgets.list, of all": budgets.list(Owner.anyone, first),
    "budgets.list, of a user": budgets.list(Owner.user(userId()), first),
    "budgets.find": budgets.find(one.id, Owner.user(userId())),
    "budgets.create": budgets.create(one, 10_000),
    "budgets.replace": budgets.replace(one),
    "budgets.remove": budgets.remove(one.id),
    "budgets.counts": budgets.counts(one.id, Owner.anyone, first),
    "budgets.exhausted": budgets.exhausted,
    "budgets.usedUp": budgets.usedUp(reservation.targets),
    "budgets.busy": budgets.busy(reservation.targets),
    "budgets.reserve": budgets.reserve(reservation),
    "budgets.settle": budgets.settle([{ id: reservation.id, amounts: {} }]),
    "budgets.settleEarlier": budgets.settleEarlier(reservation.payer, 2),
    "budgets.settleOld": budgets.settleOld(1)
  }
})

export const stores: CheckedStores = {
  history: { budgets: ["tables", "tenants"] },
  tables: ["svc_budgets", "svc_budget_spending", "svc_budget_reservations"],
  calls,
  fill,
  unbounded: {
    "budgets.exhausted": "reads what is used up in this period, of which it takes at most 10,000"
  },
  small: ["svc_budgets"]
}
