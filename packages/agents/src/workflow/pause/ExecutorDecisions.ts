// Whether a request decides what the executor of a paused step waits for. An agent needs every decision, and a team
// can leave some out. Whether a call with an approval is decided is seen when the step is resumed.
import * as Approval from "@svc-runtime/domain/Approval"
import * as Json from "@svc-runtime/domain/Json"
import * as Requirement from "@svc-runtime/domain/Requirement"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import { isDecided as isResolved } from "@svc-runtime/engine/approval/ApprovalContext"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import * as DecisionList from "@svc-runtime/engine/run/DecisionList"
import { Effect, Equal, Option, Predicate, Result, Schema } from "effect"
import { checkShown, decideBy, named, unresolved } from "../../agent/continue/CallDecision.ts"
import * as InnerContinuation from "../../agent/continue/InnerContinuation.ts"
import { matched } from "../../agent/continue/RequirementMatching.ts"
import { confirmationOf, sentCall, SentRequirement, sentTool } from "../../agent/continue/SentRequirement.ts"

const decodeSent = DecisionList.decoder(SentRequirement)
const decodeRequirements = Schema.decodeUnknownSync(Schema.Array(Requirement.Requirement))

const malformed = (message: string) =>
  new ContinueRejected({ reason: "malformed", message, field: "step_requirements" })

const isOver = ({ tool_execution: { wake_at } }: Requirement.Requirement, at: EpochSeconds): boolean =>
  wake_at !== undefined && wake_at <= at

const isDecided = (requirement: Requirement.Requirement, sent: SentRequirement | undefined) => {
  const tool = InnerContinuation.sentFor(requirement, sent)
  return tool === undefined
    ? Effect.succeed(false)
    : Effect.map(
      Effect.result(decideBy({ call: 0, tool: requirement.tool_execution }, { sent: tool })),
      // what is sent to a function that waits is not complete later
      (decided) =>
        Result.isFailure(decided) && decided.failure.reason === "malformed"
          ? Effect.fail(malformed(decided.failure.message))
          : Effect.succeed(Result.isSuccess(decided))
    ).pipe(Effect.flatten)
}

const decodeCalls = Schema.decodeUnknownOption(Schema.Array(SentRequirement))

const callsIn = (calls: StepRequirement.DecisionInput["executor_requirements"]) =>
  Option.getOrElse(decodeCalls(calls ?? []), () => [])

/** The calls with more than what the run has of them: clients send the others back. `stored`: as the run has them. */
const changed = (
  stored: StepRequirement.DecisionInput["executor_requirements"],
  sent: ReadonlyArray<SentRequirement>
): ReadonlyArray<SentRequirement> => {
  const calls = callsIn(stored)
  return sent.filter((call) => {
    const { tool_call_id } = call.tool_execution ?? {}
    // a call that asks again comes after its earlier questions
    const found = calls.findLast(({ id, tool_execution }) =>
      typeof call.id === "string" ? id === call.id : tool_execution?.tool_call_id === tool_call_id
    )
    if (found === undefined) return sentTool("", call) !== undefined
    const { isNamed: _, ...given } = sentCall("", call)
    const known: Readonly<Record<string, unknown>> = sentCall("", found)
    return Object.entries(given).some(([key, value]) => !Predicate.isNullish(value) && !Equal.equals(value, known[key]))
  })
}

/** What cannot be read is refused later. */
const decidesCalls = (
  stored: StepRequirement.DecisionInput["executor_requirements"],
  sent: StepRequirement.DecisionInput["executor_requirements"]
): boolean => {
  const given = callsIn(sent)
  return given.length === 0 ? (sent ?? []).length > 0 : changed(stored, given).length > 0
}

const isEmpty = (value: unknown): boolean =>
  Predicate.isNullish(value) || (typeof value === "object" && Object.keys(value).length === 0)

const own = ["confirmed", "user_input", "selected_choices", "edited_output", "rejection_feedback"] as const

/** The calls of a rejected step are rejected, each with its own note or that of the step. */
const decidedCalls = (
  { confirmed, executor_requirements = [], rejection_feedback }: StepRequirement.StepRequirement
): ReadonlyArray<Json.Value> =>
  confirmed !== false ? executor_requirements : executor_requirements.map((call) => {
    if (!Json.isObject(call)) return call
    const note = call["confirmation_note"] ?? rejection_feedback
    return { ...call, confirmed: false, ...(Predicate.isNullish(note) ? {} : { confirmation_note: note }) }
  })

