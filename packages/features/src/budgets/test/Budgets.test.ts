// How runs and jobs pay for their requests to models.
import { assert, describe, it } from "@effect/vitest"
import * as ModelPayment from "@svc-runtime/agents/agent/execute/model/ModelPayment"
import { UserId } from "@svc-runtime/domain/Ids"
import * as Principal from "@svc-runtime/domain/Principal"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { type Payer, Spending } from "@svc-runtime/engine/limits/Spending"
import * as CurrentWork from "@svc-runtime/engine/node/CurrentWork"
import { Instruments, make as instruments } from "@svc-runtime/telemetry/Instruments"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import * as Budget from "../Budget.ts"
import * as Budgets from "../Budgets.ts"
import { BudgetRules } from "../BudgetSettings.ts"
import { BudgetStore } from "../BudgetStore.ts"
import * as MemoryBudgetStore from "../MemoryBudgetStore.ts"
import { budget } from "./BudgetStoreSuite.ts"

const model = { id: "m", provider: "test" }
const prices = Prices.make([{ models: ["m"], input: 1_000_000, output: 1_000_000 }])

/** Costs as many US dollars. */
const tokens = (input_tokens: number) => ({ input_tokens, total_tokens: input_tokens })

const payer = (fields: Partial<Payer> = {}): Payer => ({
  id: "run",
  attempt: 1,
  user_id: UserId.make("ann"),
  component: { kind: "agent", id: "a" },
  ...fields
})

const storeWith = Effect.fnUntraced(function*(...budgets: ReadonlyArray<Budget.Budget>) {
  const store = Context.get(yield* Layer.build(MemoryBudgetStore.layer), BudgetStore)
  for (const one of budgets) yield* store.create(one, 100)
  return store
})

const nodeOf = Effect.fnUntraced(function*(store: BudgetStore["Service"]) {
  const rules = { most: 100, rates: new Map([["USD", 1], ["EUR", 2]]), retention: undefined }
  const context = yield* Layer.build(
    Budgets.layer.pipe(Layer.provide([Layer.succeed(BudgetStore, store), Layer.succeed(BudgetRules, rules)]))
  )
  return Context.get(context, Spending)
})

const spentIn = (store: BudgetStore["Service"]) => (one: Budget.Budget, key: string) =>
  Effect.map(store.counts(one.id, { _tag: "Anyone" }, { page: 1, limit: 100 }), ({ counts }) => {
    const { reserved = 0, spent = 0 } = counts.find((each) => each.key === key) ?? {}
    return [Budget.fromUnits(spent), Budget.fromUnits(reserved)]
  })

/** With these budgets, and the names of the methods of the store that were called. */
const opened = Effect.fnUntraced(function*(...budgets: ReadonlyArray<Budget.Budget>) {
  const store = yield* storeWith(...budgets)
  const calls: Array<string> = []
  const counted = BudgetStore.of({
    ...store,
    usedUp: (targets) => Effect.suspend(() => (calls.push("usedUp"), store.usedUp(targets))),
    reserve: (reservation) => Effect.suspend(() => (calls.push("reserve"), store.reserve(reservation))),
    settle: (settlements) => Effect.suspend(() => (calls.push("settle"), store.settle(settlements)))
  })
  return { calls, spending: yield* nodeOf(counted), spentOf: spentIn(store), store }
})

const priced = Effect.provideService(Instruments, instruments([], prices))

