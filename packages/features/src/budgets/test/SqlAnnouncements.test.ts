// The events of budgets, which are stored in the transaction that charges a request.
import { assert, layer } from "@effect/vitest"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Budget from "../Budget.ts"
import { BudgetStore } from "../BudgetStore.ts"
import * as SqlBudgetStore from "../SqlBudgetStore.ts"
import { budget, reservation } from "./BudgetStoreSuite.ts"

const database = SqlBudgetStore.layer.pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(PgliteLayer.layer)
)

interface Job {
  readonly user_id: string | null
  readonly payload: {
    readonly type: string
    readonly component: unknown
    readonly data: Readonly<Record<string, unknown>>
  }
}

const spend = Effect.fnUntraced(function*(one: Budget.Budget, key: string, amount: number) {
  const [store, reserving] = [yield* BudgetStore, reservation([[one, key, amount]])]
  yield* store.reserve(reserving)
  yield* store.settle([{ id: reserving.id, amounts: { [one.id]: Budget.toUnits(amount) } }])
})

layer(database, { excludeTestServices: true })("the events of budgets", (it) => {
  it.effect("a mark that is reached is announced once if webhooks want it, for its user or its component", () =>
    Effect.gen(function*() {
      const [sql, store] = [yield* SqlClient.SqlClient, yield* BudgetStore]
      const [users, components] = [budget({ amount: 2 }), budget({ scope: "component", period: "month" })]
      for (const one of [users, components]) yield* store.create(one, 100)
      yield* spend(users, "bob", 2)
      yield* sql`insert into svc_followed_events (event) values ('budget.warned'), ('budget.exhausted')`
      for (const amount of [1.5, 0.25, 0.5, 1]) yield* spend(users, "ann", amount)
      yield* spend(components, "team a team", 1)
      const jobs = yield* sql<Job>`select user_id, payload from svc_jobs where kind = 'webhook-event'`
      const events = jobs.map(({ payload: { component, data: { key, spent }, type }, user_id }) => [
        type,
        key,
        spent,
        user_id,
        component
      ]).toSorted((one, other) =>
        `${String(one[1])} ${String(one[0])}` < `${String(other[1])} ${String(other[0])}` ? -1 : 1
      )
      const team = { kind: "team", id: "a team" }
      assert.deepStrictEqual(events, [
        ["budget.exhausted", "ann", 2.25, "ann", null],
        ["budget.warned", "ann", 1.75, "ann", null],
        ["budget.exhausted", "team a team", 1, null, team],
        ["budget.warned", "team a team", 1, null, team]
      ])
    }))
})
