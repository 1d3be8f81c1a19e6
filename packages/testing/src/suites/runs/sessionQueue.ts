// Serialized runs of one session are executed one after the other, in the order in which they were accepted.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc/domain/Owner"
import type * as Run from "@svc/domain/Run"
import { RunStore } from "@svc/runtime/run/RunStore"
import type { NewRun } from "@svc/runtime/run/RunWrites"
import type { SessionStore } from "@svc/runtime/session/SessionStore"
import { Effect, Option } from "effect"
import { beginning, ending, newId, runId, sessionId, talk } from "../Samples.ts"
import { refusalOf, runsOf } from "./stored.ts"

const anyone = { owner: Owner.anyone }

/** A run that takes turns, of a node of its own. */
const turning = (fields: Partial<NewRun> = {}) => beginning({ isSerialized: true, node: newId("node"), ...fields })

const isWaiting = (run: NewRun) => RunStore.use((runs) => Effect.map(runs.create(run), (accepted) => accepted.isQueued))

const statusOf = ({ run_id, session_id }: NewRun) =>
  RunStore.use((runs) =>
    Effect.map(Effect.flatMap(runs.find(session_id, run_id, anyone), Effect.fromOption), ({ status }) => status)
  )

const end = (run: NewRun, fields: Partial<Run.Output> = {}, attempt = 1) =>
  RunStore.use((runs) => runs.finish({ ...ending(run, { run: fields }), attempt }))

const turnsOf = ({ node, session_id }: NewRun) =>
  RunStore.use((runs) =>
    Effect.map(runs.dequeue({ node, sessions: [session_id], uncertain: [] }), (all) => all.map(({ run_id }) => run_id))
  )

