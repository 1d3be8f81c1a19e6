// Fails evaluations that have not ended and have no job anymore. One repeating job of each database.
import { Effect } from "effect"
import * as JobKind from "../jobs/JobKind.ts"
import { now } from "../now.ts"
import { EvalRunStore } from "./EvalRunStore.ts"
import * as EvaluationJob from "./EvaluationJob.ts"
import { abandonedAtOnce } from "./EvaluationLimits.ts"

/** Seconds before a stored evaluation is checked. */
const patience = 60

const error = "Its job ended without a result. The log of the service says why"

export const kind = Effect.gen(function*() {
  const store = yield* EvalRunStore
  return JobKind.repeating({
    name: "abandoned_evaluations",
    every: "1 minute",
    handle: Effect.fnUntraced(function*() {
      for (;;) {
        const before = (yield* now) - patience
        const count = yield* store.failAbandoned({ kind: EvaluationJob.name, before, error })
        if (count > 0) yield* Effect.logWarning(`${count} evaluation(s) had no job anymore, and are failed now`)
        if (count < abandonedAtOnce) break
      }
    })
  })
})
