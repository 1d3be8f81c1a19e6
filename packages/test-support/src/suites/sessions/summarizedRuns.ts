// Which runs a summary covers: not those without memory, from before an erasure, or whose run is not whole.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { pieceLimits } from "@svc-runtime/engine/session/SessionSummaries"
import { Effect } from "effect"
import { ending, newRun, sessionId, talk, userId } from "../Samples.ts"
import { at, isNone, newSummary, next, questionsIn, runIn, runsIn, summarize } from "./SummarizedSessions.ts"

/** The next execution of a paused run completes it. */
const continued = Effect.fnUntraced(function*(begun: NewRun, question: string) {
  const runs = yield* RunStore
  yield* runs.resume({ run_id: begun.run_id, attempt: 1, node: "node", entry: undefined })
  yield* runs.finish(ending(begun, { attempt: 2, run: { messages: talk(question, "Done") } }))
})

/** A session whose first run is paused, with a later one that has completed. */
const pausedBefore = Effect.fnUntraced(function*(question: string) {
  const runs = yield* RunStore
  const paused = newRun()
  const id = paused.session_id
  yield* runs.create(paused)
  yield* runs.finish(ending(paused, { run: { status: "PAUSED", messages: talk("early", "") } }))
  yield* runsIn({ session_id: id }, question)
  return { id, paused }
})

export const summarizedRuns = (it: Vitest.MethodsNonLive<SessionStore | RunStore>) => {
  it.effect("a summary of runs before an erasure is not stored, and later summaries leave these runs out", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const [user_id, other] = [userId(), userId()]
      const id = yield* runsIn({ user_id }, "one")
      const kept = yield* runsIn({ user_id: other }, "one")
      const [from, ofOther] = [yield* next(id), yield* next(kept)]
      yield* store.removeSummaries(user_id)
      assert.isFalse(yield* summarize(newSummary(id, from, "Too late")))
      assert.isTrue(yield* summarize(newSummary(kept, ofOther, "Kept")))
      assert.isTrue(yield* isNone(id))
      yield* runsIn({ session_id: id, user_id }, "two")
      assert.deepStrictEqual(questionsIn(yield* next(id)), ["two"])
    }))

  it.effect("runs without memory are neither summarized nor counted, and do not hold up the others", () =>
    Effect.gen(function*() {
      const id = sessionId()
      const silent = { session_id: id, isWithoutMemory: true }
      yield* runsIn(silent, ...Array.from({ length: pieceLimits.runs }, (_, place) => `silent ${place}`))
      yield* runsIn({ session_id: id }, "one")
      yield* runsIn(silent, "last")
      const skipped = yield* next(id, { runs: 50, bytes: 100_000 })
      assert.deepStrictEqual(skipped.messages, [])
      assert.isTrue(yield* summarize({ ...newSummary(id, skipped, ""), summary: null }))
      assert.isTrue(yield* isNone(id, { runs: 2, bytes: 100_000 }))
      const piece = yield* next(id)
      assert.deepStrictEqual(questionsIn(piece), ["one"])
      assert.isTrue(yield* summarize(newSummary(id, piece, "One")))
      assert.isTrue(yield* isNone(id))
    }))

  it.effect("a run that completes after later runs were summarized is part of the next summary, once", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { id, paused } = yield* pausedBefore("one")
      assert.isTrue(yield* summarize(newSummary(id, yield* next(id), "One")))
      assert.isTrue(yield* isNone(id))
      yield* continued(paused, "early")
      yield* runsIn({ session_id: id }, "two")
      const later = yield* next(id)
      assert.deepStrictEqual(questionsIn(later), ["early", "two"])
      assert.isTrue(yield* summarize(newSummary(id, later, "All")))
      assert.isTrue(yield* isNone(id))
      const copy = sessionId()
      yield* runs.fork({ source: id, session_id: copy, filter: { owner: Owner.anyone }, created_at: at })
      assert.isTrue(yield* isNone(copy))
    }))

  it.effect("a run that completes while later runs are summarized is part of the next summary, also of a copy", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { id, paused } = yield* pausedBefore("one")
      const piece = yield* next(id)
      yield* continued(paused, "early")
      assert.isTrue(yield* summarize(newSummary(id, piece, "One")))
      const copy = sessionId()
      yield* runs.fork({ source: id, session_id: copy, filter: { owner: Owner.anyone }, created_at: at })
      for (const each of [id, copy]) {
        const later = yield* next(each)
        assert.deepStrictEqual(questionsIn(later), ["early"])
        assert.isTrue(yield* summarize(newSummary(each, later, "Both")))
        assert.isTrue(yield* isNone(each))
      }
    }))

  it.effect("a copy of a run from before an erasure, and a run that replaces it, are not summarized", () =>
    Effect.gen(function*() {
      const [runs, store] = [yield* RunStore, yield* SessionStore]
      const user_id = userId()
      const paused = newRun({ user_id })
      const id = paused.session_id
      yield* runIn(newRun({ user_id, session_id: id }), "old")
      yield* runs.create(paused)
      yield* runs.finish(ending(paused, { run: { status: "PAUSED", messages: talk("paused", "") } }))
      yield* store.removeSummaries(user_id)
      const [copy, again] = [sessionId(), sessionId()]
      const filter = { owner: Owner.anyone }
      yield* runs.fork({ source: id, session_id: copy, filter, created_at: at })
      yield* runs.fork({ source: copy, session_id: again, filter, created_at: at })
      for (const each of [id, copy, again]) {
        const replacing = yield* runIn(newRun({ user_id, session_id: each, replaces: paused.run_id }), "paused")
        yield* runIn(newRun({ user_id, session_id: each, replaces: replacing.run_id }), "paused")
        assert.isTrue(yield* isNone(each))
        yield* runsIn({ session_id: each, user_id }, "new")
        assert.deepStrictEqual(questionsIn(yield* next(each)), ["new"])
      }
    }))

  it.effect("a run that replaces one without memory is not summarized", () =>
    Effect.gen(function*() {
      const silent = yield* runIn(newRun({ isWithoutMemory: true }), "silent")
      yield* runsIn({ session_id: silent.session_id, replaces: silent.run_id }, "silent")
      assert.isTrue(yield* isNone(silent.session_id))
    }))
}
