// What every `BudgetStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as Budget from "../Budget.ts"
import { BudgetStore, type Reservation } from "../BudgetStore.ts"

export const budget = (fields: Partial<Budget.Budget> = {}): Budget.Budget => {
  const id = Budget.Id.make(newId("budget"))
  return {
    ...Budget.make({ name: id, scope: "user", period: "day", amount: 1 }, { at: 1_000, id }),
    ...fields
  }
}

export const reservation = (
  targets: ReadonlyArray<readonly [Budget.Budget, key: string, amount: number]>,
  fields: Partial<Reservation> = {}
): Reservation => ({
  id: newId("reservation"),
  payer: newId("run"),
  attempt: 1,
  targets: targets.map(([{ id: budget_id }, key, amount]) => ({ budget_id, key, amount: Budget.toUnits(amount) })),
  ...fields
})

const page = { page: 1, limit: 10 }
const anyone = Owner.anyone

/** A stored budget. */
const stored = Effect.fnUntraced(function*(fields: Partial<Budget.Budget> = {}) {
  const [store, one] = [yield* BudgetStore, budget(fields)]
  assert.isTrue(yield* store.create(one, 1000))

  const countOf = Effect.fnUntraced(function*(key: string) {
    const { counts } = yield* store.counts(one.id, anyone, { page: 1, limit: 100 })
    const { reserved = 0, spent = 0 } = counts.find((each) => each.key === key) ?? {}
    return [Budget.fromUnits(spent), Budget.fromUnits(reserved)]
  })

  const spend = Effect.fnUntraced(function*(key: string, amount: number) {
    const one_ = reservation([[one, key, amount]])
    const { outcome } = yield* store.reserve(one_)
    assert.strictEqual(outcome, "reserved")
    return yield* store.settle([{ id: one_.id, amounts: { [one.id]: Budget.toUnits(amount) } }])
  })

  return { budget: one, countOf, spend, store }
})