describe("a request to a model", () => {
  it.effect("without budgets, or with budgets of others, nothing is asked of the database", () =>
    Effect.gen(function*() {
      const others = [
        budget({ user_id: UserId.make("bob") }),
        budget({ scope: "component", component: { kind: "team", id: "a" } }),
        budget({ scope: "service", enabled: false })
      ]
      for (const budgets of [[], others]) {
        const { calls, spending } = yield* opened(...budgets)
        yield* spending.admit(payer())
        assert.isFalse(spending.purseOf(payer()).isLimited())
        assert.deepStrictEqual(calls, [])
      }
    }).pipe(Effect.scoped))

  it.effect("a request pays all budgets of its run, each in its currency, by two calls of the store", () =>
    Effect.gen(function*() {
      const all = [
        budget({ scope: "run", period: null, amount: 100 }),
        budget({ amount: 100 }),
        budget({ scope: "component", period: "month", amount: 100, currency: "EUR" }),
        budget({ scope: "service", period: "month", amount: 100 })
      ]
      const { calls, spending, spentOf } = yield* opened(...all)
      const { settle } = yield* spending.purseOf(payer()).reserve({ model, usage: tokens(8) })
      const keys = ["run", "ann", "agent a", ""]
      const each = Effect.forEach(all, (one, index) => spentOf(one, keys[index] ?? ""))
      assert.deepStrictEqual(yield* each, [[0, 8], [0, 8], [0, 4], [0, 8]])
      yield* settle(tokens(2))
      assert.deepStrictEqual(yield* each, [[2, 0], [2, 0], [1, 0], [2, 0]])
      assert.deepStrictEqual(calls, ["reserve", "settle"])
    }).pipe(priced, Effect.scoped))

  it.effect("a request waits while another one has reserved what it needs, and is refused when nothing is left", () =>
    Effect.gen(function*() {
      const one = budget({ scope: "service", amount: 10, name: "all" })
      const { calls, spending } = yield* opened(one)
      const reserve = spending.purseOf(payer()).reserve({ model, usage: tokens(6) })
      const first = yield* reserve
      const second = yield* Effect.forkChild(reserve)
      for (let n = 0; n < 5; n++) yield* TestClock.adjust("1 second")
      assert.isUndefined(second.pollUnsafe())
      yield* first.settle(tokens(3))
      yield* TestClock.adjust("1 second")
      yield* (yield* Fiber.join(second)).settle(tokens(8))
      const { message } = yield* Effect.flip(reserve)
      assert.include(
        message,
        "The service has used 11 of 10 USD of the budget 'all'. It begins anew at 1970-01-02T00:00:00Z"
      )
      const refused = yield* Effect.flip(spending.admit(payer()))
      if (refused._tag !== "LimitReached") assert.fail(refused._tag)
      const { name, of, scope } = refused
      assert.deepStrictEqual([name, scope], ["budget", "service"])
      assert.include(String(of), "USD of the budget 'all'")
      assert.isAbove(calls.length, 5)
    }).pipe(priced, Effect.scoped))

  it.effect("a request that waits for a minute is refused, and one that is cancelled while it waits leaves nothing", () =>
    Effect.gen(function*() {
      const one = budget({ scope: "service", amount: 10 })
      const { spending, spentOf } = yield* opened(one)
      const reserve = spending.purseOf(payer()).reserve({ model, usage: tokens(6) })
      yield* reserve
      const [late, cancelled] = [yield* Effect.forkChild(Effect.flip(reserve)), yield* Effect.forkChild(reserve)]
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(cancelled)
      for (let n = 0; n < 70; n++) yield* TestClock.adjust("1 second")
      assert.include((yield* Fiber.join(late)).message, "have not ended for a minute")
      assert.deepStrictEqual(yield* spentOf(one, ""), [0, 6])
    }).pipe(priced, Effect.scoped))

  it.effect("a start is refused while an accepted run waits for what others have reserved, until they have ended", () =>
    Effect.gen(function*() {
      const [one, all] = [budget({ amount: 10, name: "each" }), budget({ scope: "service", amount: 100 })]
      const { calls, spending } = yield* opened(one, all)
      const reserve = spending.purseOf(payer()).reserve({ model, usage: tokens(6) })
      const slow = yield* reserve
      const waiting = yield* Effect.forkChild(Effect.exit(reserve))
      yield* TestClock.adjust("2 seconds")
      yield* spending.admit(payer())
      for (let n = 0; n < 6; n++) yield* TestClock.adjust("1 second")
      const refused = yield* Effect.flip(spending.admit(payer()))
      if (refused._tag !== "LimitReached") assert.fail(refused._tag)
      assert.include(refused.message, "0 of 10 USD of the budget 'each'. It begins anew at")
      assert.include(refused.message, "Requests that are not answered yet have reserved what is left.")
      assert.strictEqual(refused.retry_after, 60)
      yield* spending.admit(payer({ user_id: UserId.make("bob") }))
      for (let n = 0; n < 60; n++) yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isFailure(yield* Fiber.join(waiting)))
      yield* Effect.flip(spending.admit(payer()))
      yield* slow.settle(tokens(1))
      const before = calls.length
      yield* spending.admit(payer())
      assert.strictEqual(calls.length, before)
    }).pipe(priced, Effect.scoped))

  it.effect("what a killed attempt has reserved is charged at the end of a run that asks no model any more", () =>
    Effect.gen(function*() {
      const one = budget({ scope: "run", period: null, amount: 100 })
      const { spending, spentOf } = yield* opened(one)
      yield* spending.purseOf(payer()).reserve({ model, usage: tokens(5) })
      yield* spending.purseOf(payer()).ended
      assert.deepStrictEqual(yield* spentOf(one, "run"), [0, 5])
      yield* spending.purseOf(payer({ attempt: 2 })).ended
      assert.deepStrictEqual(yield* spentOf(one, "run"), [5, 0])
    }).pipe(priced, Effect.scoped))

  it.effect("what a killed attempt has reserved is charged once, by the first request of the next attempt", () =>
    Effect.gen(function*() {
      const one = budget({ scope: "run", period: null, amount: 100 })
      const { spending, spentOf } = yield* opened(one)
      const killed = yield* spending.purseOf(payer()).reserve({ model, usage: tokens(5) })
      const again = spending.purseOf(payer({ attempt: 2 }))
      yield* (yield* again.reserve({ model, usage: tokens(5) })).settle(tokens(2))
      yield* killed.settle(tokens(1))
      yield* (yield* again.reserve({ model, usage: tokens(5) })).settle(tokens(2))
      assert.deepStrictEqual(yield* spentOf(one, "run"), [9, 0])
    }).pipe(priced, Effect.scoped))

  it.effect("a schedule pays for its author, a run without a user for those without one, and a job for no run", () =>
    Effect.gen(function*() {
      const [users, runs] = [budget({ amount: 100 }), budget({ scope: "run", period: null, amount: 100 })]
      const { spending, spentOf } = yield* opened(users, runs)
      const pay = Effect.fnUntraced(function*(fields: Partial<Payer>, cost: number) {
        const { settle } = yield* spending.purseOf(payer(fields)).reserve({ model, usage: tokens(cost) })
        yield* settle(tokens(cost))
      })
      yield* pay({ user_id: Principal.schedulerFor(UserId.make("ann")) }, 1)
      yield* pay({ user_id: null }, 2)
      yield* pay({ id: "job", isJob: true }, 4)
      assert.deepStrictEqual(yield* spentOf(users, "ann"), [5, 0])
      assert.deepStrictEqual(yield* spentOf(users, ""), [2, 0])
      assert.deepStrictEqual(yield* spentOf(runs, "job"), [0, 0])
    }).pipe(priced, Effect.scoped))

  it.effect("a budget of each tenant counts the runs of all of its users, and of their schedules, and of no others", () =>
    Effect.gen(function*() {
      const tenants = budget({ scope: "tenant", amount: 100 })
      const { spending, spentOf } = yield* opened(tenants)
      const users = ["tenant:acme:ann", "tenant:acme:bob", "tenant:globex:ann", "ann"].map((id) => UserId.make(id))
      for (const user_id of [...users, Principal.schedulerFor(users[0]!), null]) {
        const purse = spending.purseOf(payer({ user_id }))
        if (purse.isLimited()) yield* (yield* purse.reserve({ model, usage: tokens(1) })).settle(tokens(1))
      }
      assert.deepStrictEqual(yield* spentOf(tenants, "acme"), [3, 0])
      assert.deepStrictEqual(yield* spentOf(tenants, "globex"), [1, 0])
    }).pipe(priced, Effect.scoped))

  it.effect("a request that its provider has refused costs nothing", () =>
    Effect.gen(function*() {
      const one = budget({ amount: 100 })
      const { spending, spentOf } = yield* opened(one)
      yield* (yield* spending.purseOf(payer()).reserve({ model, usage: tokens(5) })).settle(undefined)
      assert.deepStrictEqual(yield* spentOf(one, "ann"), [0, 0])
    }).pipe(priced, Effect.scoped))
})

