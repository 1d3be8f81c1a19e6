// The summaries of sessions: what they are made from, and which of two is kept.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { pieceLimits } from "@svc-runtime/engine/session/SessionSummaries"
import { Effect, Option } from "effect"
import { ending, message, newRun, runId, sessionId, talk, userId } from "../Samples.ts"
import { find } from "./Sessions.ts"
import { at, isNone, newSummary, next, one, questionsIn, runIn, runsIn, summarize } from "./SummarizedSessions.ts"

const summaryOf = (id: Session.Id) => Effect.map(find(id), ({ summary }) => summary?.summary)

export const summaries = (it: Vitest.MethodsNonLive<SessionStore | RunStore>) => {
  it.effect("a summary is made from the messages of users and assistants in completed runs, and covers each run once", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const id = yield* runsIn({ user_id: userId() }, "one", "two")
      const first = yield* next(id)
      assert.deepStrictEqual(first.messages, [
        { role: "user", content: "one", from_history: false },
        { role: "assistant", content: "Answer to one", from_history: false },
        { role: "user", content: "two", from_history: false },
        { role: "assistant", content: "Answer to two", from_history: false }
      ])
      assert.deepInclude(first, { summary: null, isRunIncluded: false })
      const before = yield* find(id)
      const summary = newSummary(id, first, "Counted to two.")
      assert.isTrue(yield* summarize(summary))
      assert.deepStrictEqual(yield* find(id), { ...before, summary: summary.summary })
      assert.deepStrictEqual(yield* store.findSummary(id, runId()), Option.some(summary.summary))
      assert.isTrue(yield* isNone(id))
      yield* runsIn({ session_id: id, user_id: before.user_id }, "three")
      const second = yield* next(id)
      assert.deepStrictEqual(questionsIn(second), ["three"])
      assert.deepStrictEqual(second.summary, summary.summary)
      assert.isAbove(second.first, first.last)
    }))

  it.effect("a session is due for a summary after enough runs, or after enough bytes", () =>
    Effect.gen(function*() {
      const id = yield* runsIn({}, "one", "two")
      assert.isTrue(yield* isNone(id, { runs: 3, bytes: 100_000 }))
      assert.isFalse(yield* isNone(id, { runs: 2, bytes: 100_000 }))
      assert.isFalse(yield* isNone(id, { runs: 3, bytes: 100 }))
      assert.isTrue(yield* isNone(sessionId()))
    }))

  it.effect("runs that failed, and runs in other runs, are not summarized", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const failed = newRun()
      yield* runs.create(failed)
      yield* runs.finish(ending(failed, { run: { status: "ERROR", messages: talk("failed", "") } }))
      const inner = newRun({ session_id: failed.session_id })
      yield* runs.create(inner)
      yield* runs.finish(ending(inner, { run: { parent_run_id: failed.run_id, messages: talk("inner", "") } }))
      assert.isTrue(yield* isNone(failed.session_id))
    }))

  it.effect("runs after one that has not ended wait for it, and the run that asks is no such run", () =>
    Effect.gen(function*() {
      const [runs, store] = [yield* RunStore, yield* SessionStore]
      const id = yield* runsIn({}, "one")
      const running = newRun({ session_id: id })
      yield* runs.create(running)
      yield* runsIn({ session_id: id }, "two")
      assert.deepStrictEqual(questionsIn(yield* next(id)), ["one"])
      const unsummarized = yield* Effect.flatMap(store.unsummarized(id, one, running.run_id), Effect.fromOption)
      assert.deepStrictEqual(questionsIn(unsummarized), ["one", "two"])
      assert.isFalse(unsummarized.isRunIncluded)
      yield* runs.finish(ending(running, { run: { messages: talk("late", "") } }))
      const last = newRun({ session_id: id })
      yield* runs.create(last)
      const own = yield* Effect.flatMap(store.unsummarized(id, one, last.run_id), Effect.fromOption)
      assert.deepStrictEqual(questionsIn(own), ["one", "late", "two"])
      assert.isTrue(own.isRunIncluded)
      assert.isTrue(yield* summarize(newSummary(id, own, "All.")))
      yield* runs.finish(ending(last, { run: { messages: talk("last", "") } }))
      assert.isTrue(yield* isNone(id))
    }))

  it.effect("many runs are summarized in pieces of bounded size, oldest first, and one large run is a piece", () =>
    Effect.gen(function*() {
      const id = sessionId()
      const large = "x".repeat(pieceLimits.bytes / 2)
      yield* runIn(newRun({ session_id: id }), "one", large)
      yield* runIn(newRun({ session_id: id }), "two", large.repeat(6))
      yield* runsIn({ session_id: id }, "three")
      const found: Array<string | undefined> = []
      for (const text of ["first", "second", "third"]) {
        const piece = yield* next(id)
        found.push(...questionsIn(piece))
        assert.strictEqual(questionsIn(piece).length, 1)
        assert.isTrue(yield* summarize(newSummary(id, piece, text)))
      }
      assert.deepStrictEqual(found, ["one", "two", "three"])
      assert.isTrue(yield* isNone(id))
    }))

  it.effect("the last messages of a very large run are read", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = newRun()
      yield* runs.create(begun)
      const texts = Array.from({ length: 40 }, (_, place) => `${place}: ${"x".repeat(20_000)}`)
      yield* runs.finish(ending(begun, { run: { messages: texts.map((text) => message("user", text)) } }))
      const { messages } = yield* next(begun.session_id)
      assert.isAtMost(messages.length, 13)
      assert.strictEqual(messages.at(-1)?.content, texts.at(-1))
    }))

  it.effect("the first of two summaries that are made from the same one is kept, also if a person made it", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const id = yield* runsIn({}, "one")
      const from = yield* next(id)
      const results = yield* Effect.all(
        ["first", "second"].map((text) => summarize(newSummary(id, from, text))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.filter(Boolean).length, 1)
      yield* runsIn({ session_id: id }, "two")
      const later = yield* next(id)
      yield* store.update(id, Owner.anyone, { summary: { summary: "By a person." }, updated_at: at })
      assert.isFalse(yield* summarize(newSummary(id, later, "third")))
      assert.strictEqual(yield* summaryOf(id), "By a person.")
      const again = yield* next(id)
      assert.deepStrictEqual(questionsIn(again), ["two"])
      assert.strictEqual(again.summary?.summary, "By a person.")
      assert.isTrue(yield* summarize(newSummary(id, again, "fourth")))
      assert.strictEqual(yield* summaryOf(id), "fourth")
    }))

  it.effect("a copy of a session has its summary, which covers the same runs", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const id = yield* runsIn({}, "one", "two")
      assert.isTrue(yield* summarize(newSummary(id, yield* next(id), "Both")))
      yield* runsIn({ session_id: id }, "three")
      const copy = sessionId()
      const filter = { owner: Owner.anyone }
      assert.isTrue(Option.isSome(yield* runs.fork({ source: id, session_id: copy, filter, created_at: at })))
      const piece = yield* next(copy)
      assert.deepStrictEqual(questionsIn(piece), ["three"])
      assert.strictEqual(piece.summary?.summary, "Both")
    }))

  it.effect("a session without a summary, and one that does not exist, have none", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const id = yield* runsIn({}, "one")
      for (const each of [id, sessionId()]) assert.isTrue(Option.isNone(yield* store.findSummary(each, runId())))
      const gone = { session_id: sessionId(), user_id: null, version: "", first: 1, last: 1, covered: [1], at }
      assert.isFalse(yield* summarize({ ...gone, summary: { summary: "None" } }))
      assert.isTrue(Option.isNone(yield* store.unsummarized(id, { runs: 9, bytes: 1_000_000 }, runId())))
    }))
}
