// What a workflow does, without what stands around it: its steps in their order, or its one function.
import type { StepOutput } from "@svc/domain"
import { Effect } from "effect"
import { plain } from "./elements.ts"
import type { Before, Execution } from "./Execution.ts"
import * as FunctionStep from "./FunctionStep.ts"
import { Broken, type Halt } from "./Halt.ts"
import * as Outputs from "./Outputs.ts"
import { top } from "./Place.ts"
import * as Sequence from "./Sequence.ts"
import * as StateDraft from "./StateDraft.ts"

export interface Root {
  /** In front of the keys of its steps. */
  readonly key: string
  /** The id of the step that it is, if it is one. */
  readonly parent: string | undefined
  /** Filled as the steps end: what there is of it when the run is cut off. */
  readonly results?: Array<StepOutput.StepOutput>
}

const fresh = (): Before => ({ previous: undefined, outputs: Outputs.make(), iteration: undefined, additional: {} })

const callable = Effect.fnUntraced(function*(
  execution: Execution,
  { key, results = [] }: Root,
  run: NonNullable<Execution["workflow"]["run"]>
) {
  const { journal, state, workflow } = execution
  const node = plain(workflow.name, { type: "function", name: workflow.name, run, effects: "idempotent" })
  const place = top(0)
  const known = journal.finished(`${key}0`)?.output
  if (known !== undefined && known !== null) return [known]
  const performed = yield* Effect.mapError(
    FunctionStep.perform(execution, node, place, fresh(), { name: workflow.name, run }),
    (failure) => new Broken(failure)
  )
  const { output } = performed
  yield* journal.append({
    type: "finished",
    key: `${key}0`,
    output,
    ...(performed.state === undefined ? {} : { state: performed.state })
  })
  StateDraft.apply(state, performed.state)
  results.push(output)
  return results
})

export const run = (
  execution: Execution,
  root: Root
): Effect.Effect<ReadonlyArray<StepOutput.StepOutput>, Halt> => {
  const { run, steps } = execution.workflow
  if (run !== undefined) return callable(execution, root, run)
  const place = (index: number) => ({ ...top(index, root.parent), key: `${root.key}${index}` })
  return Sequence.run(execution, steps, place, fresh(), root.results)
}
