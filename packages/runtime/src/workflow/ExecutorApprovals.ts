// The approvals that an agent or a team waits for while it does a step. Whoever resolves them says all that there is to
// say: nobody has to continue the workflow with it.
import { AnyRun, Approval, Requirement, Run, type StepRequirement } from "@svc/domain"
import { Effect, Option, Predicate, Schema } from "effect"
import * as AgentContinuation from "../agent/AgentContinuation.ts"
import type { RunSnapshot } from "../run/RunStore.ts"
import type { ApprovalsOf } from "./Execution.ts"
import * as ExecutorAnswer from "./ExecutorAnswer.ts"
import * as Journal from "./Journal.ts"

export interface Awaited {
  readonly approvals: ReadonlyArray<Approval.Id>
  /** Whose they are: the agent's or the team's own run, or those of members. */
  readonly runs: ReadonlyArray<Run.Id>
}

type PendingExecutor = Pick<StepRequirement.StepRequirement, "executor_requirements" | "executor_run_id">

// of one that was answered it says what was sent, whatever that was
const decode = Schema.decodeUnknownOption(Schema.Array(Requirement.Requirement))

const openIn = ({ executor_requirements = [] }: PendingExecutor) =>
  Option.getOrElse(decode(executor_requirements), () => []).filter(Requirement.isOpen)

/** That wait for somebody, inside of the run that asks or as that. */
export const runsOf = (asked: PendingExecutor): ReadonlyArray<Run.Id> => [
  ...new Set(openIn(asked).map(({ member_run_id }) => Run.Id.make(member_run_id ?? asked.executor_run_id ?? "")))
]

/** Undefined when it waits for something else, or for something else as well. */
export const awaited = (asked: PendingExecutor): Awaited | undefined => {
  const approvals = openIn(asked).map(({ tool_execution }) => tool_execution.approval_id)
  if (approvals.length === 0 || !approvals.every(Predicate.isString)) return undefined
  return { approvals: approvals.map((id) => Approval.Id.make(id)), runs: runsOf(asked) }
}

/** What steps of a run wait for, or have waited for, that approvals say all of. */
export const awaitedIn = (output: AnyRun.Output): ReadonlyArray<Awaited> =>
  AnyRun.isWorkflow(output) ? (output.step_requirements ?? []).flatMap((asked) => awaited(asked) ?? []) : []

/** What the run goes on with when they are resolved. None as long as something is left to be said. */
export const entryOf = Effect.fnUntraced(function*<E>(waiting: ExecutorAnswer.Waiting<E>) {
  const { execution: { approvalsOf }, requirements, run_id } = waiting
  const wanted = awaited({ executor_requirements: requirements, executor_run_id: run_id })
  if (wanted === undefined) return Option.none()
  const kept = yield* Effect.forEach(wanted.runs, approvalsOf)
  const decided = new Set(kept.flat().filter(AgentContinuation.isDecided).map(({ id }) => id))
  return wanted.approvals.every((id) => decided.has(id))
    ? yield* ExecutorAnswer.entryOf({ ...waiting, decision: undefined })
    : Option.none()
})

/** Whether a workflow that waits comes any further by them. */
export const canResume = Effect.fnUntraced(function*<E>(
  { attempt, entries }: Pick<RunSnapshot, "attempt" | "entries">,
  approvalsOf: ApprovalsOf<E>
) {
  const journal = Journal.make(yield* Effect.orDie(Journal.decode(entries)), () => Effect.void)
  for (const { key, requirement: { executor_requirements = [], executor_run_id = "" } } of journal.pendingExecutors()) {
    if (journal.decisionOf(key) !== undefined) continue
    const asked = { requirements: executor_requirements, asker: journal.requesterOf(key) }
    const execution = { attempt, journal, approvalsOf }
    const entry = yield* entryOf({ ...asked, execution, run_id: Run.Id.make(executor_run_id) })
    if (Option.isSome(entry)) return true
  }
  return false
})
