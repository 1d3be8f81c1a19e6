// The job that looks at all rollouts of a service.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Effect, Layer, Option } from "effect"
import type * as Rollout from "../Rollout.ts"
import * as RolloutGuards from "../RolloutGuards.ts"
import { Rollouts } from "../Rollouts.ts"
import { RolloutStore } from "../RolloutStore.ts"
import * as VersionFigures from "../VersionFigures.ts"
import { rollout } from "./RolloutStoreSuite.ts"

const stores = Layer.mergeAll(
  InMemory.RolloutStore,
  InMemory.FeedbackStore,
  Layer.succeed(Rollouts, Rollouts.of({ changed: Effect.void, latest: () => Effect.succeedNone }))
).pipe(Layer.provide(MemoryDatabase.layer))

const unreadable = Effect.fail(new StorageUnavailable({ cause: "The statement fails" }))

describe("the job of guards", () => {
  it.effect("a rollout that cannot be measured does not keep the guards of the others from looking", () =>
    Effect.gen(function*() {
      const stored = yield* RolloutStore
      const guarded = (): Rollout.Stored => ({ ...rollout(), guard: { max_error_rate: 0.1, min_runs: 1 } })
      const [broken, other] = [guarded(), guarded()]
      for (const each of [broken, other]) assert.strictEqual(yield* stored.create(each), "created")
      const store = RolloutStore.of({
        ...stored,
        figures: ({ component }) =>
          component.id === broken.component_id
            ? unreadable
            : Effect.succeed({ isComplete: true, figures: [{ ...VersionFigures.empty(2), failed: 5 }] }),
        // no guard has a limit of scores
        scores: () => unreadable
      })
      const { check } = yield* Effect.provideService(RolloutGuards.make, RolloutStore, store)
      yield* check
      const stateOf = ({ component_id }: Rollout.Stored) =>
        Effect.map(stored.latest(component_id), (found) => Option.getOrThrow(found).state)
      assert.strictEqual(yield* stateOf(broken), "active")
      assert.strictEqual(yield* stateOf(other), "stopped")
    }).pipe(Effect.provide(stores)))
})
