// The approvals of an executor. Resolving them is a complete decision: the workflow resumes without a `continue`.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as Run from "@svc-runtime/domain/Run"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import { approvalContextFor, type ApprovalsOf, isDecided } from "@svc-runtime/engine/approval/ApprovalContext"
import { now } from "@svc-runtime/engine/now"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Option, Predicate, Schema } from "effect"
import * as WorkflowJournal from "../execute/WorkflowJournal.ts"
import * as ExecutorAnswer from "./ExecutorAnswer.ts"

export interface Awaited {
  readonly approvals: ReadonlyArray<Approval.Id>
  /** The runs that own them: the executor's own run, or member runs. */
  readonly runs: ReadonlyArray<Run.Id>
  /** The latest time that a call waits for. */
  readonly wakesAt: EpochSeconds
}

type PendingExecutor = Pick<StepRequirement.StepRequirement, "executor_requirements" | "executor_run_id">

// a decided requirement keeps the decision that was sent
const decode = Schema.decodeUnknownOption(Schema.Array(Requirement.Requirement))

const openIn = ({ executor_requirements = [] }: PendingExecutor) =>
  Option.getOrElse(decode(executor_requirements), () => []).filter(Requirement.isOpen)

/** The open requirements, of the executor's run or nested in it. */
export const runsOf = (pending: PendingExecutor): ReadonlyArray<Run.Id> => [
  ...new Set(openIn(pending).map(({ member_run_id }) => Run.Id.make(member_run_id ?? pending.executor_run_id ?? "")))
]

/** Undefined if it also waits for something else than approvals and times. */
export const awaited = (pending: PendingExecutor): Awaited | undefined => {
  const open = openIn(pending).map(({ tool_execution }) => tool_execution)
  const approvals = open.flatMap(({ approval_id, wake_at }) => wake_at === undefined ? [approval_id] : [])
  if (open.length === 0 || !approvals.every(Predicate.isString)) return undefined
  const wakesAt = Math.max(0, ...open.flatMap(({ wake_at }) => wake_at ?? []))
  return { approvals: approvals.map((id) => Approval.Id.make(id)), runs: runsOf(pending), wakesAt }
}

/** The open and former requirements of a run's steps that approvals decide completely. */
export const awaitedIn = (output: AnyRun.Output): ReadonlyArray<Awaited> =>
  AnyRun.isWorkflow(output) ? (output.step_requirements ?? []).flatMap((requirement) => awaited(requirement) ?? []) : []

/** The entry that resumes the run after their resolution. None while one is open. */
export const entryOf = Effect.fnUntraced(function*<E>(waiting: ExecutorAnswer.Waiting<E>) {
  const { execution: { approvalsOf }, requirements, run_id } = waiting
  const wanted = awaited({ executor_requirements: requirements, executor_run_id: run_id })
  if (wanted === undefined) return Option.none()
  const { approvals, at } = yield* approvalContextFor(approvalsOf, wanted.runs, undefined)
  const decided = new Set(approvals.filter(isDecided).map(({ id }) => id))
  return wanted.wakesAt <= at && wanted.approvals.every((id) => decided.has(id))
    ? yield* ExecutorAnswer.entryOf({ ...waiting, decision: undefined })
    : Option.none()
})

/** Whether they, or a time, let a paused workflow resume. */
export const canResume = Effect.fnUntraced(function*<E>(
  { attempt, entries, output }: Pick<RunSnapshot, "attempt" | "entries" | "output">,
  approvalsOf: ApprovalsOf<E>
) {
  if (AnyRun.isWorkflow(output) && output.wake_at !== undefined && output.wake_at <= (yield* now)) return true
  const journal = WorkflowJournal.make(yield* Effect.orDie(WorkflowJournal.decode(entries)), () => Effect.void)
  for (const { key, requirement: { executor_requirements = [], executor_run_id = "" } } of journal.pendingExecutors()) {
    if (journal.decisionOf(key) !== undefined) continue
    const request = { requirements: executor_requirements, asker: journal.requesterOf(key) }
    const execution = { attempt, journal, approvalsOf }
    const entry = yield* entryOf({ ...request, execution, run_id: Run.Id.make(executor_run_id) })
    if (Option.isSome(entry)) return true
  }
  return false
})
