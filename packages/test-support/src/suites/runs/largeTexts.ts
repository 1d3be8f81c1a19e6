// Long texts of runs, such as uploaded files: they come back as they were, wherever they are read.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, events, message, newId, newRun, sessionId } from "../Samples.ts"

const anyone = { owner: Owner.anyone }

/** Of more than one part, with what is hard to store at its seams. */
const long = "ab\0c\ud83d\ude00".repeat(300_000)
const broken = "x\ud800".repeat(40_000)
/** What a reference of the store could look like. */
const forged = `\0svc-text:${"0".repeat(64)}:1:1`

const file = { id: "file", content: long, mime_type: "application/pdf" }

const begin = Effect.fnUntraced(function*(fields: Partial<NewRun> = {}) {
  const runs = yield* RunStore
  const begun = newRun({ input: { input_content: forged, files: [file] }, ...fields })
  const accepted = yield* runs.create(begun)
  return { accepted, begun }
})

const messages = [message("user", forged, { files: [file] }), message("assistant", broken)]

export const largeTexts = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a run with long texts is found, listed and taken over as it was", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const { begun } = yield* begin({ node, isSerialized: false })
      const { run_id, session_id } = begun
      const entry = { kind: "asked", before: messages, said: long }
      const [first] = events(begun, 1, broken)
      assert.isTrue(yield* runs.record({ run_id, attempt: 1, position: 0, entry, events: [first!] }))
      const found = Option.getOrThrow(yield* runs.find(session_id, run_id, anyone)) as Run.Output
      assert.deepStrictEqual(found.input, begun.input)
      const [listed] = Option.getOrThrow(yield* runs.list(session_id, anyone)) as ReadonlyArray<Run.Output>
      assert.deepStrictEqual(listed?.input, begun.input)
      const stored = Option.getOrThrow(yield* runs.snapshot(session_id, run_id, anyone))
      assert.deepStrictEqual(stored.entries, [entry as never])
      assert.deepStrictEqual((stored.output as Run.Output).input, begun.input)
    }))

  it.effect("the messages and events of an ended run have their long texts", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { begun } = yield* begin()
      const { run_id, session_id } = begun
      const happened = events(begun, 2, broken)
      assert.isTrue(yield* runs.finish(ending(begun, { events: happened, run: { messages, content: long } })))
      const found = Option.getOrThrow(yield* runs.find(session_id, run_id, anyone)) as Run.Output
      assert.deepStrictEqual(found.messages, messages)
      assert.strictEqual(found.content, long)
      const read = yield* runs.readEvents(undefined, run_id, anyone, { after: -1, limit: 100 })
      assert.deepStrictEqual(Option.getOrThrow(read).events, happened)
    }))

  it.effect("a later run is shown the long texts of an earlier one, up to a bound", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { begun } = yield* begin()
      yield* runs.finish(ending(begun, { run: { messages } }))
      const { accepted } = yield* begin({ session_id: begun.session_id, history: 1 })
      assert.deepStrictEqual(accepted.history, messages)
    }))

  it.effect("the chat of a session has its long texts", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const sessions = yield* SessionStore
      const { begun } = yield* begin()
      yield* runs.finish(ending(begun, { run: { messages } }))
      const { chat } = yield* sessions.getConversation(begun.session_id, Owner.anyone)
      assert.deepStrictEqual(JSON.parse(chat), messages)
    }))

  it.effect("a copy of a session keeps its long texts when the session is deleted", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const sessions = yield* SessionStore
      const { begun } = yield* begin()
      yield* runs.finish(ending(begun, { run: { messages, content: long } }))
      const copy = sessionId()
      const filter = { owner: Owner.anyone, component: { kind: "agent" as const, id: "assistant" } }
      assert.isTrue(
        Option.isSome(yield* runs.fork({ source: begun.session_id, session_id: copy, filter, created_at: 5 }))
      )
      yield* sessions.remove([begun.session_id], Owner.anyone)
      const [found] = Option.getOrThrow(yield* runs.list(copy, anyone)) as ReadonlyArray<Run.Output>
      assert.deepStrictEqual(found?.messages, messages)
      assert.strictEqual(found?.content, long)
    }))
}
