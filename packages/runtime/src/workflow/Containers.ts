// Steps with nested steps. The decision of an author's function is journalled before it takes effect, so a replay takes
// the same path.
import type * as Json from "@svc/domain/Json"
import * as Run from "@svc/domain/Run"
import type * as StepOutput from "@svc/domain/StepOutput"
import { Effect, Result } from "effect"
import { about, emitWorkflowEvent, type Execution, type StepContext } from "./Execution.ts"
import * as FunctionStep from "./FunctionStep.ts"
import * as HumanReview from "./HumanReview.ts"
import { Failed, type Interruption, type Paused } from "./Interruption.ts"
import type { ConditionNode, LoopNode, Node, ParallelNode, RouterNode, StepsNode } from "./Node.ts"
import * as Sequence from "./Sequence.ts"
import type { StepFailure } from "./StepFailure.ts"
import * as StepKey from "./StepKey.ts"
import * as StepOutputs from "./StepOutputs.ts"
import { inside, type StepPath } from "./StepPath.ts"

type Outputs = ReadonlyArray<StepOutput.StepOutput>

/** A decision function has no content to continue with: its failure fails the workflow. */
const broken = (failure: StepFailure) => new Failed(failure)

/** The journalled decision, or a new one. */
const decided = Effect.fnUntraced(function*<A extends Json.Value>(
  { journal }: Execution,
  key: string,
  decide: Effect.Effect<A, Interruption>
) {
  const known = journal.chosen(key)
  if (known !== undefined) return known as A
  const choice = yield* decide
  yield* journal.append({ kind: "chosen", key, choice })
  return choice
})

const children = (execution: Execution, node: Node, place: StepPath, options?: Parameters<typeof inside>[3]) => {
  const parent = execution.idOf(place.path)
  return (index: number) => inside(place, parent, index, options)
}

export const steps = Effect.fnUntraced(
  function*(execution: Execution, node: StepsNode, place: StepPath, before: StepContext) {
    const here = about(execution, node, place)
    const steps_count = node.steps.length
    if (!execution.journal.hasStarted(place.key)) {
      emitWorkflowEvent(execution, { event: "StepsExecutionStarted", ...here, steps_count })
    }
    const results = yield* Sequence.run(execution, node.steps, children(execution, node, place), before)
    emitWorkflowEvent(execution, {
      event: "StepsExecutionCompleted",
      ...here,
      steps_count,
      executed_steps: results.length,
      step_results: results
    })
    return StepOutputs.container(
      execution,
      node,
      place,
      `Steps ${node.name} completed with ${results.length} results`,
      results
    )
  }
)

const heading = ({ content, error, step_name, success }: StepOutput.StepOutput) =>
  `### ${success ? "✅ SUCCESS" : "❌ FAILURE"}: ${step_name}\n${
    success ? Run.textOf(content) : error ?? Run.textOf(content)
  }`

type Branch = Result.Result<StepOutput.StepOutput | null, Paused>

/** A paused branch does not block the others. */
const branch = (execution: Execution, node: Node, place: StepPath, before: StepContext) =>
  execution.execute(execution, node, place, before).pipe(
    Effect.map((output): Branch => Result.succeed(output)),
    Effect.catchTag("Paused", (paused) => Effect.succeed<Branch>(Result.fail(paused)))
  )

export const parallel = Effect.fnUntraced(function*(
  execution: Execution,
  node: ParallelNode,
  place: StepPath,
  before: StepContext
): Effect.fn.Return<StepOutput.StepOutput, Interruption> {
  const here = about(execution, node, place)
  const parallel_step_count = node.steps.length
  if (!execution.journal.hasStarted(place.key)) {
    emitWorkflowEvent(execution, { event: "ParallelExecutionStarted", ...here, parallel_step_count })
  }
  const at = children(execution, node, place)
  const ended = yield* Effect.forEach(
    node.steps,
    (step, index) => branch(execution, step, at(index), before),
    { concurrency: "unbounded" }
  )
  for (const result of ended) if (Result.isFailure(result)) return yield* result.failure
  const results = ended.flatMap((result) => Result.isSuccess(result) && result.success !== null ? [result.success] : [])
  emitWorkflowEvent(execution, {
    event: "ParallelExecutionCompleted",
    ...here,
    parallel_step_count,
    step_results: results
  })
  const content = ["## Parallel Execution Results", ...results.map(heading)].join("\n\n")
  return {
    ...StepOutputs.container(execution, node, place, content, results),
    executor_type: "parallel",
    executor_name: node.name
  }
})

export const condition = Effect.fnUntraced(function*(
  execution: Execution,
  node: ConditionNode,
  place: StepPath,
  before: StepContext,
  forced: "else" | undefined
) {
  const here = about(execution, node, place)
  const isFresh = !execution.journal.hasStarted(place.key)
  const evaluated = Effect.mapError(FunctionStep.decide(execution, node, place, before, node.evaluate), broken)
  const condition_result = yield* decided(
    execution,
    StepKey.choice(place.key),
    forced === "else" ? Effect.succeed(false) : Effect.map(evaluated, Boolean)
  )
  if (isFresh) emitWorkflowEvent(execution, { event: "ConditionExecutionStarted", ...here, condition_result })
  const [nodes, name, section] = condition_result
    ? [node.steps, "if", {}] as const
    : [node.elseSteps, "else", { branch: "else" }] as const
  const results = yield* Sequence.run(execution, nodes, children(execution, node, place, section), before)
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
  return StepOutputs.container(execution, node, place, content, results)
})

