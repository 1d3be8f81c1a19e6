// Charges what was reserved for requests whose process was killed, and whose run or job is not executed again.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { now } from "@svc-runtime/engine/now"
import { Effect } from "effect"
import { Budgets } from "./Budgets.ts"
import { BudgetStore } from "./BudgetStore.ts"

/** Seconds. Longer than a request to a model takes: what is charged here is not corrected. */
const oldest = 3600

export const kind = Effect.gen(function*() {
  const [store, { noted }] = [yield* BudgetStore, yield* Budgets]
  return JobKind.repeating({
    name: "budget-upkeep",
    every: "5 minutes",
    handle: Effect.fnUntraced(function*() {
      yield* noted(yield* store.settleOld((yield* now) - oldest))
    })
  })
})