// One request of a run whose nodes stop at each point, and whose database does not reply for a moment.

const maxOutput = 100

/** Output tokens of an answer, each of which costs one US dollar. */
const used = 7

/** Where a node stops, with what its attempt has cost then. `reserved`: its reservation is stored. */
const stops = {
  "before it charges for earlier attempts": 0,
  "after it has charged for earlier attempts": 0,
  "before it reserves": 0,
  "when it has reserved": maxOutput,
  "before the provider answers": maxOutput,
  "before it charges": maxOutput,
  "when it has charged": used
}
type Stop = keyof typeof stops
const all = Object.keys(stops) as ReadonlyArray<Stop>
/** The first attempt knows of no earlier one. */
const ofFirst = all.slice(2)

type At = (stop: Stop) => Effect.Effect<void, StorageUnavailable>

const around = <A>(at: At, before: Stop, effect: Effect.Effect<A, StorageUnavailable>, after: Stop) =>
  Effect.tap(Effect.andThen(Effect.suspend(() => at(before)), effect), () => at(after))

const requested = Effect.fnUntraced(function*(store: BudgetStore["Service"], attempt: number, at: At) {
  const node = yield* nodeOf(BudgetStore.of({
    ...store,
    reserve: (each) => around(at, "before it reserves", store.reserve(each), "when it has reserved"),
    settle: (each) => around(at, "before it charges", store.settle(each), "when it has charged"),
    settleEarlier: (...each) =>
      around(
        at,
        "before it charges for earlier attempts",
        store.settleEarlier(...each),
        "after it has charged for earlier attempts"
      )
  }))
  const request = {
    model: (yield* Script.make([])).model,
    prompt: Prompt.make("hi"),
    settings: { maxOutputTokens: maxOutput }
  }
  const usage = { output_tokens: used, total_tokens: used }
  const answer = Effect.as(Effect.orDie(at("before the provider answers")), { usage })
  return yield* CurrentWork.within({ purse: node.purseOf(payer({ attempt })) })(
    ModelPayment.paid(request, answer, { bytes: 0, usage: {} })
  )
})

