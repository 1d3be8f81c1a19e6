// Steps in their order: each gets what the one before it gave. One that says stop is the last.
import { StepOutput } from "@svc/domain"
import { Effect } from "effect"
import type { Execution, StepContext } from "./Execution.ts"
import type { Node } from "./Node.ts"
import * as Outputs from "./Outputs.ts"
import type { StepPath } from "./StepPath.ts"

/** Those that were left out gave nothing, and the next one gets what they would have got. */
export const run = Effect.fnUntraced(function*(
  execution: Execution,
  nodes: ReadonlyArray<Node>,
  placeOf: (index: number) => StepPath,
  before: StepContext,
  results: Array<StepOutput.StepOutput> = []
) {
  const outputs = Outputs.make(before.outputs)
  let { previous } = before
  for (const [index, node] of nodes.entries()) {
    const output = yield* execution.execute(execution, node, placeOf(index), { ...before, outputs, previous })
    if (output === null) continue
    results.push(output)
    outputs.add(output)
    previous = StepOutput.deepest(output).content
    if (output.stop) break
  }
  return results
})
