// The journal of a run: its finished steps, each stored with the events up to it.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, events, message, newRun, talk } from "../Samples.ts"
import { begin } from "./begin.ts"

const anyone = { owner: Owner.anyone }

const rest = ({ run_id, session_id }: NewRun) =>
  RunStore.use((runs) => Effect.flatMap(runs.snapshot(session_id, run_id, anyone), Effect.fromOption))

export const journal = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("the command of a run, its first event and its first entries are stored", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [first] = events(newRun(), 0)
      const command = { stream: true, options: { zebra: [1, null, "\u0000"] } }
      const begun = newRun({ command, startEvent: first, entries: [{ one: "\u0000" }, { two: [2] }] })
      yield* runs.create(begun)
      const found = yield* rest(begun)
      assert.deepStrictEqual(found.command, command)
      assert.deepStrictEqual(found.entries, [{ one: "\u0000" }, { two: [2] }])
      assert.strictEqual(found.eventCount, 1)
      assert.deepInclude(found, { attempt: 1, status: "RUNNING", isCancelRequested: false, kind: "agent" })
    }))

  it.effect("entries are stored in their order, with the events up to them, and each of them once", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin()
      const { run_id } = begun
      const happened = events(begun, 5)
      const first = { run_id, attempt: 1, position: 0, entry: { step: "one" }, events: happened.slice(0, 2) }
      assert.isTrue(yield* runs.record(first))
      // sent again, because its arrival was uncertain
      assert.isTrue(yield* runs.record(first))
      assert.isTrue(yield* runs.record({ ...first, position: 1, entry: { step: "two" }, events: happened.slice(1, 4) }))
      const found = yield* rest(begun)
      assert.deepStrictEqual(found.entries, [{ step: "one" }, { step: "two" }])
      assert.strictEqual(found.eventCount, 4)
    }))

  it.effect("the entries of many runs are stored at once, each as it is", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const many = yield* Effect.forEach(Array.from({ length: 20 }), () => begin())
      const gone = newRun()
      const stored = yield* Effect.forEach([...many, gone], ({ run_id }) =>
        runs.record({ run_id, attempt: 1, position: 0, entry: { run_id }, events: [] }), { concurrency: "unbounded" })
      assert.deepStrictEqual(stored, [
        ...many.map(() =>
          true
        ),
        false
      ])
      for (const begun of many) assert.deepStrictEqual((yield* rest(begun)).entries, [{ run_id: begun.run_id }])
    }))

  it.effect("the journal of a run that can be continued stays, and that of any other is removed", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      for (const status of ["PAUSED", "ERROR", "COMPLETED", "CANCELLED"] as const) {
        const begun = yield* begin({ command: { stream: false } })
        const { run_id } = begun
        yield* runs.record({ run_id, attempt: 1, position: 0, entry: { status }, events: [] })
        yield* runs.finish(ending(begun, { run: { status, messages: talk("q", "a") } }))
        const found = yield* rest(begun)
        const isKept = status === "PAUSED" || status === "ERROR"
        assert.deepStrictEqual([found.entries, found.command], isKept ? [[{ status }], { stream: false }] : [[], null])
        assert.isFalse(yield* runs.record({ run_id, attempt: 1, position: 1, entry: {}, events: [] }))
      }
    }))

  it.effect("the usage of a paused run is counted once, when it ends", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const begun = yield* begin()
      const usage = { input_tokens: 3 }
      const metrics = Effect.flatMap(
        sessions.find(begun.session_id, Owner.anyone),
        (found) => Effect.map(Effect.fromOption(found), ({ session_metrics }) => session_metrics)
      )
      const messages = [message("user", "q"), message("assistant", "may I?")]
      yield* runs.finish(ending(begun, { usage, run: { status: "PAUSED", messages } }))
      assert.deepStrictEqual(yield* metrics, {})
      yield* runs.resume({ run_id: begun.run_id, attempt: 1, node: "node", entry: undefined })
      const more = [...messages, message("assistant", "done")]
      yield* runs.finish({ ...ending(begun, { usage, run: { messages: more } }), attempt: 2 })
      assert.deepStrictEqual(yield* metrics, usage)
      const found = yield* Effect.flatMap(runs.find(begun.session_id, begun.run_id, anyone), Effect.fromOption)
      assert.deepStrictEqual(found.messages, more)
    }))

  it.effect("a journal is read with the earlier runs of the history", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const first = yield* begin()
      yield* runs.finish(ending(first, { run: { messages: talk("first", "1") } }))
      const reader = yield* begin({ session_id: first.session_id, history: 2 })
      const later = yield* begin({ session_id: first.session_id })
      yield* runs.finish(
        ending(later, { run: { messages: talk("later", "2") }, state_changes: { set: { seen: true }, removed: [] } })
      )
      const found = yield* rest(reader)
      assert.deepStrictEqual(found.history.map(({ content }) => content), ["first", "1"])
      assert.deepStrictEqual(found.session_state, { seen: true })
    }))

  it.effect("a journal is read only by an owner who covers the run", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin()
      const hidden = yield* runs.snapshot(begun.session_id, begun.run_id, { owner: Owner.none })
      assert.isTrue(Option.isNone(hidden))
      const other = { owner: Owner.anyone, component: { kind: "agent" as const, id: "other" } }
      assert.isTrue(Option.isNone(yield* runs.snapshot(begun.session_id, begun.run_id, other)))
    }))
}
