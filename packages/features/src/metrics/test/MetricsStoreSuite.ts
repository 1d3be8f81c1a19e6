// What every `MetricsStore` has to do. The tests share one database: each has days of its own.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { RunCompletion } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { ending, newId, newRun, runId, session, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as DayMetrics from "../DayMetrics.ts"
import { MetricsStore } from "../MetricsStore.ts"

let last = 10_000

/** A day that no other test uses, with a day without sessions before it. */
const newDay = () => last += 2

const ended = Effect.fnUntraced(function*(
  at: number,
  fields: Parameters<typeof newRun>[0] = {},
  end: Parameters<typeof ending>[1] = {}
) {
  const runs = yield* RunStore
  const begun = newRun({ created_at: at, ...fields })
  yield* runs.create(begun)
  assert.isTrue(yield* runs.finish(ending(begun, end)))
  return begun
})

const used = (usage: RunCompletion["usage"]) => ({ usage })

const refresh = Effect.fnUntraced(function*(day: number, at: number) {
  const id = newId("day")
  return Option.getOrUndefined(yield* (yield* MetricsStore).refresh({ day, id, at }))
})

export const suite = <E>(name: string, stores: Layer.Layer<MetricsStore | RunStore | SessionStore, E>) =>
  layer(stores, { excludeTestServices: true })(`MetricsStore, ${name}`, (it) => {
    it.effect("a day counts its sessions with all their runs, users, tokens and models", () =>
      Effect.gen(function*() {
        const [runs, sessions] = [yield* RunStore, yield* SessionStore]
        const day = newDay()
        const at = DayMetrics.startOf(day)
        const user = userId()
        const first = yield* ended(at, { user_id: user }, used({ input_tokens: 3, total_tokens: 5, cost: 0.5 }))
        // of another day, in a session of this one
        yield* ended(
          at + 200_000,
          { session_id: first.session_id, user_id: user },
          used({ output_tokens: 2, total_tokens: 2 })
        )
        const team = newRun({ kind: "team", component_id: "desk", user_id: user, created_at: at + 86_399 })
        yield* runs.create(team)
        const member = newRun({ created_at: at })
        yield* runs.recordMembers({ run_id: team.run_id, attempt: 1 }, [{
          ...Run.running({ ...member, session_id: team.session_id }),
          parent_run_id: team.run_id,
          status: "COMPLETED",
          model: "fixed",
          model_provider: "test"
        }])
        yield* sessions.create(session({ session_type: "workflow", workflow_id: "w", created_at: at }))
        yield* sessions.create(session({ created_at: at - 1 }))
        yield* ended(at, { user_id: userId(), evaluation: true }, used({ input_tokens: 9, total_tokens: 9 }))
        const computed = yield* refresh(day, at + 300_000)
        assert.deepStrictEqual({ ...computed, id: "" }, {
          id: "",
          day,
          agent_runs_count: 2,
          agent_sessions_count: 1,
          team_runs_count: 2,
          team_sessions_count: 1,
          workflow_runs_count: 0,
          workflow_sessions_count: 1,
          users_count: 1,
          token_metrics: {
            input_tokens: 3,
            output_tokens: 2,
            total_tokens: 7,
            audio_total_tokens: 0,
            audio_input_tokens: 0,
            audio_output_tokens: 0,
            cache_read_tokens: 0,
            cache_write_tokens: 0,
            reasoning_tokens: 0
          },
          model_metrics: [{ model_id: "fixed", model_provider: "test", count: 3 }],
          created_at: at + 300_000,
          updated_at: at + 300_000
        })
      }))

    it.effect("a day that is computed again keeps its id and when it was created", () =>
      Effect.gen(function*() {
        const day = newDay()
        const at = DayMetrics.startOf(day)
        yield* ended(at)
        const first = yield* refresh(day, at + 1)
        yield* ended(at)
        const second = yield* refresh(day, at + 2)
        assert.deepStrictEqual(second, {
          ...first!,
          agent_runs_count: 2,
          agent_sessions_count: 2,
          model_metrics: [{ model_id: "fixed", model_provider: "test", count: 2 }],
          updated_at: at + 2
        })
      }))

    it.effect("a day without sessions is not stored, and one that has lost them is removed", () =>
      Effect.gen(function*() {
        const [metrics, sessions] = [yield* MetricsStore, yield* SessionStore]
        const day = newDay()
        const at = DayMetrics.startOf(day)
        assert.isUndefined(yield* refresh(day, at))
        const { session_id } = yield* ended(at)
        assert.isDefined(yield* refresh(day, at))
        yield* sessions.remove([session_id], Owner.anyone)
        assert.include(yield* metrics.outdated(100_000), day)
        assert.isUndefined(yield* refresh(day, at))
        assert.deepStrictEqual(yield* metrics.list({ from: day, to: day }), { days: [], updated_at: null })
      }))

    it.effect("days are outdated from the newest incomplete day on, and when their sessions changed later", () =>
      Effect.gen(function*() {
        const [metrics, sessions] = [yield* MetricsStore, yield* SessionStore]
        const [before, newest] = [newDay(), newDay()]
        const old = yield* ended(DayMetrics.startOf(before))
        yield* ended(DayMetrics.startOf(newest))
        yield* Effect.forEach([before, newest], (day) => refresh(day, DayMetrics.startOf(newest) + 5), {
          discard: true
        })
        const outdated = Effect.map(
          metrics.outdated(newest),
          (days) => days.filter((day) => day === before || day === newest)
        )
        assert.deepStrictEqual(yield* outdated, [newest])
        // when it was computed the day was over
        yield* refresh(newest, DayMetrics.startOf(newest + 1))
        assert.deepStrictEqual(yield* outdated, [])
        const late = { session_id: old.session_id, created_at: DayMetrics.startOf(newest) }
        yield* ended(late.created_at, late)
        assert.deepStrictEqual(yield* outdated, [before])
        yield* refresh(before, DayMetrics.startOf(newest))
        assert.deepStrictEqual(yield* outdated, [])
        const request = { role: "memory_model", model: { id: "m", provider: "p" }, usage: { total_tokens: 1 } }
        yield* sessions.addUsage(old.session_id, request, DayMetrics.startOf(newest + 1))
        assert.deepStrictEqual(yield* outdated, [before])
      }))

    it.effect("days are listed in their order with the latest update of all days, or none if no day matches", () =>
      Effect.gen(function*() {
        const metrics = yield* MetricsStore
        const [one, other] = [newDay(), newDay()]
        yield* Effect.forEach([one, other], (day) => ended(DayMetrics.startOf(day)))
        const latest = DayMetrics.startOf(200_000)
        yield* refresh(other, latest)
        yield* refresh(one, 5)
        const both = yield* metrics.list({ from: one, to: other })
        assert.deepStrictEqual(both.days.map(({ day }) => day), [one, other])
        assert.strictEqual((yield* metrics.list({ from: one, to: one })).updated_at, latest)
        assert.deepStrictEqual(yield* metrics.list({ from: other + 1, to: other + 1 }), { days: [], updated_at: null })
        assert.isAbove((yield* metrics.list({ from: undefined, to: undefined })).days.length, 1)
      }))

    it.effect("the days of an owner are computed from the owner's sessions only", () =>
      Effect.gen(function*() {
        const metrics = yield* MetricsStore
        const day = newDay()
        const [ann, bob] = [userId(), userId()]
        const at = DayMetrics.startOf(day)
        yield* ended(at, { user_id: ann }, used({ total_tokens: 4 }))
        yield* ended(at, { user_id: bob }, used({ total_tokens: 9 }))
        yield* ended(at, { session_id: sessionId(), run_id: runId() }, used({ total_tokens: 1 }))
        const days = yield* metrics.compute(Owner.user(ann), { from: day, to: day })
        assert.deepStrictEqual(
          days.map(({ day, token_metrics, users_count }) => [day, token_metrics.total_tokens, users_count]),
          [[day, 4, 1]]
        )
        assert.deepStrictEqual(yield* metrics.compute(Owner.none, { from: day, to: day }), [])
      }))
  })
