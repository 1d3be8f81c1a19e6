// What is kept of a session, and how it changes and goes.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { awkward, ending, filled, newId, newRun, session, sessionId, talk, userId } from "../Samples.ts"
import { chatOf, create, find, idsOf } from "./Sessions.ts"

export const persistence = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a session is stored as it was created", () =>
    Effect.gen(function*() {
      const [empty, full] = [session(), filled()]
      yield* create(empty, full)
      assert.deepStrictEqual(yield* find(empty.session_id), empty)
      assert.deepStrictEqual(yield* find(full.session_id), full)
    }))

  it.effect("a name that is longer than a key of an index is stored", () =>
    Effect.gen(function*() {
      // nothing that a database can compress
      const session_name = Array.from({ length: 1000 }, () => crypto.randomUUID()).join("")
      const named = session({ session_name })
      yield* create(named)
      assert.strictEqual((yield* find(named.session_id)).session_name, session_name)
    }))

  it.effect("model requests that belong to no run are added to the metrics of a session", () =>
    Effect.gen(function*() {
      const [stored, other] = [session({ session_metrics: { input_tokens: 1 } }), session()]
      yield* create(stored, other)
      const store = yield* SessionStore
      const request = { role: "memory_model", model: { id: "m", provider: "p" }, usage: { input_tokens: 2 } }
      for (const id of [stored.session_id, stored.session_id, sessionId()]) yield* store.addUsage(id, request, 1)
      assert.deepStrictEqual((yield* find(stored.session_id)).session_metrics, {
        input_tokens: 5,
        details: { memory_model: [{ id: "m", provider: "p", input_tokens: 4 }] }
      })
      assert.deepStrictEqual(yield* find(other.session_id), other)
    }))

  it.effect("a state keeps the order of its keys", () =>
    Effect.gen(function*() {
      const stored = filled()
      yield* create(stored)
      const found = yield* find(stored.session_id)
      assert.strictEqual(JSON.stringify(found.session_state), JSON.stringify(stored.session_state))
    }))

  it.effect("a used id is refused, whatever user has it, and the stored session stays as it is", () =>
    Effect.gen(function*() {
      const stored = filled()
      yield* create(stored)
      const store = yield* SessionStore
      for (const user_id of [stored.user_id, userId(), null]) {
        const error = yield* Effect.flip(
          store.create(session({ session_id: stored.session_id, user_id, session_type: "team" }))
        )
        assert.strictEqual(error._tag, "SessionExists")
      }
      assert.deepStrictEqual(yield* find(stored.session_id), stored)
    }))

  it.effect("an unknown id is not found", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const id = sessionId()
      assert.isTrue(Option.isNone(yield* store.find(id, Owner.anyone)))
      for (
        const failing of [store.getConversation(id, Owner.anyone), store.update(id, Owner.anyone, { updated_at: 1 })]
      ) {
        const error = yield* Effect.flip(failing)
        assert.deepStrictEqual([error._tag, error._tag === "SessionNotFound" && error.session_id], [
          "SessionNotFound",
          id
        ])
      }
    }))

  it.effect("a patch replaces whole fields, leaves the rest, and always sets updated_at", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const stored = filled()
      yield* create(stored)
      const id = stored.session_id
      const patches = [
        {},
        { session_name: "Work" },
        { session_name: "" },
        { session_state: { only: "this" } },
        { metadata: {} },
        { summary: { summary: "Shorter." } },
        { session_name: "All", session_state: {}, metadata: { a: [1] }, summary: { summary: "", topics: [] } },
        { session_name: undefined, session_state: undefined, metadata: undefined, summary: undefined }
      ]
      for (const [place, patch] of patches.entries()) {
        const updated_at = stored.updated_at + place + 1
        const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
        const expected = { ...yield* find(id), ...given, updated_at }
        assert.deepStrictEqual((yield* store.update(id, Owner.anyone, { ...patch, updated_at })).session, expected)
        assert.deepStrictEqual(yield* find(id), expected)
      }
    }))

  it.effect("a patch of the state keeps the fields that it names as they are stored", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const kept_state = ["plan", "absent"]
      const cases = [
        {
          before: { plan: { level: 1 }, old: 1 },
          sent: { color: "blue" },
          after: { color: "blue", plan: { level: 1 } }
        },
        { before: { plan: null }, sent: {}, after: { plan: null } },
        { before: { old: 1 }, sent: { color: "blue" }, after: { color: "blue" } },
        { before: null, sent: { color: "blue" }, after: { color: "blue" } },
        { before: { plan: 1, old: 1 }, sent: undefined, after: { plan: 1, old: 1 } }
      ]
      for (const { after, before, sent } of cases) {
        const stored = filled({ session_state: before })
        yield* create(stored)
        const patch = { session_state: sent, kept_state, updated_at: 1_800_000_000 }
        const { session } = yield* store.update(stored.session_id, Owner.anyone, patch)
        assert.deepStrictEqual(session, { ...stored, session_state: after, updated_at: 1_800_000_000 })
        assert.deepStrictEqual(yield* find(stored.session_id), session)
      }
    }))

  it.effect("the summaries of a user's sessions are removed and counted, and all else stays", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const [user_id, other] = [userId(), userId()]
      const [first, second] = [
        filled({ session_id: sessionId(), user_id }),
        filled({ session_id: sessionId(), user_id })
      ]
      const kept = [
        session({ user_id }),
        ...[other, null].map((user_id) => filled({ session_id: sessionId(), user_id }))
      ]
      yield* create(first, second, ...kept)
      assert.strictEqual(yield* store.removeSummaries(user_id), 2)
      for (const stored of [first, second]) {
        assert.deepStrictEqual(yield* find(stored.session_id), { ...stored, summary: null })
      }
      for (const stored of kept) assert.deepStrictEqual(yield* find(stored.session_id), stored)
      assert.strictEqual(yield* store.removeSummaries(user_id), 0)
    }))

  it.effect("sessions are removed with all that is in them, and unknown ids are ignored", () =>
    Effect.gen(function*() {
      const [store, runs] = [yield* SessionStore, yield* RunStore]
      const [first, second, kept] = [newRun(), newRun(), newRun()]
      for (const run of [first, second, kept]) {
        yield* runs.create(run)
        yield* runs.finish(ending(run, { events: [], run: { messages: talk("Question", "Answer") } }))
      }
      yield* store.remove([], Owner.anyone)
      yield* store.remove([first.session_id, sessionId(), second.session_id, first.session_id], Owner.anyone)
      for (const { run_id, session_id } of [first, second]) {
        assert.isTrue(Option.isNone(yield* store.find(session_id, Owner.anyone)))
        assert.isTrue(Option.isNone(yield* runs.list(session_id, { owner: Owner.anyone })))
        assert.isTrue(Option.isNone(yield* runs.find(session_id, run_id, { owner: Owner.anyone })))
      }
      assert.strictEqual(chatOf(yield* store.getConversation(kept.session_id, Owner.anyone)).length, 3)
      // the ids are free again, and bring nothing back
      yield* runs.create(first)
      assert.deepStrictEqual(chatOf(yield* store.getConversation(first.session_id, Owner.anyone)), [])
    }))

  it.effect("texts that are difficult for a database are stored and found", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const readable = (text: string | null) => text?.toWellFormed().replaceAll(/[\0\ufffd]/g, "")
      for (const text of awkward) {
        const stored = filled({
          session_id: sessionId(),
          user_id: userId(newId(text)),
          agent_id: newId(text),
          session_name: text,
          derived_name: text,
          session_state: { [text]: text },
          session_metrics: { details: { [text]: [{ id: text, provider: text, input_tokens: 1 }] } },
          component_data: { text },
          metadata: { [text]: [text] },
          summary: { summary: text }
        })
        yield* create(stored)
        assert.strictEqual((yield* Effect.flip(store.create(stored)))._tag, "SessionExists")
        const owner = Owner.user(stored.user_id!)
        const found = yield* Effect.fromOption(yield* store.find(stored.session_id, owner))
        const { component_data, metadata, session_state, summary } = stored
        const shown = { session_state: found.session_state, metadata: found.metadata, summary: found.summary }
        assert.deepStrictEqual(shown, { session_state, metadata, summary })
        assert.deepStrictEqual(found.component_data, component_data)
        assert.strictEqual(readable(found.session_name), readable(text))
        assert.strictEqual(readable(found.agent_id), readable(stored.agent_id))
        const [listed] = yield* idsOf({ owner, componentId: stored.agent_id!, name: text })
        assert.strictEqual(listed, found.session_id)
        const { session: renamed } = yield* store.update(stored.session_id, owner, {
          session_name: text,
          updated_at: 9
        })
        assert.deepStrictEqual(renamed, { ...found, updated_at: 9 })
        yield* store.remove([stored.session_id], owner)
        assert.isTrue(Option.isNone(yield* store.find(stored.session_id, Owner.anyone)))
      }
    }))

  it.effect("an id is never taken for another one because of characters that cannot be stored", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const own = session({ user_id: userId() })
      yield* create(own)
      assert.isTrue(Option.isNone(yield* store.find(own.session_id, Owner.user(userId(`${own.user_id}\0`)))))
      assert.isTrue(Option.isNone(yield* store.find(sessionId(`${own.session_id}\0`), Owner.anyone)))
      assert.isTrue(Option.isNone(yield* store.find(sessionId(`\0${own.session_id}`), Owner.user(own.user_id!))))
    }))

  it.effect("large values are stored and found", () =>
    Effect.gen(function*() {
      const stored = filled({ session_state: { text: "x".repeat(1 << 20) } })
      yield* create(stored)
      assert.deepStrictEqual(yield* find(stored.session_id), stored)
    }))
}
