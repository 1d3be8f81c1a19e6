// Shared by steps with nested steps. The decision of an author's function is journalled before it takes effect, so a
// replay takes the same path.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect } from "effect"
import type { StepFailure } from "../execute/StepFailure.ts"
import { childPath } from "../execute/StepPath.ts"
import type { StepAt, WorkflowExecution } from "../execute/WorkflowExecution.ts"
import { Failed, type Interruption } from "../pause/Interruption.ts"

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