export const suite = <E>(name: string, stores: Layer.Layer<BudgetStore, E>) =>
  layer(stores, { excludeTestServices: true })(`BudgetStore, ${name}`, (it) => {
    it.effect("a budget is read as it was stored, in the order of creation", () =>
      Effect.gen(function*() {
        const all: ReadonlyArray<Partial<Budget.Budget>> = [
          { scope: "run", period: null, amount: 0.000_000_001, warn_at: null },
          { scope: "component", component: { kind: "team", id: "a team" }, unpriced: { input: 0.5, output: 2 } },
          { scope: "user", user_id: userId(), period: "month", amount: Budget.maxAmount, currency: "EUR" },
          { scope: "service", enabled: false, unpriced: "zero", updated_at: 5 }
        ]
        const made: Array<Budget.Budget> = []
        for (const fields of all) made.push((yield* stored(fields)).budget)
        const store = yield* BudgetStore
        const read = yield* store.all
        const ids = made.map(({ id }) => id)
        assert.deepStrictEqual(read.filter(({ id }) => ids.includes(id)), made)
      }))

    it.effect("a name has one budget, and a service has as many as it may", () =>
      Effect.gen(function*() {
        const [one, two] = [yield* stored(), yield* stored()]
        const { store } = one
        const { name } = one.budget
        assert.strictEqual((yield* Effect.flip(store.create(budget({ name }), 1000)))._tag, "BudgetNameTaken")
        assert.strictEqual((yield* Effect.flip(store.replace({ ...two.budget, name })))._tag, "BudgetNameTaken")
        assert.isFalse(yield* store.create(budget(), 1))
      }))

    it.effect("a changed budget has its new fields and keeps what was counted, and one that is gone is not found", () =>
      Effect.gen(function*() {
        const { budget: one, countOf, spend, store } = yield* stored()
        yield* spend("ann", 0.25)
        const changed = { ...one, amount: 7, warn_at: null, unpriced: "zero" as const, enabled: false, updated_at: 9 }
        assert.isTrue(yield* store.replace(changed))
        assert.deepStrictEqual(Option.getOrThrow(yield* store.find(one.id, anyone)).budget, changed)
        assert.deepStrictEqual(yield* countOf("ann"), [0.25, 0])
        assert.isTrue(yield* store.remove(one.id))
        assert.isFalse(yield* store.remove(one.id))
        assert.isFalse(yield* store.replace(one))
        assert.isTrue(Option.isNone(yield* store.find(one.id, anyone)))
        assert.deepStrictEqual(yield* countOf("ann"), [0, 0])
      }))

    it.effect("a reservation counts until it is settled, and then what was used counts instead", () =>
      Effect.gen(function*() {
        const { budget: one, countOf, store } = yield* stored()
        const reserving = reservation([[one, "ann", 0.4]])
        assert.strictEqual((yield* store.reserve(reserving)).outcome, "reserved")
        assert.deepStrictEqual(yield* countOf("ann"), [0, 0.4])
        yield* store.settle([{ id: reserving.id, amounts: { [one.id]: Budget.toUnits(0.1) } }])
        assert.deepStrictEqual(yield* countOf("ann"), [0.1, 0])
      }))

    it.effect("a reservation that is repeated, and one that is settled twice, count once", () =>
      Effect.gen(function*() {
        const { budget: one, countOf, store } = yield* stored()
        const reserving = reservation([[one, "ann", 0.4]])
        for (const _ of [1, 2]) assert.strictEqual((yield* store.reserve(reserving)).outcome, "reserved")
        assert.deepStrictEqual(yield* countOf("ann"), [0, 0.4])
        const settlement = { id: reserving.id, amounts: { [one.id]: Budget.toUnits(0.3) } }
        for (const _ of [1, 2]) yield* store.settle([settlement])
        assert.deepStrictEqual(yield* countOf("ann"), [0.3, 0])
      }))

    it.effect("a request for which too little is left waits for others, gets the rest alone, and the next one is refused", () =>
      Effect.gen(function*() {
        const { budget: one, countOf, store } = yield* stored()
        const [first, last] = [reservation([[one, "ann", 0.7]]), reservation([[one, "ann", 0.7]])]
        yield* store.reserve(first)
        assert.strictEqual((yield* store.reserve(last)).outcome, "busy")
        yield* store.settle([{ id: first.id, amounts: { [one.id]: Budget.toUnits(0.6) } }])
        assert.strictEqual((yield* store.reserve(last)).outcome, "reserved")
        assert.deepStrictEqual(yield* countOf("ann"), [0.6, 0.4])
        const next = reservation([[one, "ann", 0.1]])
        assert.strictEqual((yield* store.reserve(next)).outcome, "busy")
        assert.strictEqual((yield* store.reserve(reservation([[one, "bob", 0.1]]))).outcome, "reserved")
        yield* store.settle([{ id: last.id, amounts: { [one.id]: Budget.toUnits(0.6) } }])
        const { outcome, usedUp } = yield* store.reserve(next)
        assert.strictEqual(outcome, "refused")
        assert.deepInclude(yield* store.exhausted, { budget_id: one.id, key: "ann" })
        assert.notDeepInclude(yield* store.exhausted, { budget_id: one.id, key: "bob" })
        assert.deepInclude(usedUp, { budget_id: one.id, key: "ann", spent: Budget.toUnits(1.2), reserved: 0 })
      }))

    it.effect("a budget is busy while too little is left because others have reserved some of it", () =>
      Effect.gen(function*() {
        const [one, two] = [yield* stored(), yield* stored({ scope: "service" })]
        const { store } = one
        const targets = reservation([[one.budget, "ann", 0.7], [two.budget, "", 0.7]]).targets
        const busy = Effect.map(store.busy(targets), Option.getOrUndefined)
        assert.isUndefined(yield* busy)
        const slow = reservation([[two.budget, "", 0.7]])
        yield* store.reserve(slow)
        assert.deepInclude(yield* busy, { budget_id: two.budget.id, key: "", spent: 0, reserved: Budget.toUnits(0.7) })
        yield* store.settle([{ id: slow.id, amounts: { [two.budget.id]: Budget.toUnits(0.7) } }])
        assert.isUndefined(yield* busy)
      }))

    it.effect("all budgets of a request are reserved, or none of them", () =>
      Effect.gen(function*() {
        const [one, two] = [yield* stored(), yield* stored({ scope: "service", amount: 0.5 })]
        const { store } = one
        yield* two.spend("", 0.5)
        const both = reservation([[one.budget, "ann", 0.2], [two.budget, "", 0.2]])
        assert.strictEqual((yield* store.reserve(both)).outcome, "refused")
        assert.deepStrictEqual(yield* one.countOf("ann"), [0, 0])
        const left = Option.getOrThrow(yield* store.usedUp(both.targets))
        assert.deepInclude(left, { budget_id: two.budget.id, key: "", spent: Budget.toUnits(0.5) })
        assert.isTrue(Option.isNone(yield* store.usedUp([{ budget_id: one.budget.id, key: "ann" }])))
      }))

    it.effect("many requests at once reserve no more than the amount", () =>
      Effect.gen(function*() {
        const { budget: one, countOf, store } = yield* stored()
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 24 }, () => reservation([[one, "ann", 0.1]])),
          (reserving) => Effect.map(store.reserve(reserving), ({ outcome }) => outcome),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(outcomes.filter((outcome) => outcome === "reserved").length, 10)
        assert.strictEqual(outcomes.filter((outcome) => outcome === "busy").length, 14)
        assert.deepStrictEqual(yield* countOf("ann"), [0, 1])
      }))

    it.effect("a budget that is disabled or removed limits nothing, also between a reservation and its settlement", () =>
      Effect.gen(function*() {
        const [one, two] = [yield* stored(), yield* stored()]
        const { store } = one
        const reserving = reservation([[one.budget, "ann", 0.4], [two.budget, "ann", 0.4]])
        yield* store.reserve(reserving)
        yield* store.remove(one.budget.id)
        const amounts = { [one.budget.id]: Budget.toUnits(0.3), [two.budget.id]: Budget.toUnits(0.3) }
        yield* store.settle([{ id: reserving.id, amounts }])
        assert.deepStrictEqual(yield* two.countOf("ann"), [0.3, 0])
        yield* store.replace({ ...two.budget, amount: 0.1, enabled: false })
        const again = reservation([[one.budget, "ann", 9], [two.budget, "ann", 9]])
        assert.strictEqual((yield* store.reserve(again)).outcome, "reserved")
        assert.isTrue(Option.isNone(yield* store.usedUp(again.targets)))
      }))

    it.effect("what a killed attempt has reserved is charged once, by what it was expected to cost", () =>
      Effect.gen(function*() {
        const { budget: one, countOf, store } = yield* stored()
        const payer = newId("run")
        const [killed, other] = [
          reservation([[one, "ann", 1.5]], { payer }),
          reservation([[one, "bob", 0.2]], { payer: newId("run") })
        ]
        for (const each of [killed, other]) yield* store.reserve(each)
        assert.deepStrictEqual(yield* countOf("ann"), [0, 1])
        yield* store.settleEarlier(payer, 1)
        assert.deepStrictEqual(yield* countOf("ann"), [0, 1])
        const reached = yield* store.settleEarlier(payer, 2)
        assert.deepStrictEqual(reached.map(({ mark }) => mark).toSorted(), ["exhausted", "warned"])
        assert.deepStrictEqual(yield* countOf("ann"), [1.5, 0])
        // the process was not dead, and its answer comes late
        yield* store.settle([{ id: killed.id, amounts: { [one.id]: Budget.toUnits(0.1) } }])
        assert.deepStrictEqual(yield* countOf("ann"), [1.5, 0])
        assert.deepStrictEqual(yield* countOf("bob"), [0, 0.2])
      }))

    it.effect("a reservation that comes again after it was charged for an earlier attempt counts once", () =>
      Effect.gen(function*() {
        const { budget: one, countOf, store } = yield* stored()
        const lost = reservation([[one, "ann", 0.4]])
        yield* store.reserve(lost)
        yield* store.settleEarlier(lost.payer, 2)
        // the reply was lost, and its node did not know of the next attempt
        assert.strictEqual((yield* store.reserve(lost)).outcome, "reserved")
        assert.deepStrictEqual(yield* countOf("ann"), [0.4, 0])
        yield* store.settle([{ id: lost.id, amounts: { [one.id]: Budget.toUnits(0.1) }, mayComeAgain: true }])
        for (const attempt of [3, 4]) yield* store.settleEarlier(lost.payer, attempt)
        assert.strictEqual((yield* store.reserve(lost)).outcome, "reserved")
        assert.deepStrictEqual(yield* countOf("ann"), [0.4, 0])
        yield* store.settleOld(4_000_000_000)
        assert.deepStrictEqual(yield* countOf("ann"), [0.4, 0])
      }))

    it.effect("a reservation whose call is executed only after it was settled counts nothing", () =>
      Effect.gen(function*() {
        const { budget: one, countOf, store } = yield* stored()
        const [answered, refused] = [reservation([[one, "ann", 0.4]]), reservation([[one, "ann", 0.4]])]
        yield* store.reserve(answered)
        for (const { id } of [answered, refused]) {
          const amounts = { [one.id]: id === answered.id ? Budget.toUnits(0.1) : 0 }
          yield* store.settle([{ id, amounts, mayComeAgain: true }])
        }
        for (const late of [answered, refused]) yield* store.reserve(late)
        assert.deepStrictEqual(yield* countOf("ann"), [0.1, 0])
        yield* store.settleOld(4_000_000_000)
        assert.deepStrictEqual(yield* countOf("ann"), [0.1, 0])
      }))

    it.effect("what no attempt settles is charged after its time", () =>
      Effect.gen(function*() {
        const { budget: one, countOf, store } = yield* stored()
        yield* store.reserve(reservation([[one, "ann", 0.2]]))
        yield* store.settleOld(1)
        assert.deepStrictEqual(yield* countOf("ann"), [0, 0.2])
        yield* store.settleOld(4_000_000_000)
        assert.deepStrictEqual(yield* countOf("ann"), [0.2, 0])
      }))

    it.effect("each mark is reached once, and again if the amount was raised in between", () =>
      Effect.gen(function*() {
        const { budget: one, spend, store } = yield* stored({ warn_at: 50 })
        const marks = (key: string, amount: number) =>
          Effect.map(spend(key, amount), (reached) => reached.map(({ mark }) => mark))
        assert.deepStrictEqual(yield* marks("ann", 0.4), [])
        assert.deepStrictEqual(yield* marks("ann", 0.1), ["warned"])
        assert.deepStrictEqual(yield* marks("ann", 0.1), [])
        assert.deepStrictEqual(yield* marks("ann", 0.4), ["exhausted"])
        assert.deepStrictEqual((yield* marks("bob", 1)).toSorted(), ["exhausted", "warned"])
        yield* store.replace({ ...one, amount: 4 })
        assert.deepStrictEqual(yield* marks("ann", 0.9), [])
        assert.deepStrictEqual(yield* marks("ann", 0.1), ["warned"])
      }))

    it.effect("an amount that is lowered to what is spent refuses starts, and a warning that is left out has no mark", () =>
      Effect.gen(function*() {
        const { budget: one, spend, store } = yield* stored({ warn_at: 20 })
        yield* spend("ann", 0.5)
        yield* spend("bob", 0.1)
        const keys = Effect.map(
          store.exhausted,
          (all) => all.filter(({ budget_id }) => budget_id === one.id).map(({ key }) => key)
        )
        const lowered = { ...one, amount: 0.5, warn_at: null }
        assert.isTrue(yield* store.replace({ ...lowered, enabled: false }))
        assert.deepStrictEqual(yield* keys, [])
        assert.isTrue(yield* store.replace(lowered))
        assert.deepStrictEqual(yield* keys, ["ann"])
        assert.isTrue(yield* store.replace({ ...lowered, amount: 0.6 }))
        assert.deepStrictEqual(yield* keys, [])
      }))

    it.effect("sums of many small amounts are exact, and large ones do not overflow", () =>
      Effect.gen(function*() {
        const { budget: one, countOf, spend, store } = yield* stored({ amount: Budget.maxAmount })
        for (const amount of [0.1, 0.2, 0.000_000_001]) yield* spend("ann", amount)
        assert.deepStrictEqual(yield* countOf("ann"), [0.300_000_001, 0])
        const large = reservation([[one, "bob", Budget.maxAmount]])
        yield* store.reserve(large)
        yield* store.settle([{ id: large.id, amounts: { [one.id]: Budget.toUnits(Number.MAX_VALUE) } }])
        assert.deepStrictEqual(yield* countOf("bob"), [Budget.maxAmount, 0])
      }))

    it.effect("a user sees the budgets of users with their own count, and nothing of others", () =>
      Effect.gen(function*() {
        const [ann, bob] = [userId(), userId()]
        const [each, ofBob] = [yield* stored(), yield* stored({ user_id: bob })]
        const [all, ofComponent] = [
          yield* stored({ scope: "service" }),
          yield* stored({ scope: "component", component: { kind: "agent", id: "assistant" } })
        ]
        const { store } = each
        for (const key of [ann, bob]) yield* each.spend(key, 0.5)
        yield* all.spend("", 0.75)
        yield* ofComponent.spend("agent assistant", 0.25)
        const seen = Effect.fnUntraced(function*(owner: Owner.Owner, { budget: { id } }: typeof each) {
          const found = Option.getOrUndefined(yield* store.find(id, owner))
          return found && [found.counted?.key, found.counted?.spent]
        })
        const units = Budget.toUnits
        assert.deepStrictEqual(yield* seen(Owner.user(ann), each), [ann, units(0.5)])
        assert.deepStrictEqual(yield* seen(Owner.user(bob), ofBob), [bob, 0])
        for (const one of [ofBob, all, ofComponent]) assert.isUndefined(yield* seen(Owner.user(ann), one))
        for (const one of [each, ofBob, all]) assert.isUndefined(yield* seen(Owner.none, one))
        assert.deepStrictEqual(yield* seen(anyone, each), [undefined, undefined])
        assert.deepStrictEqual(yield* seen(anyone, all), ["", units(0.75)])
        assert.deepStrictEqual(yield* seen(anyone, ofComponent), ["agent assistant", units(0.25)])
        const keys = (owner: Owner.Owner) =>
          Effect.map(store.counts(each.budget.id, owner, page), ({ counts }) => counts.map(({ key }) => key).toSorted())
        assert.deepStrictEqual(yield* keys(anyone), [ann, bob].toSorted())
        assert.deepStrictEqual(yield* keys(Owner.user(ann)), [ann])
        assert.deepStrictEqual(yield* keys(Owner.none), [])
        const mine = (yield* store.list(Owner.user(ann), { page: 1, limit: 100 })).budgets.map(({ budget }) =>
          budget.id
        )
        assert.include(mine, each.budget.id)
        assert.notInclude(mine, ofBob.budget.id)
        assert.notInclude(mine, all.budget.id)
      }))

    it.effect("a list past its end is empty and has the total", () =>
      Effect.gen(function*() {
        const { spend, store, budget: one } = yield* stored()
        for (const key of ["ann", "bob"]) yield* spend(key, 0.1)
        assert.deepStrictEqual(yield* store.counts(one.id, anyone, { page: 9, limit: 1 }), { counts: [], total: 2 })
        const { budgets, total } = yield* store.list(anyone, { page: 9_999, limit: 100 })
        assert.deepStrictEqual([budgets.length, total > 0], [0, true])
      }))
  })