/** Whether what is sent says more than what the run has. Clients send the other requirements back as they are. */
export const decides = (
  stored: StepRequirement.StepRequirement,
  sent: StepRequirement.DecisionInput
): boolean =>
  own.some((key) => !isEmpty(sent[key]) && !Equal.equals(sent[key], stored[key])) ||
  decidesCalls(decidedCalls(stored), sent.executor_requirements)

const words = new Map([[true, "confirmed"], [false, "rejected"]])

/**
 * A decision on the step is one on its calls, and they have no other. What is sent of a call of a rejected step is
 * lost, as if the call was rejected.
 */
const checkWith = Effect.fnUntraced(function*(
  ofStep: boolean | null | undefined,
  { tool_execution: tool }: Requirement.Requirement,
  sent: SentRequirement | undefined
) {
  if (sent === undefined || Predicate.isNullish(ofStep)) return
  const call = sentCall(tool.tool_call_id, sent)
  const own = confirmationOf(call)
  if (own === !ofStep) {
    return yield* malformed(`Call '${tool.tool_call_id}' is ${words.get(own)}, and its step is ${words.get(ofStep)}`)
  }
  if (ofStep) return
  const decided = yield* Effect.result(decideBy({ call: 0, tool }, { sent: { ...call, confirmed: false } }))
  if (Result.isFailure(decided)) return yield* malformed(decided.failure.message)
})

/** Fails when the decisions are not complete, or contradict each other. Rejecting the step decides everything. */
export const check = Effect.fnUntraced(function*(
  { executor_requirements = [], executor_type }: StepRequirement.StepRequirement,
  { confirmed, executor_requirements: given }: StepRequirement.DecisionInput,
  { approvals, at }: { readonly approvals: ReadonlyArray<Approval.Approval>; readonly at: EpochSeconds }
) {
  const sent = yield* Effect.mapError(
    decodeSent(given ?? []),
    (cause) => malformed(cause?.message ?? DecisionList.tooMany)
  )
  const requirements = decodeRequirements(executor_requirements)
  const decisions = yield* matched(requirements, sent)
  for (const each of requirements) {
    const { asked_before = 0, id: requirement, tool_execution: tool } = each
    const sentBack = decisions.get(requirement)
    yield* checkShown(tool, sentBack?.tool_execution ?? {})
    for (const call of Requirement.isOpen(each) ? InnerContinuation.givenFor(each, sentBack) : []) {
      const waiting = { call: 0, tool, requirement, isAgain: asked_before > 0, isOwn: false }
      yield* named(waiting, { sent: call, isByCaller: true })
    }
  }
  const open = requirements.filter(Requirement.isOpen)
  for (const each of open) yield* checkWith(confirmed, each, decisions.get(each.id))
  if (confirmed === false) return
  /** Whether an approval decides, and not the request. What is given for one whose approval is open is refused. */
  const isLeftToApproval = (each: Requirement.Requirement) =>
    each.tool_execution.approval_type === "required" &&
    (InnerContinuation.sentFor(each, decisions.get(each.id)) !== undefined ||
      InnerContinuation.givenFor(each, decisions.get(each.id)).length === 0 ||
      approvals.some((one) => isResolved(one) && Approval.isAbout(one, each.tool_execution, each.id)))
  const waiting = requirements.filter((each) =>
    Requirement.isOpen(each) && !isLeftToApproval(each) && !isOver(each, at)
  )
  const isPartial = executor_type === "team" && decisions.size > 0
  const needed = isPartial ? waiting.filter(({ id }) => decisions.has(id)) : waiting
  const undecided = yield* Effect.filter(
    needed,
    (each) => Effect.map(isDecided(each, decisions.get(each.id)), (isDecided) => !isDecided)
  )
  // who may approve can decide on the others too
  for (const each of open) yield* isDecided(each, decisions.get(each.id))
  if (undecided.length > 0) return yield* unresolved(undecided.map(({ tool_execution }) => tool_execution))
})
