// Shared by steps with nested steps. The decision of an author's function is journalled before it takes effect, so a
// replay takes the same path.
import type * as Json from "@svc-runtime/domain/Json"
import * as Cancellation from "@svc-runtime/engine/run/engine/Cancellation"
import { Cause, Effect, Result } from "effect"
import type { StepFailure } from "../execute/StepFailure.ts"
import { childPath } from "../execute/StepPath.ts"
import type { StepAt, WorkflowExecution } from "../execute/WorkflowExecution.ts"
import { Failed, type Interruption, type Paused } from "../pause/Interruption.ts"
import * as WakeTime from "../pause/WakeTime.ts"

/** A decision function has no content to continue with: its failure fails the workflow. */
export const broken = (failure: StepFailure) => new Failed(failure)

/** The journalled decision, or a new one. */
export const decided = Effect.fnUntraced(function*<A extends Json.Value>(
  { journal }: WorkflowExecution,
  key: string,
  decide: Effect.Effect<A, Interruption>
) {
  const known = journal.chosen(key)
  if (known !== undefined) return known as A
  const choice = yield* decide
  yield* journal.append({ kind: "chosen", key, choice })
  return choice
})

export const children = ({ execution, place }: StepAt, options?: Parameters<typeof childPath>[3]) => {
  const parent = execution.idOf(place.path)
  return (index: number) => childPath(place, parent, index, options)
}

/** Concurrently. A paused one does not block the others. A failed one cancels their runs and interrupts them. */
export const beside = Effect.fnUntraced(function*<A, B>(
  { execution, node }: StepAt,
  all: ReadonlyArray<A>,
  run: (inside: WorkflowExecution, each: A, index: number) => Effect.Effect<B, Interruption>,
  concurrency: number | "unbounded"
): Effect.fn.Return<ReadonlyArray<B>, Interruption> {
  const inside = { ...execution, cancellation: Cancellation.inside(execution.cancellation) }
  const branch = (each: A, index: number): Effect.Effect<Result.Result<B, Paused>, Interruption> =>
    run(inside, each, index).pipe(
      Effect.map((output) => Result.succeed(output)),
      Effect.catchTag("Paused", (paused) => Effect.succeed(Result.fail(paused))),
      Effect.tapCause((cause) =>
        Effect.sync(() => {
          if (Cause.hasInterruptsOnly(cause)) return
          inside.cancellation.reason ??= `Another step of '${node.name}' ended the workflow`
        })
      )
    )
  const ended = yield* Effect.forEach(all, branch, { concurrency })
  const results: Array<B> = []
  const pauses: Array<Paused> = []
  for (const result of ended) {
    if (Result.isFailure(result)) pauses.push(result.failure)
    else results.push(result.success)
  }
  const shown = WakeTime.shownOf(pauses)
  return shown === undefined ? results : yield* WakeTime.earliest(shown, pauses)
})
