// Ends evaluations and experiments that would be executed forever: their job failed with its last node, or was
// removed. One repeating job of each database.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { now } from "@svc-runtime/engine/now"
import { Effect } from "effect"
import { EvalRunStore, type Orphaned } from "./EvalRunStore.ts"
import { orphanedAtOnce } from "./EvaluationLimits.ts"
import { ExperimentStore } from "./experiments/ExperimentStore.ts"

/** Seconds, in which an evaluation that was just stored is not checked. */
const gracePeriod = 60

const error = "Its job ended without a result. The log of the service says why"

interface Store {
  readonly failOrphaned: (orphaned: Orphaned) => Effect.Effect<number, StorageUnavailable>
}

const failAll = Effect.fnUntraced(function*({ failOrphaned }: Store, what: string) {
  for (;;) {
    const count = yield* failOrphaned({ before: (yield* now) - gracePeriod, error })
    if (count > 0) yield* Effect.logWarning(`${count} ${what}(s) had no job anymore, and are failed now`)
    if (count < orphanedAtOnce) break
  }
})

export const kind = Effect.gen(function*() {
  const [evalRuns, experiments] = [yield* EvalRunStore, yield* ExperimentStore]
  return JobKind.repeating({
    name: "abandoned_evaluations",
    every: "1 minute",
    handle: Effect.fnUntraced(function*() {
      yield* failAll(evalRuns, "evaluation")
      yield* failAll(experiments, "experiment")
    })
  })
})
