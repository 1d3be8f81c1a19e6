// The search of past sessions.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { type PastQuery, searchLimits, wordsOf } from "@svc-runtime/engine/session/SessionSummaries"
import { Effect, Option } from "effect"
import { ending, message, newId, newRun, session, sessionId, talk, userId } from "../Samples.ts"
import { create } from "./Sessions.ts"

interface Sample extends Partial<NewRun> {
  readonly texts: ReadonlyArray<readonly [question: string, answer: string]>
}

/** A session with runs. */
const stored = Effect.fnUntraced(function*({ texts, ...fields }: Sample) {
  const runs = yield* RunStore
  const session_id = fields.session_id ?? sessionId()
  for (const [question, answer] of texts) {
    const begun = newRun({ ...fields, session_id, derived_name: question })
    yield* runs.create(begun)
    yield* runs.finish(ending(begun, { run: { messages: talk(question, answer) } }))
  }
  return session_id
})

const search = (query: string, fields: Partial<PastQuery> & Pick<PastQuery, "user_id">) =>
  SessionStore.use((store) =>
    store.searchPast({
      kind: "agent",
      componentId: "assistant",
      current: sessionId(),
      words: wordsOf(query),
      sessions: 10,
      runs: 3,
      ...fields
    })
  )

const ids = (found: ReadonlyArray<{ readonly session_id: Session.Id }>) => found.map(({ session_id }) => session_id)

