// The body of a workflow: its steps in order, or its one function.
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import { Effect } from "effect"
import * as FunctionStep from "./define/FunctionStep.ts"
import type { StepNode } from "./define/Node.ts"
import * as Sequence from "./define/Sequence.ts"
import { anonymousStep } from "./define/toNodes.ts"
import * as Attempt from "./execute/Attempt.ts"
import * as ChangedSteps from "./execute/ChangedSteps.ts"
import * as Outputs from "./execute/Outputs.ts"
import * as StateDraft from "./execute/StateDraft.ts"
import type * as StepKey from "./execute/StepKey.ts"
import { top } from "./execute/StepPath.ts"
import type { StepAt, StepCompletion, StepContext, WorkflowExecution } from "./execute/WorkflowExecution.ts"
import { Failed, type Interruption } from "./pause/Interruption.ts"

export interface Root {
  /** Of the keys of its steps. */
  readonly prefix: StepKey.Prefix
  /** The step id of a nested workflow. */
  readonly parent: string | undefined
  /** Filled as steps end: the partial result of an interrupted run. */
  readonly results?: Array<StepOutput.StepOutput>
}

const fresh = (): StepContext => ({
  previous: undefined,
  outputs: Outputs.make(),
  iteration: undefined,
  item: undefined,
  additional: {},
  userInput: undefined
})

/** One attempt. It is not made if an earlier one started and its outcome is unknown. */
const attempt = Effect.fnUntraced(function*(
  { execution, node, place }: StepAt<StepNode>,
  run: NonNullable<WorkflowExecution["workflow"]["body"]>,
  round: number
): Effect.fn.Return<StepCompletion | "retry", Interruption> {
  const known = Attempt.failedBefore(execution, place, round)
  const tried = known === undefined
    ? Effect.andThen(
      Attempt.attemptStep({ execution, node, place }, round),
      FunctionStep.perform({ before: fresh(), execution, node, place }, { name: node.name, run })
    )
    : Effect.fail(known)
  return yield* Effect.catchTag(
    tried,
    "StepFailure",
    (failure) => Attempt.settle({ execution, node, place }, failure, round)
  )
})

const callable = Effect.fnUntraced(function*(
  execution: WorkflowExecution,
  { prefix, results = [] }: Root,
  run: NonNullable<WorkflowExecution["workflow"]["body"]>
) {
  const { journal, state, workflow } = execution
  const node = anonymousStep(workflow.name, { type: "function", name: workflow.name, run, effects: "once" })
  const place = top(0, undefined, prefix)
  journal.begin(place.key, ChangedSteps.bodyOf(workflow))
  const known = journal.finished(place.key)?.output
  if (known !== undefined && known !== null) {
    results.push(known)
    return results
  }
  let performed: StepCompletion | "retry" = "retry"
  for (let round = 0; performed === "retry"; round++) performed = yield* attempt({ execution, node, place }, run, round)
  const { output } = performed
  yield* journal.append({
    kind: "finished",
    key: place.key,
    output,
    ...(performed.state === undefined ? {} : { state: performed.state })
  })
  StateDraft.apply(state, performed.state)
  results.push(output)
  return results
})

export const run = (
  execution: WorkflowExecution,
  root: Root
): Effect.Effect<ReadonlyArray<StepOutput.StepOutput>, Interruption> => {
  const { body, steps } = execution.workflow
  const problem = ChangedSteps.problemIn(execution.journal, execution.workflow, root.prefix)
  if (problem !== undefined) return Effect.fail(new Failed({ message: problem, error_type: "Diverged" }))
  if (body !== undefined) return callable(execution, root, body)
  const place = (index: number) => top(index, root.parent, root.prefix)
  return Sequence.run(execution, steps, place, fresh(), root.results)
}
