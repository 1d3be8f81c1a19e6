// Maps decisions on a step's executor to the journal entry that resumes it. An executor without all decisions keeps
// waiting.
import type * as Json from "@svc-runtime/domain/Json"
import * as Requirement from "@svc-runtime/domain/Requirement"
import type * as Run from "@svc-runtime/domain/Run"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import { approvalContextFor, type ApprovalsOf } from "@svc-runtime/engine/approval/ApprovalContext"
import { Effect, Option, Predicate, Schema } from "effect"
import * as AgentContinuation from "../../agent/continue/AgentContinuation.ts"
import * as InnerContinuation from "../../agent/continue/InnerContinuation.ts"
import { sentCall, SentRequirement, type SentTool } from "../../agent/continue/SentRequirement.ts"
import type { WorkflowExecution } from "../execute/WorkflowExecution.ts"
import type { Decision } from "../execute/WorkflowJournal.ts"

/** The requirements of an executor. */
export interface ExecutorRequest {
  readonly requirements: ReadonlyArray<Json.Value>
  /** The paused run with the runs inside that wait, and their requirements. Undefined: there are none inside. */
  readonly asker: TeamRun.MemberResponse | undefined
  /** The paused run, if there are none inside and it was not stored before. */
  readonly run?: Json.Object | undefined
}

/** The paused executor and the journal key of its run. */
export interface Waiting<E = never> extends ExecutorRequest {
  readonly execution: Pick<WorkflowExecution, "attempt" | "journal"> & { readonly approvalsOf: ApprovalsOf<E> }
  readonly run_id: Run.Id
}

export interface Answer<E = never> extends Waiting<E> {
  /** Undefined without decisions of a caller: approvals must then decide everything. */
  readonly decision: Decision | undefined
}

type Sent = ReadonlyArray<SentRequirement>

const decodeSent = Schema.decodeUnknownOption(Schema.Array(SentRequirement))
const decodeRequirements = Schema.decodeUnknownSync(Schema.Array(Requirement.Requirement))

const isAbout = (
  { id, tool_execution: { tool_call_id } }: Requirement.Requirement,
  sent: SentRequirement
): boolean => sent.id === id || sent.tool_execution?.tool_call_id === tool_call_id

/** Rejecting the step rejects all its requirements. The note of a call is the first that counts for it. */
const sentOf = (stored: ExecutorRequest["requirements"], decision: Decision = {}): Option.Option<Sent> =>
  Option.map(decodeSent(decision.executor_requirements ?? []), (all) => {
    if (decision.confirmed !== false) return all
    return decodeRequirements(stored).filter(Requirement.isOpen).map((each) => {
      const { confirmation_note: known, tool_call_id } = each.tool_execution
      const own = all.find((one) => isAbout(each, one))
      const note = own && sentCall(tool_call_id, own).confirmation_note
      const isGiven = !Predicate.isNullish(note) && note !== "" && note !== known
      const confirmation_note = isGiven ? note : decision.rejection_feedback ?? null
      return { id: each.id, confirmation: false, confirmation_note }
    })
  })

const toolsOf = (
  requirements: ReadonlyArray<Requirement.Requirement>,
  sent: Sent
): ReadonlyArray<SentTool> =>
  sent.flatMap((each) => {
    const of = requirements.find((requirement) => isAbout(requirement, each))
    return of === undefined ? [] : InnerContinuation.givenFor(of, each)
  })

const ownOutput = (requirements: ReadonlyArray<Requirement.Requirement>) => ({
  requirements,
  tools: requirements.map(({ tool_execution }) => tool_execution)
})

/** What is known of a paused run without others inside: its requirements and their calls. */
export const outputOf = (requirements: ExecutorRequest["requirements"]) => ownOutput(decodeRequirements(requirements))

/** The entry that resumes the run. None if decisions are missing or contradictory. */
export const entryOf = Effect.fnUntraced(function*<E>(answer: Answer<E>) {
  const { asker, decision, execution: { approvalsOf, attempt, journal }, run_id } = answer
  const requirements = decodeRequirements(answer.requirements)
  const sent = sentOf(answer.requirements, decision)
  if (Option.isNone(sent)) return Option.none<Json.Object>()
  const paused = { attempt: attempt - 1, status: "PAUSED" as const, entries: journal.inner(run_id) }
  if (asker === undefined) {
    const output = ownOutput(requirements)
    const tools = toolsOf(requirements, sent.value)
    const context = yield* approvalContextFor(approvalsOf, [run_id], decision?.approver)
    return yield* Effect.option(AgentContinuation.plan({ ...paused, output }, { tools, input: undefined }, context))
  }
  const team = { ...paused, output: asker }
  const inside = InnerContinuation.approvedRuns(team)
  const context = yield* approvalContextFor(approvalsOf, [run_id, ...inside], decision?.approver)
  if (decision === undefined && !(yield* InnerContinuation.isSettled(team, context))) return Option.none()
  const request = { requirements: sent.value, input: undefined }
  return yield* Effect.option(InnerContinuation.plan(team, request, context))
})
