// Pauses a workflow because an executor is paused. The workflow shows the executor's requirements and passes the
// decisions to it. Incomplete decisions show the same requirements again.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import { Effect, Option } from "effect"
import * as Team from "../../team/Team.ts"
import type { Node } from "../define/Node.ts"
import * as StepKey from "../execute/StepKey.ts"
import type { StepPath } from "../execute/StepPath.ts"
import { about, emitWorkflowEvent, type WorkflowExecution } from "../execute/WorkflowExecution.ts"
import * as ExecutorAnswer from "./ExecutorAnswer.ts"
import * as ExecutorApprovals from "./ExecutorApprovals.ts"
import * as HumanReview from "./HumanReview.ts"
import type { Interruption } from "./Interruption.ts"

/** The agent or team of a step. */
export interface ExecutorRun {
  readonly executor: Team.Member
  readonly execution: WorkflowExecution
  readonly node: Node
  readonly place: StepPath
  readonly run_id: Run.Id
}

export const typeOf = (executor: Team.Member) => Team.isTeam(executor) ? "team" : "agent"

const keyOf = ({ place, run_id }: ExecutorRun, round: number) => StepKey.executorRequest(place.key, run_id, round)

const executorOf = ({ run_id, executor }: ExecutorRun) => ({
  executor_id: executor.id,
  executor_name: executor.name,
  executor_run_id: run_id,
  executor_type: typeOf(executor)
} as const)

/** Without a decision of its own, a rejected executor rejects all its requirements. */
const pause = {
  message: undefined,
  onReject: "cancel",
  maxRetries: 3,
  timeout: undefined,
  onTimeout: "cancel"
} as const

const executorRequirement = Effect.fnUntraced(function*(
  executorRun: ExecutorRun,
  { asker, requirements, run }: ExecutorAnswer.ExecutorRequest,
  round: number
) {
  const { execution, node, place } = executorRun
  const requirement: StepRequirement.StepRequirement = {
    ...yield* HumanReview.requirementOf({ execution, node, place }, pause),
    requires_executor_input: true,
    executor_requirements: requirements,
    ...executorOf(executorRun),
    executor_session_id: execution.request.session_id,
    retry_count: round
  }
  const announce = () =>
    emitWorkflowEvent(execution, {
      event: "StepExecutorPaused",
      ...about({ execution, node, place }),
      ...executorOf(executorRun),
      executor_requirements: requirements
    })
  return { key: keyOf(executorRun, round), requirement, kind: "executor" as const, asker, run, announce }
})

/** Its messages are in its journal. */
export const withoutLogs = (run: TeamRun.MemberResponse): TeamRun.MemberResponse => {
  const { events: _, messages: __, ...rest } = run
  return AnyRun.withInner(
    rest,
    AnyRun.innerOf(rest).map((inner) => AnyRun.isAgentOrTeam(inner) ? withoutLogs(inner) : inner)
  )
}

/** The requirements of a paused run. */
export const askedBy = (asker: TeamRun.MemberResponse): ExecutorAnswer.ExecutorRequest => {
  const isOuter = AnyRun.isTeam(asker) || AnyRun.innerOf(asker).length > 0
  return {
    requirements: (asker.requirements ?? []).map(Json.of),
    ...(isOuter ? { asker } : { asker: undefined, run: Json.of(asker) })
  }
}

/** Pauses the workflow. It never returns: after the resume, the replay finds the decision before this point. */
export const requestExecutorInput = Effect.fnUntraced(function*(
  executorRun: ExecutorRun,
  request: ExecutorAnswer.ExecutorRequest,
  round: number
): Effect.fn.Return<never, Interruption> {
  yield* HumanReview.requestReview(executorRun.execution, yield* executorRequirement(executorRun, request, round))
  return yield* Effect.die(new Error(`The ${typeOf(executorRun.executor)} asks for a decision that it got`))
})

/** Passes on the decisions since its last request, and returns the number of requests. */
export const answered = Effect.fnUntraced(function*(executorRun: ExecutorRun): Effect.fn.Return<number, Interruption> {
  const { execution, node, place, run_id } = executorRun
  const { journal } = execution
  for (let round = 0;; round++) {
    const key = keyOf(executorRun, round)
    const requirement = journal.requirementOf(key)
    if (requirement === undefined || !("executor_requirements" in requirement)) return round
    if (journal.isForwarded(key)) continue
    // the decisions were incomplete, and it was asked again
    if (journal.requirementOf(keyOf(executorRun, round + 1)) !== undefined) continue
    const request = { requirements: requirement.executor_requirements ?? [], asker: journal.requesterOf(key) }
    const decision = journal.decisionOf(key)
    const waiting: ExecutorAnswer.Waiting = { ...request, execution, run_id }
    const entry = yield* decision === undefined
      ? ExecutorApprovals.entryOf(waiting)
      : ExecutorAnswer.entryOf({ ...waiting, decision })
    if (Option.isNone(entry)) {
      return yield* requestExecutorInput(executorRun, request, decision === undefined ? round : round + 1)
    }
    if (decision === undefined) {
      yield* journal.append({ kind: "decided", step_id: requirement.step_id, decision: {} })
    }
    const continued = () =>
      emitWorkflowEvent(execution, {
        event: "StepExecutorContinued",
        ...about({ execution, node, place }),
        ...executorOf(executorRun)
      })
    yield* journal.append({ kind: "executor", key: run_id, entry: entry.value, answers: key }, continued)
  }
})
