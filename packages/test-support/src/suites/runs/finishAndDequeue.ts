// The end of a run that dequeues the next one of its session in the same statement.
import { assert, type Vitest } from "@effect/vitest"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"
import { ending, newId, runId, talk } from "../Samples.ts"
import { dequeue, isWaiting, queuedRun, statusOf } from "./QueuedRuns.ts"

export const finishAndDequeue = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a run that ends together with the dequeue of the next one leaves it what a later dequeue returns", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      for (const status of ["COMPLETED", "ERROR", "CANCELLED", "PAUSED"] as const) {
        const one = queuedRun()
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
          assert.deepStrictEqual(finished.next, { run_id, snapshot: begun }, `${status} ${index}`)
          executing = next
        }
      }
    }))

  it.effect("an end that is sent again dequeues no further run", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const one = queuedRun()
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
      const one = queuedRun()
      const elsewhere = { ...one, run_id: runId(), node: newId("node") }
      const behind = { ...one, run_id: runId() }
      for (const run of [one, elsewhere, behind]) yield* isWaiting(run)
      const lost = { ...ending(one), attempt: 2 }
      assert.deepStrictEqual(yield* runs.finishAndDequeue(lost, one.node), { isHeld: false, next: undefined })
      assert.deepStrictEqual(yield* runs.finishAndDequeue(ending(one), one.node), none, "the next one is elsewhere")
      assert.deepStrictEqual(yield* dequeue(elsewhere), [elsewhere.run_id])

      const two = queuedRun()
      const [blind, waits] = [{ ...two, run_id: runId(), isSerialized: false }, { ...two, run_id: runId() }]
      for (const run of [two, blind, waits]) yield* isWaiting(run)
      assert.deepStrictEqual(
        yield* runs.finishAndDequeue(ending(two), two.node),
        none,
        "another one executes before it"
      )
      assert.strictEqual(yield* statusOf(waits), "PENDING")

      const three = queuedRun()
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
      const firsts = Array.from({ length: 20 }, () => queuedRun({ node }))
      const nexts = firsts.map((run) => ({ ...run, run_id: runId(), history: 1 }))
      for (const run of [...firsts, ...nexts]) yield* isWaiting(run)
      const finished = yield* Effect.forEach(
        firsts,
        (run) => runs.finishAndDequeue(ending(run, { run: { messages: talk(run.run_id, "a") } }), node),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(finished.map(({ next }) => next?.run_id), nexts.map(({ run_id }) => run_id))
      assert.deepStrictEqual(
        finished.map(({ next }) => next?.snapshot?.history[0]?.content),
        firsts.map(({ run_id }) => run_id)
      )
    }))
}