const nowhere: At = () => Effect.void

const ofOutput = Effect.provideService(
  Instruments,
  instruments([], Prices.make([{ models: ["scripted"], input: 0, output: 1_000_000 }]))
)

describe("a request whose node stops", () => {
  /** Attempts whose nodes stop, and one that does not. The nodes that stopped continue after it. */
  const attempted = Effect.fnUntraced(function*(...where: ReadonlyArray<Stop>) {
    const one = budget({ scope: "run", period: null, amount: 1000 })
    const store = yield* storeWith(one)
    const [spent, over] = [spentIn(store)(one, "run"), yield* Deferred.make<void>()]
    const stopped: Array<Fiber.Fiber<unknown, unknown>> = []
    for (const [index, stop] of where.entries()) {
      const reached = yield* Deferred.make<void>()
      const at: At = (each) =>
        each === stop ? Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(over)) : Effect.void
      stopped.push(yield* Effect.forkChild(requested(store, index + 1, at)))
      yield* Deferred.await(reached)
    }
    yield* requested(store, where.length + 1, nowhere)
    const atEnd = yield* spent
    yield* Deferred.succeed(over, undefined)
    yield* Fiber.joinAll(stopped)
    return { atEnd, afterAll: yield* spent }
  })

  const costOf = (where: ReadonlyArray<Stop>) => where.reduce((sum, stop) => sum + stops[stop], used)

  /** A node that continues and has reserved nothing yet sends a request of its own. */
  const costAfter = (where: ReadonlyArray<Stop>) =>
    costOf(where) + used * where.filter((stop) => all.indexOf(stop) < all.indexOf("when it has reserved")).length

  it.effect("a request costs once what its node had reserved, wherever it stops, also when it continues after all", () =>
    Effect.gen(function*() {
      for (const first of ofFirst) {
        const { afterAll, atEnd } = yield* attempted(first)
        assert.deepStrictEqual([first, ...atEnd], [first, costOf([first]), 0])
        assert.deepStrictEqual([first, ...afterAll], [first, costAfter([first]), 0])
      }
    }).pipe(ofOutput, Effect.scoped))

  it.effect("a request costs once what each of two nodes had reserved, wherever they stop", () =>
    Effect.gen(function*() {
      for (const first of ofFirst) {
        for (const second of all) {
          const where = [first, second]
          const { afterAll, atEnd } = yield* attempted(...where)
          assert.deepStrictEqual([...where, ...atEnd], [...where, costOf(where), 0])
          assert.deepStrictEqual([...where, ...afterAll], [...where, costAfter(where), 0])
        }
      }
    }).pipe(ofOutput, Effect.scoped))

  it.effect("a request costs once what it has used while the database does not reply for a moment", () =>
    Effect.gen(function*() {
      const lost = new StorageUnavailable({ cause: "no reply" })
      for (const stop of all.filter((each) => each !== "before the provider answers")) {
        const one = budget({ scope: "run", period: null, amount: 1000 })
        const store = yield* storeWith(one)
        let failures = 1
        const at: At = (each) => each === stop && failures-- > 0 ? Effect.fail(lost) : Effect.void
        yield* requested(store, 2, at)
        assert.deepStrictEqual([stop, failures < 1, ...yield* spentIn(store)(one, "run")], [stop, true, used, 0])
      }
    }).pipe(ofOutput, Effect.scoped))

  it.effect("a request costs once what its node had reserved, also when the node repeats it after a takeover", () =>
    Effect.gen(function*() {
      const one = budget({ scope: "run", period: null, amount: 1000 })
      const store = yield* storeWith(one)
      const spent = spentIn(store)(one, "run")
      const [stored, takenOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let isLost = false
      const losing: At = (stop) =>
        Effect.gen(function*() {
          if (stop !== "when it has reserved" || isLost) return
          isLost = true
          yield* Deferred.succeed(stored, undefined)
          yield* Deferred.await(takenOver)
          return yield* new StorageUnavailable({ cause: "no reply" })
        })
      const first = yield* Effect.forkChild(requested(store, 1, losing))
      yield* Deferred.await(stored)
      yield* requested(store, 2, nowhere)
      assert.deepStrictEqual(yield* spent, [maxOutput + used, 0])
      yield* Deferred.succeed(takenOver, undefined)
      yield* Fiber.join(first)
      assert.deepStrictEqual(yield* spent, [maxOutput + used, 0])
    }).pipe(ofOutput, Effect.scoped))

  it.effect("a reservation whose reply is lost counts nothing when it is stored after its request was charged", () =>
    Effect.gen(function*() {
      const lost = new StorageUnavailable({ cause: "no reply" })
      for (const outcome of ["reserved", "refused"] as const) {
        const one = budget({ scope: "run", period: null, amount: 1000 })
        const store = yield* storeWith(one)
        let late: Effect.Effect<unknown, StorageUnavailable> | undefined
        const slow = BudgetStore.of({
          ...store,
          reserve: (reservation) =>
            Effect.suspend(() => {
              if (late !== undefined) {
                const usedUp = { budget_id: one.id, key: "run", since: 0, spent: 1, reserved: 0 }
                return outcome === "refused" ? Effect.succeed({ outcome, usedUp }) : store.reserve(reservation)
              }
              late = store.reserve(reservation)
              return Effect.fail(lost)
            })
        })
        yield* Effect.exit(requested(slow, 1, nowhere))
        yield* late ?? Effect.void
        const cost = outcome === "reserved" ? used : 0
        assert.deepStrictEqual([outcome, ...yield* spentIn(store)(one, "run")], [outcome, cost, 0])
      }
    }).pipe(ofOutput, Effect.scoped))
})
