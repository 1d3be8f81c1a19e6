// The events of a run as a log: stored while it executes, read from any index.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, events, newRun, runId, sessionId } from "../Samples.ts"
import * as Views from "../Views.ts"

const anyone = { owner: Owner.anyone }
const all = { after: -1, limit: 1000 }

const read = ({ run_id, session_id }: NewRun, range = all) =>
  RunStore.use((runs) => Effect.map(runs.readEvents(session_id, run_id, anyone, range), Option.getOrUndefined))

const indexes = (found: { readonly events: ReadonlyArray<RunEvent.RunEvent> } | undefined) =>
  found?.events.map(({ event_index }) => event_index)

export const eventLog = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("events are read while the run executes, and completely when it has ended, without gap and repeat", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = newRun()
      yield* runs.create(begun)
      assert.deepStrictEqual(yield* read(begun), { status: "RUNNING", count: 0, events: [] })
      const happened = events(begun, 5)
      const { run_id } = begun
      yield* runs.appendEvents([{ run_id, attempt: 1, events: happened.slice(0, 3) }])
      assert.deepStrictEqual(yield* read(begun), { status: "RUNNING", count: 3, events: happened.slice(0, 3) })
      yield* runs.appendEvents([{ run_id, attempt: 1, events: happened.slice(1, 4) }])
      assert.deepStrictEqual(indexes(yield* read(begun)), [0, 1, 2, 3])
      yield* runs.finish(ending(begun, { events: happened.slice(2) }))
      assert.deepStrictEqual(yield* read(begun), { status: "COMPLETED", count: happened.length, events: happened })
      yield* runs.appendEvents([{ run_id, attempt: 1, events: [{ ...happened[0]!, event_index: 1000 }] }])
      assert.strictEqual((yield* read(begun))?.count, happened.length, "nothing follows the end")
    }))

  it.effect("events of many runs are stored at once", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const many = Array.from({ length: 5 }, () => newRun())
      yield* Effect.forEach(many, runs.create, { discard: true })
      yield* runs.appendEvents(
        many.map((begun, n) => ({ run_id: begun.run_id, attempt: 1, events: events(begun, n).slice(0, n + 1) }))
      )
      for (const [n, begun] of many.entries()) {
        const found = yield* read(begun)
        assert.deepStrictEqual(found?.events, events(begun, n).slice(0, n + 1))
      }
      yield* runs.appendEvents([])
      yield* runs.appendEvents([{ run_id: runId(), attempt: 1, events: events(many[0]!, 1) }])
    }))

  it.effect("events are read from any index, up to a limit", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = newRun()
      yield* runs.create(begun)
      const happened = events(begun, 8)
      yield* runs.finish(ending(begun, { events: happened }))
      const last = happened.length - 1
      assert.deepStrictEqual(indexes(yield* read(begun, { after: 2, limit: 3 })), [3, 4, 5])
      assert.deepStrictEqual(indexes(yield* read(begun, { after: last - 1, limit: 10 })), [last])
      assert.deepStrictEqual(indexes(yield* read(begun, { after: last, limit: 10 })), [])
      assert.deepStrictEqual(indexes(yield* read(begun, { after: 2 ** 31 - 1, limit: 10 })), [])
      for (const after of [2 ** 31, Number.MAX_SAFE_INTEGER]) {
        assert.deepStrictEqual(indexes(yield* read(begun, { after, limit: 10 })), [], "an index that no column has")
        const [polled] = yield* runs.pollEvents([{ run_id: begun.run_id, after }], 10)
        assert.deepStrictEqual(polled?.events, [])
      }
      assert.deepStrictEqual(indexes(yield* read(begun, { after: Number.MIN_SAFE_INTEGER, limit: 1 })), [0])
      assert.strictEqual((yield* read(begun, { after: 5, limit: 0 }))?.count, happened.length)
    }))

  it.effect("events of many runs are polled at once, each from its own index, with the status of the run", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [going, ended, empty] = [newRun(), newRun(), newRun()]
      yield* Effect.forEach([going, ended, empty], runs.create, { discard: true })
      const [some, all] = [events(going, 5).slice(0, 4), events(ended, 5)]
      yield* runs.appendEvents([{ run_id: going.run_id, attempt: 1, events: some }])
      yield* runs.finish(ending(ended, { events: all }))
      const polled = yield* runs.pollEvents([
        { run_id: going.run_id, after: 1 },
        { run_id: ended.run_id, after: -1 },
        { run_id: empty.run_id, after: -1 },
        { run_id: runId(), after: -1 }
      ], 3)
      const found = new Map(polled.map(({ run_id, ...rest }) => [run_id, rest]))
      assert.strictEqual(found.size, 3, "a run that is not there is left out")
      assert.deepStrictEqual(found.get(going.run_id), { status: "RUNNING", hasMore: false, events: some.slice(2) })
      assert.deepStrictEqual(found.get(ended.run_id), { status: "COMPLETED", hasMore: true, events: all.slice(0, 3) })
      assert.deepStrictEqual(found.get(empty.run_id), { status: "RUNNING", hasMore: false, events: [] })
      assert.deepStrictEqual(yield* runs.pollEvents([], 3), [])
    }))

  it.effect("no events are found of a run that does not exist, is in another session, or of another component", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = newRun()
      yield* runs.create(begun)
      const { run_id, session_id } = begun
      const component = { kind: "agent", id: "another" } as const
      assert.isTrue(Option.isNone(yield* runs.readEvents(session_id, runId(), anyone, all)))
      assert.isTrue(Option.isNone(yield* runs.readEvents(sessionId(), run_id, anyone, all)))
      assert.isTrue(Option.isNone(yield* runs.readEvents(undefined, run_id, { ...anyone, component }, all)))
      assert.isTrue(Option.isSome(yield* runs.readEvents(undefined, run_id, anyone, all)))
    }))

  it.effect("events are read only by an owner who covers the session", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const views = Views.make()
      for (const user_id of views.owners) {
        const begun = newRun({ user_id })
        yield* runs.create(begun)
        for (const { covered, owner, who } of views.all) {
          const found = yield* runs.readEvents(begun.session_id, begun.run_id, { owner }, all)
          assert.strictEqual(Option.isSome(found), covered.includes(user_id), who)
        }
      }
    }))
}
