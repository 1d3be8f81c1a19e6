// The end of a run, and its changes of the session.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Usage from "@svc-runtime/domain/Usage"
import * as UnrecoverableRun from "@svc-runtime/engine/run/engine/UnrecoverableRun"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, events, newRun, runId, talk } from "../Samples.ts"
import { begin } from "./begin.ts"

const findRun = ({ run_id, session_id }: NewRun) =>
  RunStore.use((store) => store.find(session_id, run_id, { owner: Owner.anyone })).pipe(
    Effect.flatMap(Effect.fromOption)
  )

const findSession = ({ session_id }: NewRun) =>
  SessionStore.use((store) => store.find(session_id, Owner.anyone)).pipe(Effect.flatMap(Effect.fromOption))

export const completion = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("an ended run is stored as it was answered, with its messages", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      for (const status of ["COMPLETED", "ERROR", "CANCELLED", "PAUSED"] as const) {
        const begun = yield* begin({ user_id: null })
        const { run, ...rest } = ending(begun, {
          run: {
            status,
            content: { zebra: 1, apple: [null, 2.5] },
            content_type: "Movie",
            session_state: { b: 1, a: 2 },
            metrics: { input_tokens: 1, duration: 0.5, details: { model: [{ id: "m", provider: "p" }] } },
            messages: talk("Question", "Answer"),
            metadata: { "": [] },
            tools: [],
            followups: ["More?"]
          }
        })
        yield* store.finish({ run, ...rest })
        assert.deepStrictEqual(yield* findRun(begun), { ...run, events: [] })
      }
    }))

  it.effect("a run without messages is shown without the key", () =>
    Effect.gen(function*() {
      const begun = yield* begin()
      yield* RunStore.use((store) => store.finish(ending(begun, { run: { messages: [] } })))
      assert.notProperty(yield* findRun(begun), "messages")
    }))

  it.effect("a run ends once: an end that is sent again changes nothing", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const begun = yield* begin()
      const end = ending(begun, {
        usage: { input_tokens: 1 },
        events: events(begun, 1),
        run: { messages: talk("Question", "Answer") }
      })
      yield* store.finish(end)
      const before = [yield* findRun(begun), yield* findSession(begun)]
      yield* store.finish(end)
      yield* store.finish({
        ...end,
        run: { ...end.run, status: "ERROR" },
        state_changes: { set: { late: true }, removed: [] },
        updated_at: 9
      })
      assert.deepStrictEqual([yield* findRun(begun), yield* findSession(begun)], before)
    }))

  it.effect("the messages of a failed run are replaced when it was continued, whether they are more or fewer", () =>
    Effect.gen(function*() {
      const [store, sessions] = [yield* RunStore, yield* SessionStore]
      for (const messages of [talk("q", "allowed").slice(0, 2), [...talk("q", "allowed"), ...talk("more", "yes")]]) {
        const begun = yield* begin()
        yield* store.finish(ending(begun, { run: { status: "ERROR", messages: talk("q", "forbidden") } }))
        yield* store.resume({ ...begun, attempt: 1, entry: undefined })
        yield* store.finish({ ...ending(begun, { run: { messages } }), attempt: 2 })
        assert.deepStrictEqual((yield* findRun(begun)).messages, messages)
        const { chat } = yield* sessions.getConversation(begun.session_id, Owner.anyone)
        assert.notInclude(chat, "forbidden")
        const next = yield* store.create(newRun({ session_id: begun.session_id, history: 1 }))
        assert.deepStrictEqual(next.history, messages.filter(({ role }) => role !== "system"))
      }
    }))

  it.effect("the usage of a failed run is added to its session once, however often it is continued", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const begun = yield* begin()
      const used = (input_tokens: number, cost: number): Usage.RunMetrics => ({
        input_tokens,
        cost,
        details: { model: [{ id: "m", provider: "p", input_tokens }] }
      })
      const ends = [
        ["ERROR", used(4, 0.25)],
        ["PAUSED", used(5, 0.5)],
        ["ERROR", used(6, 0.75)],
        ["COMPLETED", used(6, 0.75)]
      ] as const
      for (const [index, [status, usage]] of ends.entries()) {
        if (index > 0) yield* store.resume({ ...begun, attempt: index, entry: undefined })
        yield* store.finish({ ...ending(begun, { usage, run: { status } }), attempt: index + 1 })
      }
      assert.deepStrictEqual((yield* findSession(begun)).session_metrics, used(6, 0.75))
    }))

  it.effect("the usage of runs of one session that end at once is added up", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const used = (input_tokens: number): Usage.SessionMetrics => ({
        input_tokens,
        details: { model: [{ id: "m", provider: "p", input_tokens }] }
      })
      const first = yield* begin()
      const { session_id } = first
      const others = [yield* begin({ session_id }), yield* begin({ session_id })]
      yield* Effect.forEach(
        [first, ...others],
        (begun, index) => store.finish(ending(begun, { usage: used(index + 1) })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual((yield* findSession(first)).session_metrics, used(6))
    }))

  it.effect("a continued run that ends because it cannot be executed takes nothing from its session", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const ports = { lifecycle: store, runners: { messagesIn: () => Effect.succeed([]) }, spending: Option.none() }
      const metrics = (begun: NewRun) => Effect.map(findSession(begun), ({ session_metrics }) => session_metrics)
      const [before, after] = [{ input_tokens: 4, cost: 0.25 }, { input_tokens: 6, cost: 0.75 }]
      for (const status of ["ERROR", "PAUSED"] as const) {
        const begun = yield* begin()
        yield* store.finish(ending(begun, { usage: before, run: { status, metrics: before } }))
        yield* store.resume({ ...begun, attempt: 1, entry: undefined })
        const found = store.snapshot(begun.session_id, begun.run_id, { owner: Owner.anyone })
        yield* UnrecoverableRun.end(ports, yield* Effect.flatMap(found, Effect.fromOption), "No factory")
        assert.deepInclude(yield* findRun(begun), { status: "ERROR", content: "No factory", metrics: before })
        assert.deepStrictEqual(yield* metrics(begun), before)
        yield* store.resume({ ...begun, attempt: 2, entry: undefined })
        yield* store.finish({ ...ending(begun, { usage: after }), attempt: 3 })
        assert.deepStrictEqual(yield* metrics(begun), after)
      }
    }))

  it.effect("a run ends under its current attempt, also when a stale attempt ends it at the same moment", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const other = yield* begin()
      const begun = yield* begin()
      yield* store.finish(ending(begun, { run: { status: "PAUSED" } }))
      yield* store.resume({ ...begun, attempt: 1, entry: undefined })
      const held = yield* Effect.forEach(
        [ending(other), ending(begun, { run: { content: "late" } }), { ...ending(begun), attempt: 2 }],
        (end) => store.finish(end),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(held, [true, false, true])
      const { content, status } = yield* findRun(begun)
      assert.deepStrictEqual([content, status], ["Noon", "COMPLETED"])
    }))

  it.effect("nothing is stored of a run whose session was removed meanwhile, and there is no error", () =>
    Effect.gen(function*() {
      const [store, sessions] = [yield* RunStore, yield* SessionStore]
      const begun = yield* begin()
      yield* sessions.remove([begun.session_id], Owner.anyone)
      yield* store.finish(ending(begun, { events: events(begun, 1), run: { messages: talk("Question", "Answer") } }))
      assert.isTrue(Option.isNone(yield* sessions.find(begun.session_id, Owner.anyone)))
      assert.isTrue(Option.isNone(yield* store.find(begun.session_id, begun.run_id, { owner: Owner.anyone })))
      // a new session of the same id does not have it either
      yield* begin({ session_id: begun.session_id })
      assert.strictEqual((yield* sessions.getConversation(begun.session_id, Owner.anyone)).chat, "[]")
    }))

  it.effect("nothing is stored of a run that was not created", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const begun = yield* begin()
      const before = yield* findSession(begun)
      yield* store.finish(ending({ ...begun, run_id: runId() }, { usage: { input_tokens: 1 } }))
      assert.deepStrictEqual(yield* findSession(begun), before)
      assert.deepStrictEqual(
        Option.map(yield* store.list(begun.session_id, { owner: Owner.anyone }), (runs) => runs.length),
        Option.some(1)
      )
    }))

  it.effect("the events of a watched run are shown in their order, without the pieces of its answer", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      for (const pieces of [1, 2_000]) {
        const begun = yield* begin()
        const all = events(begun, pieces)
        yield* store.finish(ending(begun, { events: all }))
        const shown = all.filter(({ event }) => event !== "RunContent")
        assert.deepStrictEqual((yield* findRun(begun)).events, shown)
      }
    }))

  it.effect("the events of a run that was not watched are not shown", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const [unwatched, silent] = [yield* begin(), yield* begin()]
      yield* store.finish(ending(unwatched))
      yield* store.finish(ending(silent, { events: [] }))
      assert.deepStrictEqual((yield* findRun(unwatched)).events, [])
      assert.deepStrictEqual((yield* findRun(silent)).events, [])
    }))
}
