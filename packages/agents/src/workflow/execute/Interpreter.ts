// Executes a step of any kind: human review before and after it, and no repetition of journalled work.
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import { Effect, Schedule } from "effect"
import type { Member } from "../../team/Team.ts"
import * as Executor from "../define/Executor.ts"
import * as FunctionStep from "../define/FunctionStep.ts"
import type { Node, StepNode } from "../define/Node.ts"
import * as HumanReview from "../pause/HumanReview.ts"
import { Failed, type Interruption } from "../pause/Interruption.ts"
import * as Attempt from "./Attempt.ts"
import * as ChangedSteps from "./ChangedSteps.ts"
import * as Containers from "./Containers.ts"
import * as ExecutorRuns from "./ExecutorRuns.ts"
import * as ExecutorStep from "./ExecutorStep.ts"
import * as FinishedStep from "./FinishedStep.ts"
import * as ForEachStep from "./ForEachStep.ts"
import * as LoopStep from "./LoopStep.ts"
import * as NestedStep from "./NestedStep.ts"
import * as RouterStep from "./RouterStep.ts"
import { isOutcomeUnknown, StepFailure } from "./StepFailure.ts"
import * as StepKey from "./StepKey.ts"
import * as StepOutputs from "./StepOutputs.ts"
import type { StepPath } from "./StepPath.ts"
import * as TimeLimit from "./TimeLimit.ts"
import {
  about,
  emitWorkflowEvent,
  type StepAt,
  type StepCall,
  type StepCompletion,
  type StepContext,
  type WorkflowExecution
} from "./WorkflowExecution.ts"
import type { Finished } from "./WorkflowJournal.ts"

const attempt = (
  { before, execution, node, place }: StepCall<StepNode>
): Effect.Effect<StepCompletion, StepFailure | Interruption> => {
  const call = { before, execution, node, place }
  const inRun = (executor: Member) => ExecutorStep.perform(call, executor)
  return Executor.match<Effect.Effect<StepCompletion, StepFailure | Interruption>>(node.executor, {
    function: (executor) => execution.underLease(executor.effects, FunctionStep.perform(call, executor)),
    named: unresolved,
    agent: inRun,
    team: inRun,
    workflow: (workflow) => NestedStep.perform(call, workflow)
  })
}

const unresolved = (kind: string, id: string) =>
  Effect.fail(new StepFailure({ message: `There is no ${kind} '${id}'`, error_type: "UnknownReference" }))

const attempts = ({ before, execution, node, place }: StepCall<StepNode>) => {
  const { delayBetweenRetries, exponentialBackoff, retries, timeout } = node
  const call = { before, execution, node, place }
  const inTime = timeout === undefined
    ? Effect.suspend(() => attempt(call))
    : TimeLimit.within(
      execution,
      timeout,
      `Step '${node.name}' did not finish in time`,
      (execution) => attempt({ ...call, execution })
    )
  const known = Effect.catchTag(
    inTime,
    "StepFailure",
    (failed) => Attempt.failureOf({ execution, node, place }, failed)
  )
  return retries === 0 ? known : Effect.retry(known, {
    schedule: exponentialBackoff ? Schedule.exponential(delayBetweenRetries) : Schedule.spaced(delayBetweenRetries),
    times: retries,
    while: (error) => error._tag === "StepFailure" && !isOutcomeUnknown(error)
  })
}

const completed = ({ execution, node, place }: StepAt<StepNode>, { output }: StepCompletion) => {
  const here = about({ execution, node, place })
  const isOwn = node.executor.type === "function" && place.parent === undefined
  if (isOwn) emitWorkflowEvent(execution, { event: "StepOutput", ...here, step_output: output })
  emitWorkflowEvent(execution, {
    event: "StepCompleted",
    ...here,
    content: output.content,
    content_type: StepOutputs.contentTypeOf(output.content),
    step_response: output,
    ...(output.images === null ? {} : { images: output.images }),
    ...(output.videos === null ? {} : { videos: output.videos }),
    ...(output.audio === null ? {} : { audio: output.audio })
  })
}

/** The result of a step, or its failure. */
const tried = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall<StepNode>,
  round: number
): Effect.fn.Return<StepCompletion | StepFailure, Interruption> {
  const known = Attempt.failedBefore(execution, place, round)
  if (known !== undefined) return known
  return yield* Attempt.attemptStep({ execution, node, place }, round).pipe(
    Effect.andThen(Effect.suspend(() => {
      // the event was shown already if the executor resumes
      const isShown = round === 0 && execution.journal.hasStarted(place.key)
      if (!isShown) emitWorkflowEvent(execution, { event: "StepStarted", ...about({ execution, node, place }) })
      return attempts({ before, execution, node, place })
    })),
    Effect.catchTag("StepFailure", (failed) => Effect.succeed(failed))
  )
})