/** Whether an iteration was the last, by the author's function or by a person. */
const isEnough = Effect.fnUntraced(function*(
  execution: Execution,
  node: LoopNode,
  place: StepPath,
  before: StepContext,
  results: Outputs
): Effect.fn.Return<boolean, Interruption> {
  const { endCondition } = node
  if (endCondition === undefined) return false
  const asked = FunctionStep.decide(execution, node, place, before, (input) => endCondition(results, input))
  return yield* decided(execution, place.key, Effect.map(Effect.mapError(asked, broken), Boolean))
})

const isReviewedEnough = Effect.fnUntraced(function*(
  execution: Execution,
  node: LoopNode,
  place: StepPath,
  iteration: number,
  results: Outputs
): Effect.fn.Return<boolean, Interruption> {
  const pause = node.iterationReview
  if (pause === undefined || iteration >= node.maxIterations) return false
  const verdict = yield* HumanReview.reviewAfter(execution, node, place, {
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
  function*(execution: Execution, node: LoopNode, place: StepPath, before: StepContext) {
    const { journal } = execution
    const here = about(execution, node, place)
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
      const results = yield* Sequence.run(execution, node.steps, children(execution, node, place, { iteration }), round)
      all.push(results)
      const last = results.at(-1)
      if (last !== undefined) previous = last.content
      // the event was shown already if the journal has a later entry
      const end = StepKey.iterationEnd(place.key, iteration)
      const isShown = journal.chosen(end) !== undefined ||
        journal.requirementOf(StepKey.iterationReview(place.key, iteration)) !== undefined ||
        journal.hasStarted(StepKey.iteration(place.key, iteration + 1))
      const isOver = yield* isEnough(execution, node, { ...place, key: end }, { ...round, previous }, results)
      const stop = results.some((output) => output.stop)
      if (!isShown) {
        emitWorkflowEvent(execution, {
          event: "LoopIterationCompleted",
          ...counted,
          iteration_results: results,
          should_continue: !isOver && !stop
        })
      }
      if (isOver || stop || (yield* isReviewedEnough(execution, node, place, iteration, results))) break
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
    return StepOutputs.container(execution, node, place, content, results)
  }
)

const selectedBy = Effect.fnUntraced(function*(
  execution: Execution,
  node: RouterNode,
  place: StepPath,
  before: StepContext
): Effect.fn.Return<ReadonlyArray<string>, Interruption> {
  const { selection, selector } = node
  if (selection === undefined) {
    const given = yield* Effect.mapError(
      FunctionStep.decide(execution, node, place, before, (input) => selector?.(input) ?? []),
      broken
    )
    return FunctionStep.isNames(given) ? given : [String(given)]
  }
  const available_choices = node.choices.map(({ name }) => name)
  const requirement = {
    ...yield* HumanReview.requirementOf(execution, node, place, selection),
    requires_route_selection: true,
    user_input_message: selection.message ?? null,
    available_choices,
    allow_multiple_selections: selection.multiple
  }
  const answer = yield* HumanReview.requestReview(execution, {
    key: StepKey.routeSelection(place.key),
    requirement,
    kind: "step",
    announce: () =>
      emitWorkflowEvent(execution, {
        event: "RouterPaused",
        ...about(execution, node, place),
        available_choices,
        ...(selection.message === undefined ? {} : { user_input_message: selection.message }),
        allow_multiple_selections: selection.multiple
      })
  })
  const verdict = yield* HumanReview.outcomeOf(answer)
  return verdict._tag === "Go" ? verdict.requirement.selected_choices ?? [] : []
})

const known = (node: RouterNode, names: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Node>, Failed> =>
  Effect.forEach(names, (name) => {
    const found = node.choices.find((choice) => choice.name === name)
    if (found !== undefined) return Effect.succeed(found)
    const choices = node.choices.map((choice) => `'${choice.name}'`).join(", ")
    const message = `Router '${node.name}' has no choice '${name}'. There are ${choices}.`
    return Effect.fail(new Failed({ message, error_type: "ValueError" }))
  })

export const router = Effect.fnUntraced(
  function*(execution: Execution, node: RouterNode, place: StepPath, before: StepContext) {
    const here = about(execution, node, place)
    const isFresh = execution.journal.chosen(StepKey.choice(place.key)) === undefined
    const selected_steps = yield* decided(
      execution,
      StepKey.choice(place.key),
      selectedBy(execution, node, place, before)
    )
    const nodes = yield* known(node, selected_steps)
    if (isFresh) emitWorkflowEvent(execution, { event: "RouterExecutionStarted", ...here, selected_steps })
    const parent = execution.idOf(place.path)
    // a router's branches share its step index
    const at = (index: number) =>
      inside(place, parent, node.choices.indexOf(nodes[index] as Node), { index: place.index })
    const results = yield* Sequence.run(execution, nodes, at, before)
    emitWorkflowEvent(execution, {
      event: "RouterExecutionCompleted",
      ...here,
      selected_steps,
      executed_steps: results.length,
      step_results: results
    })
    const content = `Router ${node.name} completed with ${results.length} results`
    return StepOutputs.container(execution, node, place, content, results)
  }
)
