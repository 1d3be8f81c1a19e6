// Serialized runs of one session are executed one after the other, in the order in which they were accepted.
import { assert, type Vitest } from "@effect/vitest"
import type * as Run from "@svc-runtime/domain/Run"
import type { Acquired } from "@svc-runtime/engine/node/LeasedRuns"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, newId, newRun, runId, sessionId, talk } from "../Samples.ts"
import { anyone, dequeue, end, isWaiting, queuedRun, statusOf } from "./QueuedRuns.ts"
import { refusalOf, runsOf } from "./stored.ts"

export const sessionQueue = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a run waits while another one of its session executes, and starts with the state that it left", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = queuedRun()
      const two = { ...one, run_id: runId(), history: 3 }
      assert.isFalse(yield* isWaiting(one))
      assert.isTrue(yield* isWaiting(two))
      assert.strictEqual(yield* statusOf(two), "PENDING")
      assert.deepStrictEqual(yield* dequeue(two), [])
      const messages = talk("q", "a")
      yield* runs.finish(ending(one, { run: { messages }, state_changes: { set: { count: 1 }, removed: [] } }))
      assert.deepStrictEqual(yield* runs.dequeue({ node: two.node, sessions: [two.session_id], uncertain: [] }), [
        { run_id: two.run_id, session_state: { count: 1 }, history: messages.slice(1) }
      ])
      assert.strictEqual(yield* statusOf(two), "RUNNING")
      assert.deepStrictEqual(yield* dequeue(two), [])
      yield* end(two)
      assert.isFalse(yield* isWaiting({ ...one, run_id: runId() }))
    }))

  it.effect("the first queued run is dequeued, on the node that has it", () =>
    Effect.gen(function*() {
      const one = queuedRun()
      const [two, three] = [queuedRun({ session_id: one.session_id }), queuedRun({ session_id: one.session_id })]
      for (const run of [one, two, three]) yield* isWaiting(run)
      yield* end(one)
      assert.deepStrictEqual(yield* dequeue(three), [], "another one is before it")
      assert.deepStrictEqual(yield* dequeue(two), [two.run_id])
      assert.deepStrictEqual(yield* dequeue(three), [], "the run is executing")
      yield* end(two)
      assert.deepStrictEqual(yield* dequeue(three), [three.run_id])
    }))

  it.effect("runs that cannot observe each other execute side by side, and others wait for those before them", () =>
    Effect.gen(function*() {
      const blind = newRun({ node: newId("node") })
      const { session_id } = blind
      const [second, seeing] = [{ ...blind, run_id: runId() }, queuedRun({ session_id })]
      const later = { ...blind, run_id: runId() }
      assert.isFalse(yield* isWaiting(blind))
      assert.isFalse(yield* isWaiting(second))
      assert.isTrue(yield* isWaiting(seeing))
      assert.isFalse(yield* isWaiting(later))
      yield* end(blind)
      assert.deepStrictEqual(yield* dequeue(seeing), [])
      yield* end(second)
      assert.deepStrictEqual(yield* dequeue(seeing), [seeing.run_id], "what came later is not waited for")
    }))

  it.effect("a run does not wait for a paused or failed run", () =>
    Effect.gen(function*() {
      for (const status of ["PAUSED", "ERROR", "CANCELLED"] as const) {
        const one = queuedRun()
        yield* isWaiting(one)
        yield* end(one, { status })
        assert.isFalse(yield* isWaiting({ ...one, run_id: runId() }), status)
      }
    }))

  it.effect("a paused run is continued while another one executes", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = queuedRun()
      yield* isWaiting(one)
      yield* end(one, { status: "PAUSED" })
      const two = { ...one, run_id: runId() }
      yield* isWaiting(two)
      const held = yield* runs.resume({ run_id: one.run_id, attempt: 1, node: one.node, entry: undefined })
      assert.deepStrictEqual(Option.toArray(held), [2])
      const three = { ...one, run_id: runId() }
      assert.isTrue(yield* isWaiting(three))
      yield* end(two)
      assert.deepStrictEqual(yield* dequeue(three), [], "the continued run is executing")
      yield* end(one, {}, 2)
      assert.deepStrictEqual(yield* dequeue(three), [three.run_id])
    }))

  it.effect("a run that refuses to wait is rejected, whether or not it is serialized, and nothing of it is stored", () =>
    Effect.gen(function*() {
      for (const isSerialized of [false, true]) {
        const one = newRun({ isSerialized })
        assert.isFalse(yield* isWaiting({ ...one, if_busy: "reject" }))
        const two = { ...one, run_id: runId(), if_busy: "reject" as const }
        assert.strictEqual(yield* refusalOf(two), "SessionBusy")
        yield* end(one)
        assert.isFalse(yield* isWaiting(two))
      }
    }))

  it.effect("exactly one of many runs that refuse to wait and are created at once is accepted", () =>
    Effect.gen(function*() {
      for (const isNew of [true, false]) {
        const session_id = sessionId()
        if (!isNew) {
          yield* Effect.flatMap(
            Effect.succeed(queuedRun({ session_id })),
            (run) => isWaiting(run).pipe(Effect.andThen(end(run)))
          )
        }
        const all = Array.from({ length: 20 }, () => queuedRun({ session_id, if_busy: "reject" }))
        const outcomes = yield* Effect.forEach(all, (run) => Effect.result(isWaiting(run)), {
          concurrency: "unbounded"
        })
        const accepted = outcomes.flatMap((outcome) => outcome._tag === "Success" ? [outcome.success] : [])
        assert.deepStrictEqual(accepted, [false])
      }
    }))

  it.effect("a run that interrupts cancels those before it, and is then dequeued", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = queuedRun()
      const two = { ...one, run_id: runId() }
      const three = { ...one, run_id: runId(), if_busy: "interrupt" as const }
      const four = { ...one, run_id: runId() }
      for (const run of [one, two, three, four]) yield* isWaiting(run)
      const wanted = yield* runs.cancelRequested(one.node)
      assert.deepStrictEqual(wanted.toSorted(), [one.run_id, two.run_id].toSorted())
      yield* end(one, { status: "CANCELLED" })
      yield* end(two, { status: "CANCELLED" })
      assert.deepStrictEqual(yield* dequeue(three), [three.run_id])
    }))

  it.effect("no paused run is cancelled, and none of another session", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [one, other] = [queuedRun(), queuedRun()]
      yield* isWaiting(one)
      yield* isWaiting(other)
      yield* end(one, { status: "PAUSED" })
      assert.isFalse(yield* isWaiting({ ...one, run_id: runId(), if_busy: "interrupt" }))
      const found = yield* Effect.flatMap(runs.snapshot(one.session_id, one.run_id, anyone), Effect.fromOption)
      assert.isFalse(found.isCancelRequested)
      assert.deepStrictEqual(yield* runs.cancelRequested(other.node), [])
    }))

  it.effect("100 runs that are created at once are dequeued in the order of their acceptance", () =>
    Effect.gen(function*() {
      const session_id = sessionId()
      const all = Array.from({ length: 100 }, () => queuedRun({ session_id, node: "turns" }))
      const byId = new Map(all.map((run) => [run.run_id, run]))
      const waiting = yield* Effect.forEach(all, isWaiting, { concurrency: "unbounded" })
      assert.strictEqual(waiting.filter((waits) => !waits).length, 1)
      const order = yield* runsOf(session_id)
      const executed: Array<Run.Id> = [order[0]!]
      while (executed.length < all.length) {
        yield* end(byId.get(executed.at(-1)!)!)
        executed.push(...yield* dequeue(all[0]!))
        if (executed.length > 100 || executed.at(-1) === executed.at(-2)) break
      }
      assert.deepStrictEqual(executed, order)
    }))

  it.effect("a queued run ends when it is cancelled, and no run waits for it any more", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = queuedRun()
      const [two, three] = [{ ...one, run_id: runId() }, { ...one, run_id: runId() }]
      for (const run of [one, two, three]) yield* isWaiting(run)
      assert.isTrue(Option.isSome(yield* runs.requestCancel(two.run_id, two.session_id, anyone)))
      assert.deepStrictEqual(yield* runs.cancelRequested(one.node), [two.run_id])
      yield* end(two, { status: "CANCELLED" })
      yield* end(one)
      assert.deepStrictEqual(yield* dequeue(three), [three.run_id])
    }))

  it.effect("queued runs are handed over with the executing ones", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = queuedRun()
      const two = { ...one, run_id: runId() }
      for (const run of [one, two]) yield* isWaiting(run)
      yield* runs.release(one.node)
      const node = newId("node")
      // other tests leave runs behind in the same database
      const taken: Array<Acquired> = []
      for (let isMore = true; isMore;) {
        const portion = yield* runs.takeOver({ node, isStarting: false, limit: 1000 })
        taken.push(...portion.filter(({ session_id }) => session_id === one.session_id))
        isMore = portion.length > 0
      }
      assert.deepStrictEqual(taken.map(({ run_id, status }) => [run_id, status]), [
        [one.run_id, "RUNNING"],
        [two.run_id, "PENDING"]
      ])
      yield* end(one, {}, 2)
      assert.deepStrictEqual(yield* dequeue(two), [], "it is another node's")
      assert.deepStrictEqual(yield* dequeue({ ...two, node }), [two.run_id])
    }))

  it.effect("a dequeued run is returned again when the node does not know whether it got the answer", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = queuedRun()
      const [two, three] = [{ ...one, run_id: runId() }, { ...one, run_id: runId() }]
      for (const run of [one, two, three]) yield* isWaiting(run)
      yield* end(one)
      const request = { node: one.node, sessions: [one.session_id], uncertain: [two.run_id, three.run_id] }
      const ids = Effect.map(runs.dequeue(request), (all) => all.map(({ run_id }) => run_id))
      assert.deepStrictEqual(yield* ids, [two.run_id])
      assert.deepStrictEqual(yield* ids, [two.run_id])
      assert.deepStrictEqual(yield* runs.dequeue({ ...request, node: "another" }), [])
    }))
}