/** Until it succeeds, or a person or the author decides otherwise. */
const step = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall<StepNode>
): Effect.fn.Return<StepCompletion, Interruption> {
  for (let round = 0;; round++) {
    const performed = yield* tried({ before, execution, node, place }, round)
    if (!(performed instanceof StepFailure)) {
      completed({ execution, node, place }, performed)
      return performed
    }
    const settled = yield* Attempt.settle({ execution, node, place }, performed, round)
    if (settled !== "retry") return settled
  }
})

const perform = (
  { before, execution, node, place }: StepCall,
  branch: "else" | undefined
): Effect.Effect<StepCompletion, Interruption> => {
  switch (node.type) {
    case "Step":
      return step({ before, execution, node, place })
    case "Steps":
      return Effect.map(Containers.steps({ before, execution, node, place }), (output) => ({ output }))
    case "Parallel":
      return Effect.map(Containers.parallel({ before, execution, node, place }), (output) => ({ output }))
    case "Loop":
      return Effect.map(LoopStep.loop({ before, execution, node, place }), (output) => ({ output }))
    case "ForEach":
      return Effect.map(ForEachStep.forEach({ before, execution, node, place }), (output) => ({ output }))
    case "Condition":
      return Effect.map(Containers.condition({ before, execution, node, place }, branch), (output) => ({ output }))
    case "Router":
      return Effect.map(RouterStep.router({ before, execution, node, place }), (output) => ({ output }))
  }
}

/** Executes and reviews a step, with repetitions if the reviewer rejects it. */
const reviewed = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall,
  branch: "else" | undefined,
  pause: NonNullable<Node["outputReview"]>
): Effect.fn.Return<StepCompletion | undefined, Interruption> {
  const { journal } = execution
  let feedback: string | null = null
  for (let round = 0;; round++) {
    const at: StepPath = { ...place, key: StepKey.repetition(place.key, round) }
    const key = StepKey.unreviewed(at.key)
    const given: StepContext = feedback === null
      ? before
      : { ...before, additional: { ...before.additional, rejection_feedback: feedback } }
    const done = journal.finished(key) ??
      FinishedStep.entryOf(key, yield* perform({ before: given, execution, node, place: at }, branch))
    if (journal.finished(key) === undefined) {
      yield* journal.append(done)
      for (const run of done.runs ?? []) ExecutorRuns.put(execution.runs, run)
    }
    const output = done.output as StepOutput.StepOutput
    const review: HumanReview.Review = {
      key: StepKey.outputReview(at.key),
      pause,
      round,
      output: output.content,
      feedback
    }
    const verdict: HumanReview.ReviewOutcome = yield* HumanReview.reviewAfter({ execution, node, place: at }, review)
    if (verdict._tag === "Again") {
      feedback = verdict.feedback
      continue
    }
    if (verdict._tag !== "Go") return undefined
    const edited = verdict.requirement.edited_output
    const { steps: _, ...own } = output
    return { output: edited === undefined || edited === null ? output : { ...own, content: edited }, state: done.state }
  }
})

const unfinished = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall
): Effect.fn.Return<StepOutput.StepOutput | null, Interruption> {
  const leftOut: Finished = { kind: "finished", key: place.key, output: null }
  const entrance = yield* HumanReview.reviewBefore({ before, execution, node, place })
  if (entrance._tag === "LeaveOut") return yield* FinishedStep.write(execution, leftOut)
  const given: StepContext = { ...before, additional: entrance.additional, userInput: entrance.userInput }
  const performed = node.outputReview === undefined
    ? yield* perform({ before: given, execution, node, place }, entrance.branch)
    : yield* reviewed({ before: given, execution, node, place }, entrance.branch, node.outputReview)
  return yield* FinishedStep.write(
    execution,
    performed === undefined ? leftOut : FinishedStep.entryOf(place.key, performed)
  )
})

export const execute: WorkflowExecution["execute"] = (call) =>
  Effect.suspend(() => {
    const { execution, node, place } = call
    const known = execution.journal.finished(place.key)
    if (known !== undefined) return Effect.succeed(known.output)
    const { name, type } = node
    execution.journal.begin(place.key, ChangedSteps.begunOf(node))
    const { iteration } = call.before
    return OperationSpan.step(unfinished(call), { name, type, iteration }, (error) => error instanceof Failed)
  })
