// What every `RolloutStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Component from "@svc-runtime/domain/Component"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { ending, newId, newRun, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as Feedback from "../../feedback/Feedback.ts"
import { FeedbackStore } from "../../feedback/FeedbackStore.ts"
import * as Rollout from "../Rollout.ts"
import { RolloutStore } from "../RolloutStore.ts"

export const rollout = (component_id = newId("component")): Rollout.Stored =>
  Rollout.start({ versions: [{ version: 1, share: 90 }, { version: 2, share: 10 }], sticky: "user" }, {
    id: Rollout.Id.make(newId("rollout")),
    component_id: Component.Id.make(component_id),
    component_type: "agent",
    base_version: 1
  }, { at: 1_000, by: "ann" })

const page = { page: 1, limit: 10 }

interface Ended {
  readonly version?: number
  readonly status?: "COMPLETED" | "ERROR" | "CANCELLED" | "PAUSED"
  readonly seconds?: number
  readonly cost?: number
  readonly user_id?: ReturnType<typeof userId>
  readonly at?: number
  readonly evaluation?: boolean
}

/** A run that has ended, or waits. */
const ran = Effect.fnUntraced(function*(component_id: string, ended: Ended) {
  const { at = 2_000, cost, evaluation = false, seconds = 1, status = "COMPLETED", user_id, version } = ended
  const run = newRun({
    component_id,
    component_version: version,
    user_id: user_id ?? null,
    created_at: at - 1,
    evaluation
  })
  const runs = yield* RunStore
  yield* runs.create(run)
  const metrics = { input_tokens: 3, output_tokens: 1, total_tokens: 4, ...(cost === undefined ? {} : { cost }) }
  yield* runs.finish(ending(run, {
    run: { status, metrics: { ...metrics, duration: seconds } },
    usage: metrics,
    updated_at: at
  }))
  return run
})

