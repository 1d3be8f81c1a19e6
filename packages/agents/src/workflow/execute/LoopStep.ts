// A step that repeats its steps, until its limit, the author's function or a person ends it.
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import { Effect } from "effect"
import { broken, children, decided } from "../define/Container.ts"
import * as FunctionStep from "../define/FunctionStep.ts"
import type { LoopNode } from "../define/Node.ts"
import * as Sequence from "../define/Sequence.ts"
import * as HumanReview from "../pause/HumanReview.ts"
import type { Interruption } from "../pause/Interruption.ts"
import * as Given from "./Given.ts"
import * as StepKey from "./StepKey.ts"
import * as StepOutputs from "./StepOutputs.ts"
import { about, emitWorkflowEvent, type StepAt, type StepCall, type StepContext } from "./WorkflowExecution.ts"

type Outputs = ReadonlyArray<StepOutput.StepOutput>

/** Whether an iteration was the last, by the author's function or by a person. */
const isEnough = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall<LoopNode>,
  results: Outputs
): Effect.fn.Return<boolean, Interruption> {
  const { endCondition } = node
  if (endCondition === undefined) return false
  const condition = FunctionStep.decideWhether(
    { before, execution, node, place },
    (input) => endCondition(results, input)
  )
  return yield* decided(execution, place.key, Effect.mapError(condition, broken))
})

const isReviewedEnough = Effect.fnUntraced(function*(
  { execution, node, place }: StepAt<LoopNode>,
  iteration: number,
  results: Outputs
): Effect.fn.Return<boolean, Interruption> {
  const pause = node.iterationReview
  if (pause === undefined || iteration >= node.maxIterations) return false
  const verdict = yield* HumanReview.reviewAfter({ execution, node, place }, {
    key: StepKey.iterationReview(place.key, iteration),
    // the iterations have their own limit
    pause: { ...pause, maxRetries: node.maxIterations },
    round: iteration - 1,
    output: results.at(-1)?.content ?? null,
    feedback: null
  })
  return verdict._tag !== "Again"
})

export const loop = Effect.fnUntraced(
  function*({ before, execution, node, place }: StepCall<LoopNode>) {
    const { journal } = execution
    const here = about({ execution, node, place })
    const max_iterations = node.maxIterations
    if (!journal.hasStarted(place.key)) {
      emitWorkflowEvent(execution, { event: "LoopExecutionStarted", ...here, max_iterations })
    }
    const all: Array<Outputs> = []
    let { previous } = before
    for (let iteration = 1; iteration <= max_iterations; iteration++) {
      const counted = { ...here, iteration, max_iterations }
      const round: StepContext = { ...before, previous, iteration }
      if (!journal.hasStarted(StepKey.iteration(place.key, iteration))) {
        emitWorkflowEvent(execution, { event: "LoopIterationStarted", ...counted })
      }
      const results = yield* Sequence.run(
        execution,
        node.steps,
        children({ execution, node, place }, { iteration }),
        round
      )
      all.push(results)
      const last = results.at(-1)
      if (last !== undefined) previous = Given.of(last)
      // the event was shown already if the journal has a later entry
      const end = StepKey.iterationEnd(place.key, iteration)
      const isShown = journal.chosen(end) !== undefined ||
        journal.requirementOf(StepKey.iterationReview(place.key, iteration)) !== undefined ||
        journal.hasStarted(StepKey.iteration(place.key, iteration + 1))
      const isOver = yield* isEnough(
        { before: { ...round, previous }, execution, node, place: { ...place, key: end } },
        results
      )
      const stop = results.some((output) => output.stop)
      if (!isShown) {
        emitWorkflowEvent(execution, {
          event: "LoopIterationCompleted",
          ...counted,
          iteration_results: results,
          should_continue: !isOver && !stop
        })
      }
      if (isOver || stop || (yield* isReviewedEnough({ execution, node, place }, iteration, results))) break
    }
    emitWorkflowEvent(execution, {
      event: "LoopExecutionCompleted",
      ...here,
      total_iterations: all.length,
      max_iterations,
      all_results: all
    })
    const results = all.flat()
    const content = `Loop ${node.name} completed ${all.length} iterations with ${results.length} total steps`
    return StepOutputs.summary({ execution, node, place }, content, results)
  }
)
