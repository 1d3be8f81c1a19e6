// The end of a run, and its changes of the session.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc/domain/Owner"
import * as Usage from "@svc/domain/Usage"
import { type NewRun, RunStore } from "@svc/runtime/run/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import { Effect, Option, Schema } from "effect"
import { awkward, beginning, ending, events, runId, talk } from "../Samples.ts"
import { begin } from "./begin.ts"

const findRun = ({ run_id, session_id }: NewRun) =>
  RunStore.use((store) => store.find(session_id, run_id, { owner: Owner.anyone })).pipe(
    Effect.flatMap(Effect.fromOption)
  )

const findSession = ({ session_id }: NewRun) =>
  SessionStore.use((store) => store.find(session_id, Owner.anyone)).pipe(Effect.flatMap(Effect.fromOption))

const tokens = Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 })))
const money = Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e6 })))
const counters = {
  input_tokens: tokens,
  output_tokens: tokens,
  total_tokens: tokens,
  audio_input_tokens: tokens,
  audio_output_tokens: tokens,
  audio_total_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  reasoning_tokens: tokens,
  cost: money
} satisfies { readonly [K in keyof typeof Usage.counters]: unknown }

/** Few names, so that the same model comes again in one run and in the next. */
const name = Schema.Literals(["a", "b", ""])
const models = Schema.Array(Schema.Struct({ id: name, provider: name, ...counters }))
const AnyUsage = Schema.Struct({
  ...counters,
  duration: Schema.optionalKey(Schema.Finite),
  details: Schema.optionalKey(Schema.Struct({
    model: Schema.optionalKey(models),
    reasoning_model: Schema.optionalKey(models),
    "": Schema.optionalKey(models)
  }))
})

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

  it.effect("the changes of a run are merged into the state of its session, which stays as it is without any", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const first = yield* begin()
      yield* store.finish(
        ending(first, { state_changes: { set: { zebra: 1, apple: 2 }, removed: [] }, updated_at: 1_700_000_200 })
      )
      const kept = yield* findSession(first)
      assert.deepStrictEqual([JSON.stringify(kept.session_state), kept.updated_at], [
        "{\"zebra\":1,\"apple\":2}",
        1_700_000_200
      ])
      const second = yield* begin({ session_id: first.session_id })
      yield* store.finish(ending(second, { updated_at: 1_700_000_300 }))
      assert.deepStrictEqual(yield* findSession(first), { ...kept, updated_at: 1_700_000_300 })
      const third = yield* begin({ session_id: first.session_id })
      yield* store.finish(ending(third, {
        state_changes: { set: { apple: { deep: [1] }, new: null }, removed: ["zebra", "unknown"] }
      }))
      assert.strictEqual(
        JSON.stringify((yield* findSession(first)).session_state),
        "{\"apple\":{\"deep\":[1]},\"new\":null}"
      )
    }))

  it.effect("changes of the session state by others during a run are kept", () =>
    Effect.gen(function*() {
      const [store, sessions] = [yield* RunStore, yield* SessionStore]
      const first = yield* begin()
      const second = yield* begin({ session_id: first.session_id })
      yield* store.finish(ending(first, { state_changes: { set: { one: 1, both: 1 }, removed: [] } }))
      yield* sessions.update(first.session_id, Owner.anyone, {
        session_state: { one: 1, both: 1, patched: true },
        updated_at: 1_700_000_400
      })
      yield* store.finish(ending(second, { state_changes: { set: { both: 2 }, removed: [] } }))
      assert.deepStrictEqual((yield* findSession(first)).session_state, { one: 1, both: 2, patched: true })
    }))

  it.effect("the changes of runs that end at once are applied in the order of their ends", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const first = yield* begin()
      const others = yield* Effect.forEach(
        [1, 2, 3, 4],
        () => begin({ session_id: first.session_id })
      )
      yield* Effect.forEach(
        [first, ...others],
        (run, place) => store.finish(ending(run, { state_changes: { set: { [`of ${place}`]: place }, removed: [] } })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual((yield* findSession(first)).session_state, {
        "of 0": 0,
        "of 1": 1,
        "of 2": 2,
        "of 3": 3,
        "of 4": 4
      })
    }))

  it.effect("states with texts that are difficult for a database are merged, in keys and in values", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const first = yield* begin()
      const state = Object.fromEntries(awkward.map((text, place) => [text, { [text]: [text, place] }]))
      yield* store.finish(ending(first, { state_changes: { set: state, removed: [] } }))
      assert.deepStrictEqual((yield* findSession(first)).session_state, state)
      const second = yield* begin({ session_id: first.session_id })
      const [kept, replaced, ...removed] = awkward
      yield* store.finish(ending(second, { state_changes: { set: { [replaced]: "\u0000" }, removed } }))
      assert.deepStrictEqual((yield* findSession(first)).session_state, {
        [kept]: state[kept]!,
        [replaced]: "\u0000"
      })
    }))

  it.effect("the usage of a run is added to that of the session, as precisely as in the domain, and without time", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const first = yield* begin()
      const usages: ReadonlyArray<Usage.RunMetrics> = [
        { input_tokens: 1, cost: 0.1, duration: 3, time_to_first_token: 1 },
        { input_tokens: 2, cost: 0.2, duration: 3 },
        { output_tokens: 0, cost: 1e-7 },
        {}
      ]
      for (const [place, usage] of usages.entries()) {
        const begun = place === 0 ? first : yield* begin({ session_id: first.session_id })
        yield* store.finish(ending(begun, { usage }))
      }
      assert.deepStrictEqual((yield* findSession(first)).session_metrics, { input_tokens: 3, cost: 0.1 + 0.2 + 1e-7 })
    }))

  it.effect.prop(
    "usage is summed as in the domain",
    [Schema.Array(AnyUsage)],
    ([generated]) =>
      Effect.gen(function*() {
        const store = yield* RunStore
        // a zero has no sign in JSON
        const usages: ReadonlyArray<Usage.RunMetrics> = JSON.parse(JSON.stringify(generated))
        const first = yield* begin()
        for (const [place, usage] of usages.entries()) {
          const begun = place === 0 ? first : yield* begin({ session_id: first.session_id })
          yield* store.finish(ending(begun, { usage }))
        }
        assert.deepStrictEqual(
          (yield* findSession(first)).session_metrics,
          usages.reduce(Usage.addToSession, {})
        )
      }),
    { arbitrary: { runs: 50 } }
  )

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
        const next = yield* store.create(beginning({ session_id: begun.session_id, history: 1 }))
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