export const past = (it: Vitest.MethodsNonLive<SessionStore | RunStore>) => {
  it.effect("a search finds words in names, summaries and messages, in any case, those with most words first", () =>
    Effect.gen(function*() {
      const user_id = userId()
      const [paris, both, rome] = [
        yield* stored({ user_id, texts: [["Where is the Eiffel tower?", "In Paris"]] }),
        yield* stored({ user_id, texts: [["Trains to PARIS", "The eiffel is blue"], ["Thanks", "Gladly"]] }),
        yield* stored({ user_id, texts: [["Trains to Rome", "At noon"]] })
      ]
      const named = session({ user_id, agent_id: "assistant", session_name: "Eiffel", created_at: 1_600_000_000 })
      const summarized = session({
        user_id,
        agent_id: "assistant",
        summary: { summary: "They spoke of eiffel." },
        created_at: 1_500_000_000
      })
      yield* create(named, summarized)
      const found = yield* search("eiffel trains", { user_id })
      assert.deepStrictEqual(ids(found), [both, rome, paris, named.session_id, summarized.session_id])
      assert.deepStrictEqual(found[0]?.runs[0], "user: Trains to PARIS\nassistant: The eiffel is blue")
      assert.strictEqual(found[0]?.name, "Trains to PARIS")
      assert.strictEqual(found[4]?.summary?.summary, "They spoke of eiffel.")
      assert.deepStrictEqual(ids(yield* search("rome", { user_id })), [rome])
      assert.deepStrictEqual(yield* search("content", { user_id }), [])
      assert.strictEqual((yield* search("", { user_id, sessions: 2 })).length, 2)
    }))

  it.effect("a search finds sessions of its user with its component only, without the current one", () =>
    Effect.gen(function*() {
      const [user_id, other] = [userId(), userId()]
      const texts = [["Tea", "Green"]] as const
      const mine = yield* stored({ user_id, texts })
      const current = yield* stored({ user_id, texts })
      yield* stored({ user_id: other, texts })
      yield* stored({ user_id: null, texts })
      yield* stored({ user_id, component_id: newId("other"), texts })
      yield* stored({ user_id, kind: "team", texts })
      assert.deepStrictEqual(ids(yield* search("tea", { user_id, current })), [mine])
      assert.deepStrictEqual(yield* search("tea", { user_id: userId() }), [])
    }))

  it.effect("sessions from before an erasure are not found", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const user_id = userId()
      const old = yield* stored({ user_id, texts: [["Tea", "Green"]] })
      yield* store.removeSummaries(user_id)
      yield* stored({ user_id, session_id: old, texts: [["Tea", "Black"]] })
      const later = yield* stored({ user_id, texts: [["Tea", "White"]] })
      assert.deepStrictEqual(ids(yield* search("tea", { user_id })), [later])
    }))

  it.effect("a copy of a session from before an erasure is not found, and neither is a copy of it", () =>
    Effect.gen(function*() {
      const [runs, store] = [yield* RunStore, yield* SessionStore]
      const user_id = userId()
      const old = yield* stored({ user_id, texts: [["Tea", "Green"]] })
      yield* store.removeSummaries(user_id)
      const [copy, again] = [sessionId(), sessionId()]
      const filter = { owner: Owner.anyone }
      assert.isTrue(
        Option.isSome(yield* runs.fork({ source: old, session_id: copy, filter, created_at: 1_700_000_900 }))
      )
      assert.isTrue(
        Option.isSome(yield* runs.fork({ source: copy, session_id: again, filter, created_at: 1_700_000_900 }))
      )
      yield* stored({ user_id, session_id: copy, texts: [["Tea", "Black"]] })
      assert.deepStrictEqual(yield* search("tea", { user_id }), [])
    }))

  it.effect("runs without memory are not found, nor a name that was made from one", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const user_id = userId()
      const silent = yield* stored({ user_id, isWithoutMemory: true, texts: [["Secret tea", "Green"]] })
      const mixed = yield* stored({ user_id, isWithoutMemory: true, texts: [["Secret", "Hush"]] })
      yield* stored({ user_id, session_id: mixed, texts: [["Coffee", "Black"]] })
      const copy = sessionId()
      const filter = { owner: Owner.anyone }
      assert.isTrue(
        Option.isSome(yield* runs.fork({ source: silent, session_id: copy, filter, created_at: 1_700_000_900 }))
      )
      for (const words of ["secret", "tea", "hush"]) assert.deepStrictEqual(yield* search(words, { user_id }), [])
      const found = yield* search("", { user_id })
      assert.deepStrictEqual(ids(found), [mixed])
      assert.deepInclude(found[0]!, { name: "", runs: ["user: Coffee\nassistant: Black"] })
    }))

  it.effect("texts with U+0000, lone surrogates, quotes and percent signs neither fail nor match", () =>
    Effect.gen(function*() {
      const user_id = userId()
      yield* stored({ user_id, texts: [["Tea \0", "\ud800"], ["100% \"_\" \\", "x"]] })
      assert.strictEqual((yield* search("100", { user_id })).length, 1)
      assert.deepStrictEqual(yield* search("milk", { user_id }), [])
      const words = ["%", "_", "\"", "\\", "'", "\0"]
      yield* search("", { user_id, words })
    }))

  it.effect("a search gives a bounded number of sessions and runs, of bounded size", () =>
    Effect.gen(function*() {
      const user_id = userId()
      const texts = Array.from({ length: 4 }, (_, place) => [`Tea ${place}`, "x".repeat(4000)] as const)
      yield* Effect.forEach(Array.from({ length: 12 }), () => stored({ user_id, texts }))
      const found = yield* search("tea", { user_id, sessions: 1000, runs: 2 })
      assert.strictEqual(found.length, searchLimits.foundSessions)
      for (const { runs } of found) {
        assert.deepStrictEqual(runs.map((run) => run.slice(0, 11)), ["user: Tea 3", "user: Tea 2"])
        assert.isTrue(runs.every((run) => run.length <= searchLimits.runText))
      }
    }))

  it.effect("a search reads the newest runs up to a number of bytes", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [user_id, session_id] = [userId(), sessionId()]
      const size = searchLimits.messageBytes - 1000
      const count = Math.ceil(searchLimits.bytes / (10 * size)) + 2
      for (let index = 0; index < count; index++) {
        const begun = newRun({ user_id, session_id })
        const messages = Array.from({ length: 10 }, () => message("user", `run${index} ${"x".repeat(size - 10)}`))
        yield* runs.create(begun)
        yield* runs.finish(ending(begun, { run: { messages } }))
      }
      assert.strictEqual((yield* search(`run${count - 1}`, { user_id })).length, 1)
      assert.deepStrictEqual(yield* search("run0", { user_id }), [])
    }))
}