export const suite = <E>(
  name: string,
  stores: Layer.Layer<FeedbackStore | RolloutStore | RunStore | SessionStore, E>
) =>
  layer(stores, { excludeTestServices: true })(`RolloutStore, ${name}`, (it) => {
    it.effect("a rollout is read as it was stored, and a component has one at most that is not ended", () =>
      Effect.gen(function*() {
        const [store, one] = [yield* RolloutStore, rollout()]
        assert.strictEqual(yield* store.create(one), "created")
        assert.deepStrictEqual(Option.getOrThrow(yield* store.latest(one.component_id)), one)
        assert.strictEqual(yield* store.create(rollout(one.component_id)), "taken")
        const ended = Rollout.end(one, "It is over \u00fc", { at: 1_010, by: null })
        assert.isTrue(yield* store.replace(ended))
        const next = rollout(one.component_id)
        assert.strictEqual(yield* store.create(next), "created")
        const { rollouts, total } = yield* store.list(one.component_id, page)
        assert.deepStrictEqual([rollouts, total], [[next, ended], 2])
        const open = (yield* store.open).filter(({ component_id }) => component_id === one.component_id)
        assert.deepStrictEqual(open, [next])
        assert.isTrue(Option.isNone(yield* store.latest(Component.Id.make("other"))))
      }))

    it.effect("the second of two changes of one revision is not made", () =>
      Effect.gen(function*() {
        const [store, one] = [yield* RolloutStore, rollout()]
        yield* store.create(one)
        const first = Rollout.end(one, "first", { at: 1_010, by: null })
        assert.isTrue(yield* store.replace(first))
        assert.isFalse(yield* store.replace(Rollout.end(one, "second", { at: 1_020, by: null })))
        assert.deepStrictEqual(Option.getOrThrow(yield* store.latest(one.component_id)), first)
      }))

    it.effect("figures are those of the runs of each version that ended in the time, for whom the caller sees", () =>
      Effect.gen(function*() {
        const [store, id, ann] = [yield* RolloutStore, newId("component"), userId()]
        for (const seconds of [1, 2, 3, 40]) yield* ran(id, { version: 1, seconds, cost: 0.25 })
        yield* ran(id, { version: 2, status: "ERROR", seconds: 5, user_id: ann })
        yield* ran(id, { version: 2, status: "CANCELLED" })
        yield* ran(id, { version: 2, status: "PAUSED" })
        yield* ran(id, { version: 2, evaluation: true })
        yield* ran(id, { version: 2, at: 3_000 })
        yield* ran(id, { version: 2, at: 999 })
        yield* ran(id, {})
        yield* ran(newId("component"), { version: 1 })
        const runs = { component: { id, kind: "agent" as const }, owner: Owner.anyone, since: 1_000, until: 3_000 }
        const tokens = { input_tokens: 3, output_tokens: 1, total_tokens: 4 }
        const failed = {
          version: 2,
          completed: 0,
          failed: 1,
          cancelled: 0,
          timed: 1,
          p50: 5000,
          p95: 5000,
          ...tokens,
          priced: 0,
          cost: 0
        }
        assert.deepStrictEqual(yield* store.figures(runs), {
          isComplete: true,
          figures: [{
            version: 1,
            completed: 4,
            failed: 0,
            cancelled: 0,
            timed: 4,
            p50: 2000,
            p95: 40_000,
            input_tokens: 12,
            output_tokens: 4,
            total_tokens: 16,
            priced: 4,
            cost: 1
          }, {
            ...failed,
            cancelled: 1,
            input_tokens: 6,
            output_tokens: 2,
            total_tokens: 8
          }]
        })
        const { figures } = yield* store.figures({ ...runs, owner: Owner.user(ann) })
        assert.deepStrictEqual(figures, [failed])
      }))

    it.effect("a run that another one replaces counts as it ended", () =>
      Effect.gen(function*() {
        const [store, runs, id] = [yield* RolloutStore, yield* RunStore, newId("component")]
        yield* ran(id, { version: 2 })
        for (const status of ["COMPLETED", "ERROR", "ERROR", "CANCELLED", "PAUSED"] as const) {
          const { run_id } = yield* ran(id, { version: 2, status })
          yield* runs.supersede(run_id, 2_500)
        }
        const { figures } = yield* store.figures({
          component: { id, kind: "agent" as const },
          owner: Owner.anyone,
          since: 1_000,
          until: 2_100
        })
        assert.deepStrictEqual(
          figures.map(({ cancelled, completed, failed, version }) => ({ version, completed, failed, cancelled })),
          [{ version: 2, completed: 2, failed: 2, cancelled: 1 }]
        )
      }))

    it.effect("scores have a mean for each version, key and source, in which a yes is 1, and labels have none", () =>
      Effect.gen(function*() {
        const [store, feedback, id] = [yield* RolloutStore, yield* FeedbackStore, newId("component")]
        const [one, other] = [yield* ran(id, { version: 1 }), yield* ran(id, { version: 1 })]
        const give = (
          { run_id }: typeof one,
          key: string,
          score: Feedback.Score,
          source: "scorer" | "user" = "user"
        ) =>
          feedback.put({
            id: Feedback.Id.make(newId("feedback")),
            run_id,
            user_id: null,
            source,
            key,
            score,
            comment: null,
            at: 1
          }, Owner.anyone)
        yield* give(one, "helpful", true)
        yield* give(other, "helpful", false)
        yield* give(one, "judge", 0.8, "scorer")
        yield* give(one, "tone", "warm")
        // of older versions of the service, which had no bound
        yield* give(one, "huge", 1.7e308)
        yield* give(other, "huge", 1.7e308)
        const runs = { component: { id, kind: "agent" as const }, owner: Owner.anyone, since: 1_000, until: 3_000 }
        const byKey = (yield* store.scores(runs)).toSorted((left, right) => left.key < right.key ? -1 : 1)
        assert.deepStrictEqual(byKey, [
          { version: 1, key: "helpful", source: "user", count: 2, runs: 2, mean: 0.5 },
          { version: 1, key: "huge", source: "user", count: 2, runs: 2, mean: Feedback.maxScore },
          { version: 1, key: "judge", source: "scorer", count: 1, runs: 1, mean: 0.8 },
          { version: 1, key: "tone", source: "user", count: 1, runs: 1, mean: null }
        ])
      }))
  })
