// Steps in sequence: each gets the result of the previous one. `stop` ends the sequence.
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import { Effect } from "effect"
import * as Given from "../execute/Given.ts"
import * as Outputs from "../execute/Outputs.ts"
import type { StepPath } from "../execute/StepPath.ts"
import type { StepContext, WorkflowExecution } from "../execute/WorkflowExecution.ts"
import type { Node } from "./Node.ts"

/** A skipped step has no result: the next one gets the skipped step's input. */
export const run = Effect.fnUntraced(function*(
  execution: WorkflowExecution,
  nodes: ReadonlyArray<Node>,
  placeOf: (index: number) => StepPath,
  before: StepContext,
  results: Array<StepOutput.StepOutput> = []
) {
  const outputs = Outputs.make(before.outputs)
  let { previous } = before
  for (const [index, node] of nodes.entries()) {
    const output = yield* execution.execute({
      before: { ...before, outputs, previous },
      execution,
      node,
      place: placeOf(index)
    })
    if (output === null) continue
    results.push(output)
    outputs.add(output)
    previous = Given.of(output)
    if (output.stop) break
  }
  return results
})
