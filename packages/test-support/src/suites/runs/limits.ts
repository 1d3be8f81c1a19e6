// Runs that start or continue do not exceed the limits of their user and of their component. Those of the service are
// tested where no other test has runs.
import { assert, type Vitest } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, newId, newRun } from "../Samples.ts"
import { dequeue, end, queuedRun, statusOf } from "./QueuedRuns.ts"
import { refusalOf } from "./stored.ts"

type Three = [NewRun, NewRun, NewRun]

const newUser = () => Ids.UserId.make(newId("user"))

/** A new run of the user or component with these limits. */
const limited = (options: StartLimits.Options, fields: Partial<NewRun> = {}): NewRun => {
  const run = newRun(fields)
  return { ...run, limited: StartLimits.of(options, run, undefined) }
}

const create = (run: NewRun) => RunStore.use((runs) => runs.create(run))

const reached = (run: NewRun) => Effect.flip(create(run))

export const limits = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a user has at most as many unfinished runs as the limit, and others are not counted", () =>
    Effect.gen(function*() {
      const user_id = newUser()
      const options = { user: { runsAtOnce: 2 } }
      const [one] = [limited(options, { user_id }), limited(options, { user_id })]
      yield* create(one)
      yield* create(limited(options, { user_id }))
      const refused = limited(options, { user_id })
      assert.strictEqual(yield* refusalOf(refused), "LimitReached")
      assert.deepInclude(yield* reached(refused), {
        scope: "user",
        name: "runsAtOnce",
        used: 2,
        limit: 2,
        retry_after: 1
      })
      yield* create(limited(options, { user_id: newUser() }))
      yield* end(one)
      yield* create(refused)
    }))

  it.effect("runs in a session queue count as unfinished, and paused ones do not", () =>
    Effect.gen(function*() {
      const user_id = newUser()
      const options = { user: { runsAtOnce: 2 } }
      const first = queuedRun({ user_id })
      const second = queuedRun({ user_id, session_id: first.session_id, node: first.node })
      yield* create(first)
      yield* create(second)
      assert.strictEqual(yield* statusOf(second), "PENDING")
      const next = limited(options, { user_id })
      assert.strictEqual((yield* reached(next))._tag, "LimitReached")
      yield* end(first, { status: "PAUSED" })
      yield* create(next)
    }))

  it.effect("a component starts at most as many runs in a minute as the limit, ended ones too", () =>
    Effect.gen(function*() {
      const component_id = newId("agent")
      const options = { component: { runsPerMinute: 2 } }
      for (let count = 0; count < 2; count++) {
        const run = limited(options, { component_id })
        yield* create(run)
        yield* end(run)
      }
      const refused = yield* reached(limited(options, { component_id }))
      assert.deepInclude(refused, { scope: "component", name: "runsPerMinute", used: 2, limit: 2 })
      assert.isTrue("retry_after" in refused && refused.retry_after > 50 && refused.retry_after <= 60)
      yield* create(limited(options, { component_id: newId("agent") }))
      yield* create(limited(options, { component_id, kind: "team" }))
    }))

  it.effect("runs without a user are counted together", () =>
    Effect.gen(function*() {
      const component_id = newId("agent")
      const options = { user: { runsAtOnce: 1 } }
      const known = limited(options, { component_id })
      const others = yield* Effect.exit(create(known))
      assert.strictEqual((yield* reached(limited(options, { component_id })))._tag, "LimitReached")
      if (others._tag === "Success") yield* end(known)
    }))

  it.effect("a refused run is counted nowhere", () =>
    Effect.gen(function*() {
      const [user_id, component_id] = [newUser(), newId("agent")]
      const options = { user: { runsAtOnce: 1 }, component: { runsPerMinute: 2 } }
      const first = limited(options, { user_id, component_id })
      yield* create(first)
      for (let count = 0; count < 3; count++) yield* reached(limited(options, { user_id, component_id }))
      yield* create(limited(options, { user_id: newUser(), component_id }))
      assert.deepInclude(yield* reached(limited(options, { user_id: newUser(), component_id })), { used: 2 })
    }))

  it.effect("a run that exceeds several limits is refused by the one that is free last", () =>
    Effect.gen(function*() {
      const [user_id, component_id] = [newUser(), newId("agent")]
      const options = { user: { runsAtOnce: 1 }, component: { runsPerMinute: 1 } }
      yield* create(limited(options, { user_id, component_id }))
      assert.deepInclude(yield* reached(limited(options, { user_id, component_id })), { name: "runsPerMinute" })
    }))

  it.effect("as many runs are accepted as the limit has room for, of many that start at once", () =>
    Effect.gen(function*() {
      const user_id = newUser()
      const options = { user: { runsAtOnce: 10, runsPerMinute: 10 }, component: { runsPerMinute: 1000 } }
      const component_id = newId("agent")
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 100 }, () => limited(options, { user_id, component_id })),
        (run) => Effect.option(create(run)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(outcomes.filter(Option.isSome).length, 10)
    }))

  it.effect("a run that is refused does not hold up the other runs of its new session", () =>
    Effect.gen(function*() {
      const user_id = newUser()
      const options = { user: { runsAtOnce: 1 } }
      yield* create(limited(options, { user_id }))
      const refused = limited(options, { user_id })
      const free = newRun({ user_id, session_id: refused.session_id })
      const [one, other] = yield* Effect.all([Effect.option(create(refused)), Effect.option(create(free))], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([one._tag, other._tag], ["None", "Some"])
    }))

  it.effect("a run continues only within the limits, and counts for them", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const user_id = newUser()
      const options = { user: { runsAtOnce: 1, runsPerMinute: 3 } }
      const paused = limited(options, { user_id })
      yield* create(paused)
      yield* end(paused, { status: "PAUSED" })
      const other = limited(options, { user_id })
      yield* create(other)
      const { limited: of, node, run_id } = paused
      const resuming = runs.resume({ run_id, attempt: 1, node, entry: undefined, limited: of })
      assert.deepInclude(yield* Effect.flip(resuming), { name: "runsAtOnce" })
      assert.strictEqual(yield* statusOf(paused), "PAUSED")
      yield* end(other)
      assert.deepStrictEqual(yield* resuming, Option.some(2))
      assert.deepStrictEqual(yield* resuming, Option.none())
      yield* end(paused, { status: "PAUSED" }, 2)
      const again = runs.resume({ run_id, attempt: 2, node, entry: undefined, limited: of })
      assert.deepInclude(yield* Effect.flip(again), { name: "runsPerMinute", used: 3 })
    }))

  it.effect("ids with characters that a database does not store are counted as they are stored", () =>
    Effect.gen(function*() {
      const user_id = Ids.UserId.make(`${newId("user")} \u0000 \ud800 "'`)
      const options = { user: { runsAtOnce: 1, runsPerMinute: 5, tokensPerDay: 5 } }
      yield* create(limited(options, { user_id }))
      assert.deepInclude(yield* reached(limited(options, { user_id })), { name: "runsAtOnce" })
    }))

  it.effect("a user whose runs and their jobs have used the tokens of a day starts no run before the next one", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const user_id = newUser()
      const options = { user: { tokensPerDay: 100 } }
      const now = yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
      const seconds = Math.floor(now / 1000)
      const spend = Effect.fnUntraced(function*(run: NewRun, tokens: number) {
        yield* create(run)
        yield* runs.finish(ending(run, { usage: { total_tokens: tokens } }))
      })
      const spending = limited(options, { user_id, created_at: seconds })
      yield* spend(spending, 60)
      const request = { role: "memory_model", model: { id: "m", provider: "p" }, usage: { total_tokens: 60 } }
      yield* (yield* SessionStore).addUsage(spending.session_id, request, seconds)
      const refused = yield* reached(limited(options, { user_id, created_at: seconds }))
      assert.deepInclude(refused, { name: "tokensPerDay", used: 120, limit: 100 })
      assert.isTrue("retry_after" in refused && refused.retry_after > 0 && refused.retry_after <= 86_400)
      yield* create(limited(options, { user_id: newUser() }))
    }))

  it.effect("a limit that is larger than any number of runs refuses none", () =>
    Effect.gen(function*() {
      const user_id = newUser()
      const largest = { runsAtOnce: 1e300, runsPerMinute: 1e300, tokensPerDay: 1e300 }
      const options = { user: largest, whenExceeded: "queue", maxWaiting: 1e300 } as const
      for (let count = 0; count < 2; count++) assert.isFalse((yield* create(limited(options, { user_id }))).isQueued)
    }))

  const queueing = (user: StartLimits.Limits, maxWaiting = 100): StartLimits.Options => ({
    user,
    whenExceeded: "queue",
    maxWaiting,
    maxWaitingOfUser: maxWaiting
  })
  const admitted = (node: string) => RunStore.use((runs) => runs.admitWaiting(node))

  it.effect("a run beyond a limit waits where that is wanted, and gets its turn when there is room", () =>
    Effect.gen(function*() {
      const [user_id, node] = [newUser(), newId("node")]
      const options = queueing({ runsAtOnce: 1 })
      const [first, second, third] = [1, 2, 3].map(() => limited(options, { user_id, node })) as Three
      assert.isFalse((yield* create(first)).isQueued)
      for (const run of [second, third]) assert.isTrue((yield* create(run)).isQueued)
      assert.deepStrictEqual(yield* admitted(node), [])
      assert.deepStrictEqual(yield* dequeue(second), [])
      assert.strictEqual(yield* statusOf(second), "PENDING")
      yield* end(first)
      assert.deepStrictEqual(yield* dequeue(second), [])
      assert.deepStrictEqual(yield* admitted(newId("node")), [])
      assert.deepStrictEqual(yield* admitted(node), [second.session_id])
      assert.deepStrictEqual(yield* admitted(node), [])
      assert.deepStrictEqual(yield* dequeue(second), [second.run_id])
      assert.strictEqual(yield* statusOf(third), "PENDING")
      yield* end(second)
      assert.deepStrictEqual(yield* admitted(node), [third.session_id])
    }))

  it.effect("a new run comes behind the runs that wait, also when there is room", () =>
    Effect.gen(function*() {
      const [user_id, node] = [newUser(), newId("node")]
      const options = queueing({ runsAtOnce: 1 })
      const [first, second, third] = [1, 2, 3].map(() => limited(options, { user_id, node })) as Three
      yield* create(first)
      yield* create(second)
      yield* end(first)
      assert.isTrue((yield* create(third)).isQueued)
      assert.deepStrictEqual(yield* admitted(node), [second.session_id])
    }))

  it.effect("a run that waits is dequeued in its session only when it has room", () =>
    Effect.gen(function*() {
      const [user_id, node] = [newUser(), newId("node")]
      const options = queueing({ runsAtOnce: 1 })
      const first = limited(options, { user_id, node, isSerialized: true })
      const second = limited(options, { user_id, node, session_id: first.session_id, isSerialized: true })
      yield* create(first)
      yield* create(second)
      const { next } = yield* RunStore.use((runs) => runs.finishAndDequeue(ending(first), node))
      assert.strictEqual(next, undefined)
      assert.deepStrictEqual(yield* admitted(node), [second.session_id])
      assert.deepStrictEqual(yield* dequeue(second), [second.run_id])
    }))

  it.effect("a run that waits counts in the minute in which it gets room", () =>
    Effect.gen(function*() {
      const [user_id, node] = [newUser(), newId("node")]
      const options = queueing({ runsAtOnce: 1, runsPerMinute: 2 })
      const runs = [1, 2, 3].map(() => limited(options, { user_id, node })) as Three
      for (const run of runs) yield* create(run)
      for (const [index, run] of runs.entries()) {
        if (index < 2) yield* end(run)
        const next = runs[index + 1]
        assert.deepStrictEqual(yield* admitted(node), index === 0 && next !== undefined ? [next.session_id] : [])
      }
    }))

  it.effect("a run is refused when as many wait as may, of all users or of its own", () =>
    Effect.gen(function*() {
      const [user_id, other] = [newUser(), newUser()]
      const options = { ...queueing({ runsAtOnce: 1 }), maxWaitingOfUser: 1 }
      for (const user of [user_id, other]) yield* create(limited(options, { user_id: user }))
      assert.strictEqual((yield* reached(limited(queueing({ runsAtOnce: 1 }, 0), { user_id })))._tag, "LimitReached")
      assert.isTrue((yield* create(limited(options, { user_id }))).isQueued)
      assert.strictEqual((yield* reached(limited(options, { user_id })))._tag, "LimitReached")
      assert.isTrue((yield* create(limited(options, { user_id: other }))).isQueued)
    }))

  it.effect("a cancelled run that waits gets no turn, and makes room for no other", () =>
    Effect.gen(function*() {
      const [user_id, node] = [newUser(), newId("node")]
      const options = queueing({ runsAtOnce: 1 })
      const [first, second] = [limited(options, { user_id, node }), limited(options, { user_id, node })]
      yield* create(first)
      yield* create(second)
      yield* end(second, { status: "CANCELLED" })
      yield* end(first)
      assert.deepStrictEqual(yield* admitted(node), [])
    }))

  it.effect("a run that has room does not wait for the many runs of a user without room", () =>
    Effect.gen(function*() {
      const [busy, user_id, node] = [newUser(), newUser(), newId("node")]
      const options = queueing({ runsAtOnce: 1 }, 10_000)
      const many = Array.from({ length: 120 }, () => limited(options, { user_id: busy, node }))
      const [first, second] = [limited(options, { user_id, node }), limited(options, { user_id, node })]
      yield* Effect.forEach(many, create, { concurrency: 20, discard: true })
      yield* create(first)
      assert.isTrue((yield* create(second)).isQueued)
      yield* end(first)
      assert.deepStrictEqual(yield* admitted(node), [second.session_id])
      yield* Effect.forEach(many, (run) => end(run, { status: "CANCELLED" }), { concurrency: 20, discard: true })
    }))
}
