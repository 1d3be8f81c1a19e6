// What happens when two statements about budgets meet in the database.
import { assert, layer } from "@effect/vitest"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Effect, Layer } from "effect"
import { during } from "../../../../postgres/test/during.ts"
import * as Budget from "../Budget.ts"
import { BudgetStore } from "../BudgetStore.ts"
import { budget, reservation } from "./BudgetStoreSuite.ts"

const stored = Effect.gen(function*() {
  const [store, one] = [yield* BudgetStore, budget()]
  yield* store.create(one, 1000)
  const counted = Effect.map(store.counts(one.id, { _tag: "Anyone" }, { page: 1, limit: 10 }), ({ counts }) => {
    const { reserved = 0, spent = 0 } = counts[0] ?? {}
    return [Budget.fromUnits(spent), Budget.fromUnits(reserved)]
  })
  return { counted, one, reserving: reservation([[one, "ann", 0.2]]), store }
})

layer(SqlStores.layer.pipe(Layer.provideMerge(PostgresLayer.layer)), { excludeTestServices: true })(
  "Statements about budgets that meet",
  (it) => {
    it.effect("a reservation whose first statement is in progress when it is repeated counts once, and is no failure", () =>
      Effect.gen(function*() {
        const { counted, reserving, store } = yield* stored
        const reserve = store.reserve(reserving)
        const outcome = yield* during(reserve, reserve)
        assert.deepInclude(outcome, { _tag: "Success", success: { outcome: "reserved" } })
        assert.deepStrictEqual(yield* counted, [0, 0.2])
      }))

    it.effect("a reservation that is in progress when its request is charged is charged by it, and stays charged", () =>
      Effect.gen(function*() {
        const { counted, one, reserving, store } = yield* stored
        const amounts = { [one.id]: Budget.toUnits(0.1) }
        yield* during(store.reserve(reserving), store.settle([{ id: reserving.id, amounts, mayComeAgain: true }]))
        assert.deepStrictEqual(yield* counted, [0.1, 0])
        yield* store.reserve(reserving)
        assert.deepStrictEqual(yield* counted, [0.1, 0])
      }))
  }
)