export const sessionQueue = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a run waits while another one of its session executes, and starts with the state that it left", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = turning()
      const two = { ...one, run_id: runId(), history: 3 }
      assert.isFalse(yield* isWaiting(one))
      assert.isTrue(yield* isWaiting(two))
      assert.strictEqual(yield* statusOf(two), "PENDING")
      assert.deepStrictEqual(yield* turnsOf(two), [])
      const messages = talk("q", "a")
      yield* runs.finish(ending(one, { run: { messages }, state_changes: { set: { count: 1 }, removed: [] } }))
      assert.deepStrictEqual(yield* runs.dequeue({ node: two.node, sessions: [two.session_id], uncertain: [] }), [
        { run_id: two.run_id, session_state: { count: 1 }, history: messages.slice(1) }
      ])
      assert.strictEqual(yield* statusOf(two), "RUNNING")
      assert.deepStrictEqual(yield* turnsOf(two), [])
      yield* end(two)
      assert.isFalse(yield* isWaiting({ ...one, run_id: runId() }))
    }))

  it.effect("the first queued run is dequeued, on the node that has it", () =>
    Effect.gen(function*() {
      const one = turning()
      const [two, three] = [turning({ session_id: one.session_id }), turning({ session_id: one.session_id })]
      for (const run of [one, two, three]) yield* isWaiting(run)
      yield* end(one)
      assert.deepStrictEqual(yield* turnsOf(three), [], "another one is before it")
      assert.deepStrictEqual(yield* turnsOf(two), [two.run_id])
      assert.deepStrictEqual(yield* turnsOf(three), [], "the run is executing")
      yield* end(two)
      assert.deepStrictEqual(yield* turnsOf(three), [three.run_id])
    }))

  it.effect("runs that cannot observe each other execute side by side, and others wait for those before them", () =>
    Effect.gen(function*() {
      const blind = beginning({ node: newId("node") })
      const { session_id } = blind
      const [second, seeing] = [{ ...blind, run_id: runId() }, turning({ session_id })]
      const later = { ...blind, run_id: runId() }
      assert.isFalse(yield* isWaiting(blind))
      assert.isFalse(yield* isWaiting(second))
      assert.isTrue(yield* isWaiting(seeing))
      assert.isFalse(yield* isWaiting(later))
      yield* end(blind)
      assert.deepStrictEqual(yield* turnsOf(seeing), [])
      yield* end(second)
      assert.deepStrictEqual(yield* turnsOf(seeing), [seeing.run_id], "what came later is not waited for")
    }))

  it.effect("a run does not wait for a paused or failed run", () =>
    Effect.gen(function*() {
      for (const status of ["PAUSED", "ERROR", "CANCELLED"] as const) {
        const one = turning()
        yield* isWaiting(one)
        yield* end(one, { status })
        assert.isFalse(yield* isWaiting({ ...one, run_id: runId() }), status)
      }
    }))

  it.effect("a paused run is continued while another one executes", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = turning()
      yield* isWaiting(one)
      yield* end(one, { status: "PAUSED" })
      const two = { ...one, run_id: runId() }
      yield* isWaiting(two)
      const held = yield* runs.resume({ run_id: one.run_id, attempt: 1, node: one.node, entry: undefined })
      assert.deepStrictEqual(Option.toArray(held), [2])
      const three = { ...one, run_id: runId() }
      assert.isTrue(yield* isWaiting(three))
      yield* end(two)
      assert.deepStrictEqual(yield* turnsOf(three), [], "the continued run is executing")
      yield* end(one, {}, 2)
      assert.deepStrictEqual(yield* turnsOf(three), [three.run_id])
    }))

  it.effect("a run that refuses to wait is rejected, whether or not it is serialized, and nothing of it is stored", () =>
    Effect.gen(function*() {
      for (const isSerialized of [false, true]) {
        const one = beginning({ isSerialized })
        assert.isFalse(yield* isWaiting({ ...one, if_busy: "reject" }))
        const two = { ...one, run_id: runId(), if_busy: "reject" as const }
        assert.strictEqual(yield* refusalOf(two), "SessionBusy")
        yield* end(one)
        assert.isFalse(yield* isWaiting(two))
      }
    }))

  it.effect("one of many runs that refuse to wait and are created at once is accepted", () =>
    Effect.gen(function*() {
      for (const isNew of [true, false]) {
        const session_id = sessionId()
        if (!isNew) {
          yield* Effect.flatMap(
            Effect.succeed(turning({ session_id })),
            (run) => isWaiting(run).pipe(Effect.andThen(end(run)))
          )
        }
        const all = Array.from({ length: 20 }, () => turning({ session_id, if_busy: "reject" }))
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
      const one = turning()
      const two = { ...one, run_id: runId() }
      const three = { ...one, run_id: runId(), if_busy: "interrupt" as const }
      const four = { ...one, run_id: runId() }
      for (const run of [one, two, three, four]) yield* isWaiting(run)
      const wanted = yield* runs.cancelRequested(one.node)
      assert.deepStrictEqual(wanted.toSorted(), [one.run_id, two.run_id].toSorted())
      yield* end(one, { status: "CANCELLED" })
      yield* end(two, { status: "CANCELLED" })
      assert.deepStrictEqual(yield* turnsOf(three), [three.run_id])
    }))

  it.effect("no paused run is cancelled, and none of another session", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [one, other] = [turning(), turning()]
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
      const all = Array.from({ length: 100 }, () => turning({ session_id, node: "turns" }))
      const byId = new Map(all.map((run) => [run.run_id, run]))
      const waiting = yield* Effect.forEach(all, isWaiting, { concurrency: "unbounded" })
      assert.strictEqual(waiting.filter((waits) => !waits).length, 1)
      const order = yield* runsOf(session_id)
      const executed: Array<Run.Id> = [order[0]!]
      while (executed.length < all.length) {
        yield* end(byId.get(executed.at(-1)!)!)
        executed.push(...yield* turnsOf(all[0]!))
        if (executed.length > 100 || executed.at(-1) === executed.at(-2)) break
      }
      assert.deepStrictEqual(executed, order)
    }))

  it.effect("a queued run ends when it is cancelled, and no run waits for it any more", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = turning()
      const [two, three] = [{ ...one, run_id: runId() }, { ...one, run_id: runId() }]
      for (const run of [one, two, three]) yield* isWaiting(run)
      assert.isTrue(Option.isSome(yield* runs.requestCancel(two.run_id, two.session_id, anyone)))
      assert.deepStrictEqual(yield* runs.cancelRequested(one.node), [two.run_id])
      yield* end(two, { status: "CANCELLED" })
      yield* end(one)
      assert.deepStrictEqual(yield* turnsOf(three), [three.run_id])
    }))

  it.effect("queued runs are handed over with the executing ones", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = turning()
      const two = { ...one, run_id: runId() }
      for (const run of [one, two]) yield* isWaiting(run)
      yield* runs.release(one.node)
      const node = newId("node")
      const taken = (yield* runs.takeOver({ node, isStarting: false, nodeTimeout: undefined, limit: 100 }))
        .filter(({ session_id }) => session_id === one.session_id)
      assert.deepStrictEqual(taken.map(({ run_id, status }) => [run_id, status]), [
        [one.run_id, "RUNNING"],
        [two.run_id, "PENDING"]
      ])
      yield* end(one, {}, 2)
      assert.deepStrictEqual(yield* turnsOf(two), [], "it is another node's")
      assert.deepStrictEqual(yield* turnsOf({ ...two, node }), [two.run_id])
    }))

  it.effect("a dequeued run is returned again when the node does not know whether it got the answer", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = turning()
      const [two, three] = [{ ...one, run_id: runId() }, { ...one, run_id: runId() }]
      for (const run of [one, two, three]) yield* isWaiting(run)
      yield* end(one)
      const asked = { node: one.node, sessions: [one.session_id], uncertain: [two.run_id, three.run_id] }
      const ids = Effect.map(runs.dequeue(asked), (all) => all.map(({ run_id }) => run_id))
      assert.deepStrictEqual(yield* ids, [two.run_id])
      assert.deepStrictEqual(yield* ids, [two.run_id])
      assert.deepStrictEqual(yield* runs.dequeue({ ...asked, node: "another" }), [])
    }))

  it.effect("a run that ends together with the dequeue of the next one leaves it what a later dequeue returns", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      for (const status of ["COMPLETED", "ERROR", "CANCELLED", "PAUSED"] as const) {
        const one = turning()
        const two = { ...one, run_id: runId(), history: 2 }
        const queued = [{ ...two, run_id: runId() }, { ...two, run_id: runId() }]
        for (const run of [one, two, ...queued]) yield* isWaiting(run)
        let executing: NewRun = one
        for (const [index, next] of [two, ...queued].entries()) {
          const messages = talk(`question ${index}`, `answer ${index}`)
          const state_changes = { set: { [`key ${index}`]: index }, removed: [] }
          const run = { messages, status: index === 1 ? status : "COMPLETED" as const }
          const finished = yield* runs.finishAndDequeue(ending(executing, { run, state_changes }), one.node)
          assert.isTrue(finished.isHeld)
          assert.strictEqual(yield* statusOf(next), "RUNNING")
          const [later] = yield* runs.dequeue({ node: one.node, sessions: [], uncertain: [next.run_id] })
          const { run_id, ...begun } = later!
          assert.deepStrictEqual(finished.next, { run_id, begun }, `${status} ${index}`)
          executing = next
        }
      }
    }))

  it.effect("an end that is sent again dequeues no further run", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = turning()
      const [two, three] = [{ ...one, run_id: runId() }, { ...one, run_id: runId() }]
      for (const run of [one, two, three]) yield* isWaiting(run)
      assert.strictEqual((yield* runs.finishAndDequeue(ending(one), one.node)).next?.run_id, two.run_id)
      assert.deepStrictEqual(yield* runs.finishAndDequeue(ending(one), one.node), { isHeld: true, next: undefined })
      assert.strictEqual(yield* statusOf(three), "PENDING")
    }))

  it.effect("the end of a run dequeues no run that has to wait, none of another node, and none under a lost lease", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const none = { isHeld: true, next: undefined }
      const one = turning()
      const elsewhere = { ...one, run_id: runId(), node: newId("node") }
      const behind = { ...one, run_id: runId() }
      for (const run of [one, elsewhere, behind]) yield* isWaiting(run)
      const lost = { ...ending(one), attempt: 2 }
      assert.deepStrictEqual(yield* runs.finishAndDequeue(lost, one.node), { isHeld: false, next: undefined })
      assert.deepStrictEqual(yield* runs.finishAndDequeue(ending(one), one.node), none, "the next one is elsewhere")
      assert.deepStrictEqual(yield* turnsOf(elsewhere), [elsewhere.run_id])

      const two = turning()
      const [blind, waits] = [{ ...two, run_id: runId(), isSerialized: false }, { ...two, run_id: runId() }]
      for (const run of [two, blind, waits]) yield* isWaiting(run)
      assert.deepStrictEqual(
        yield* runs.finishAndDequeue(ending(two), two.node),
        none,
        "another one executes before it"
      )
      assert.strictEqual(yield* statusOf(waits), "PENDING")

      const three = turning()
      const cancelled = { ...three, run_id: runId() }
      const last = { ...three, run_id: runId() }
      for (const run of [three, cancelled, last]) yield* isWaiting(run)
      const end = ending(cancelled, { run: { status: "CANCELLED" } })
      assert.deepStrictEqual(yield* runs.finishAndDequeue(end, three.node), none, "the first one executes")
      assert.strictEqual((yield* runs.finishAndDequeue(ending(three), three.node)).next?.run_id, last.run_id)
    }))

  it.effect("many sessions whose runs end at once are each given their next run", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const firsts = Array.from({ length: 20 }, () => turning({ node }))
      const nexts = firsts.map((run) => ({ ...run, run_id: runId(), history: 1 }))
      for (const run of [...firsts, ...nexts]) yield* isWaiting(run)
      const finished = yield* Effect.forEach(
        firsts,
        (run) => runs.finishAndDequeue(ending(run, { run: { messages: talk(run.run_id, "a") } }), node),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(finished.map(({ next }) => next?.run_id), nexts.map(({ run_id }) => run_id))
      assert.deepStrictEqual(
        finished.map(({ next }) => next?.begun?.history[0]?.content),
        firsts.map(({ run_id }) => run_id)
      )
    }))
}
