// What the end of a run changes in its session: the state and the usage.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Usage from "@svc-runtime/domain/Usage"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Schema } from "effect"
import * as Seed from "../../Seed.ts"
import * as Tier from "../../Tier.ts"
import { awkward, ending } from "../Samples.ts"
import { begin } from "./begin.ts"

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

export const sessionChanges = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
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

  it.effect("a session of runs that cost nothing has a cost of zero, and one without a known cost has none", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      for (const usage of [{ input_tokens: 2, cost: 0 }, { input_tokens: 2 }]) {
        const first = yield* begin()
        const second = yield* begin({ session_id: first.session_id })
        for (const begun of [first, second]) yield* store.finish(ending(begun, { usage }))
        assert.deepStrictEqual((yield* findSession(first)).session_metrics, { ...usage, input_tokens: 4 })
      }
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
    { arbitrary: { runs: Tier.size(20, 50), seed: Seed.seed } }
  )
}
