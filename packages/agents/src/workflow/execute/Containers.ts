// Steps that execute their steps in sequence, in parallel, or on a condition.
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import { Effect } from "effect"
import { beside, broken, children, decided } from "../define/Container.ts"
import * as FunctionStep from "../define/FunctionStep.ts"
import type { ConditionNode, ParallelNode, StepsNode } from "../define/Node.ts"
import * as Sequence from "../define/Sequence.ts"
import type { Interruption } from "../pause/Interruption.ts"
import * as Given from "./Given.ts"
import * as StepKey from "./StepKey.ts"
import * as StepOutputs from "./StepOutputs.ts"
import { about, emitWorkflowEvent, type StepCall } from "./WorkflowExecution.ts"

export const steps = Effect.fnUntraced(
  function*({ before, execution, node, place }: StepCall<StepsNode>) {
    const here = about({ execution, node, place })
    const steps_count = node.steps.length
    if (!execution.journal.hasStarted(place.key)) {
      emitWorkflowEvent(execution, { event: "StepsExecutionStarted", ...here, steps_count })
    }
    const results = yield* Sequence.run(execution, node.steps, children({ execution, node, place }), before)
    emitWorkflowEvent(execution, {
      event: "StepsExecutionCompleted",
      ...here,
      steps_count,
      executed_steps: results.length,
      step_results: results
    })
    return StepOutputs.summary(
      { execution, node, place },
      `Steps ${node.name} completed with ${results.length} results`,
      results
    )
  }
)

const section = (isSuccess: boolean, name: string, text: string): string =>
  `### ${isSuccess ? "✅ SUCCESS" : "❌ FAILURE"}: ${name}\n${text}`

export const parallel = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall<ParallelNode>
): Effect.fn.Return<StepOutput.StepOutput, Interruption> {
  const here = about({ execution, node, place })
  const parallel_step_count = node.steps.length
  if (!execution.journal.hasStarted(place.key)) {
    emitWorkflowEvent(execution, { event: "ParallelExecutionStarted", ...here, parallel_step_count })
  }
  const at = children({ execution, node, place })
  const ended = yield* beside(
    { execution, node, place },
    node.steps,
    (inside, step, index) => inside.execute({ before, execution: inside, node: step, place: at(index) }),
    "unbounded"
  )
  const results = ended.filter((output) => output !== null)
  emitWorkflowEvent(execution, {
    event: "ParallelExecutionCompleted",
    ...here,
    parallel_step_count,
    step_results: results
  })
  const sections = ended.flatMap((output, index) => {
    if (output !== null) return [section(output.success, output.step_name, Given.textOf(output))]
    const { [index]: left } = node.steps
    const why = left && StepOutputs.leftOut({ execution, node: left, place: at(index) })
    return left === undefined || why === undefined ? [] : [section(false, left.name, why)]
  })
  const content = ["## Parallel Execution Results", ...sections].join("\n\n")
  return {
    ...StepOutputs.container({ execution, node, place }, content, results),
    steps: results,
    executor_type: "parallel",
    executor_name: node.name
  }
})

export const condition = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall<ConditionNode>,
  forced: "else" | undefined
) {
  const here = about({ execution, node, place })
  const isFresh = !execution.journal.hasStarted(place.key)
  const evaluated = Effect.mapError(
    FunctionStep.decideWhether({ before, execution, node, place }, node.evaluate),
    broken
  )
  const condition_result = yield* decided(
    execution,
    StepKey.choice(place.key),
    forced === "else" ? Effect.succeed(false) : evaluated
  )
  if (isFresh) emitWorkflowEvent(execution, { event: "ConditionExecutionStarted", ...here, condition_result })
  const [nodes, name, section] = condition_result
    ? [node.steps, "if", {}] as const
    : [node.elseSteps, "else", { branch: "else" }] as const
  const results = yield* Sequence.run(execution, nodes, children({ execution, node, place }, section), before)
  const hasRun = nodes.length > 0
  emitWorkflowEvent(execution, {
    event: "ConditionExecutionCompleted",
    ...here,
    condition_result,
    executed_steps: results.length,
    ...(hasRun ? { branch: name } : {}),
    step_results: results
  })
  const content = hasRun
    ? `Condition ${node.name} completed with ${results.length} results (${name} branch)`
    : `Condition ${node.name} not met - skipped ${node.steps.length} steps`
  return StepOutputs.summary({ execution, node, place }, content, results)
})
