// The decision on one call of a paused run, from a request or from an approval. The call and its arguments come from
// the journal.
import * as Approval from "@svc-runtime/domain/Approval"
import * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { type ApprovalContext, type Approver, isDecided } from "@svc-runtime/engine/approval/ApprovalContext"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import * as Form from "@svc-runtime/engine/tool/Form"
import * as TextArguments from "@svc-runtime/engine/tool/TextArguments"
import * as Wait from "@svc-runtime/engine/tool/Wait"
import { Effect, Equal, Option, Predicate } from "effect"
import type * as AgentJournal from "../execute/AgentJournal.ts"
import * as SentValue from "../execute/calls/SentValue.ts"
import * as SuspendedCall from "../execute/calls/SuspendedCall.ts"
import * as ApprovalData from "./ApprovalData.ts"
import * as Needed from "./Needed.ts"
import { confirmationOf, type SentTool } from "./SentRequirement.ts"

export const rejected = (reason: ContinueRejected["reason"], message: string) =>
  Effect.fail(new ContinueRejected({ reason, message }))

const lacking = (tools: ReadonlyArray<ToolExecution.ToolExecution>, message: string) => {
  const needs = tools.map((tool) => Needed.named(Needed.nameOf(tool), Needed.ofCall(tool)))
  return Effect.fail(new ContinueRejected({ reason: "unresolved", message, needs }))
}

export const unresolved = (tools: ReadonlyArray<ToolExecution.ToolExecution>) =>
  lacking(
    tools,
    "Run has unresolved HITL requirements. Send a decision on each (or resolve its approval first): " +
      `${NameList.first(tools.map((tool) => `${Needed.nameOf(tool)} needs ${Needed.ofCall(tool).words}`))}.`
  )

/** The fields of a paused run that are needed to resume it. */
export interface Paused extends Pick<RunSnapshot, "attempt" | "status" | "entries"> {
  readonly output: Pick<RunSnapshot["output"], "tools" | "requirements">
}

/** A paused call and its index among the last calls of the model. */
export interface Waiting {
  readonly call: number
  readonly tool: ToolExecution.ToolExecution
  /** A person has decided on it before: its function asks again, or its outcome is unknown. */
  readonly isAgain: boolean
  /** The id of its requirement. */
  readonly requirement: string | undefined
  /** The agent has offered its tool itself. Not known of runs of earlier versions. */
  readonly isOwn: boolean
}

type Decidable = Pick<Waiting, "call" | "tool">

/** The entry of a time that is over has nothing else. */
const ofPerson = ({ call, ...decision }: AgentJournal.Decision) => Object.keys(decision).length === 0 ? [] : [call]

export const pendingCalls = (
  { output }: Pick<Paused, "output">,
  entries: ReadonlyArray<AgentJournal.Entry>
): ReadonlyArray<Waiting> => {
  const place = entries.findLastIndex((entry) => entry.kind === "asked")
  const entry = entries[place]
  if (entry?.kind !== "asked") return []
  const since = entries.slice(place)
  const answered = new Set(since.flatMap((entry) => entry.kind === "answered" ? [entry.call] : []))
  const decided = new Set(since.flatMap((entry) => entry.kind === "resolved" ? entry.decisions.flatMap(ofPerson) : []))
  const tools = (output.tools ?? []).filter(ToolExecution.isPaused)
  // runs of earlier versions can have two calls with one id: they are distinguished by their arguments
  return entry.calls.flatMap(({ id, offered_by }, call) => {
    const at = answered.has(call) ? -1 : tools.findIndex(({ tool_call_id }) => tool_call_id === id)
    return tools.splice(at, at < 0 ? 0 : 1).map((tool): Waiting => {
      const isOf = ({ member_run_id, tool_execution }: Requirement.Requirement) =>
        member_run_id === undefined && tool_execution.tool_call_id === id
      return {
        call,
        tool,
        isAgain: decided.has(call),
        isOwn: offered_by === "agent",
        requirement: output.requirements?.find((each) => Requirement.isOpen(each) && isOf(each))?.id
      }
    })
  })
}

/** The fields with the given values. A field without one keeps what it has. */
const withValues = (fields: ReadonlyArray<Form.Field>, values: Readonly<Record<string, Json.Value>>) =>
  fields.map((field) => ({ ...field, value: Form.read(field, values[field.name] ?? field.value) }))

/** The same. Undefined if one is missing. */
const filled = (fields: ReadonlyArray<Form.Field>, values: Readonly<Record<string, Json.Value>>) => {
  const complete = withValues(fields, values)
  return complete.every(({ required, value }) => value !== null || required === false) ? complete : undefined
}

/** A misspelt name is a value that is lost. */
const unknownName = (fields: ReadonlyArray<Form.Field>, values: Readonly<Record<string, Json.Value>>) =>
  Object.keys(values).find((key) => !fields.some(({ name }) => name === key))

const valuesOf = ({ user_input_schema }: SentTool): Readonly<Record<string, Json.Value>> =>
  Object.fromEntries(
    (user_input_schema ?? []).flatMap(({ name, value }) => Predicate.isNullish(value) ? [] : [[name, value]])
  )

const noted = (note: string | null | undefined) => Predicate.isNullish(note) || note === "" ? {} : { note }

/** What is sent to a function that waits in the middle of its call. */
const sentTo = Effect.fnUntraced(
  function*({ call, tool }: Decidable, question: ToolExecution.ToolQuestion, sent: SentTool, value: string) {
    const problem = problemFor(question, (schema) => SentValue.of(schema, value))
    if (problem !== undefined) return yield* rejected("malformed", `What is sent does not fit the schema: ${problem}`)
    const field = { name: SentValue.field, field_type: "str", description: tool.tool_name, value }
    const decision: AgentJournal.Decision = {
      call,
      asked: question,
      user_input_schema: [field],
      ...noted(sent.confirmation_note)
    }
    return decision
  }
)

const problemFor = (
  { schema }: ToolExecution.ToolQuestion,
  valueFor: (schema: Json.Object) => Json.Value
): string | undefined => schema === undefined ? undefined : Form.problemIn(schema, valueFor(schema))

/** The question of a call that has begun, and whose function waits. */
const questionOf = (tool: ToolExecution.ToolExecution): ToolExecution.ToolQuestion | undefined =>
  tool.outcome_unknown === true ? undefined : tool.asked

/** A call that has begun, and asks, gets the refusal: what it does then is its result. Other calls are not made. */
const reject = ({ call, tool }: Decidable, note: string | null | undefined): AgentJournal.Decision => {
  const question = questionOf(tool)
  return {
    call,
    ...(question === undefined ? { confirmed: false } : { asked: question, declined: true }),
    ...(tool.outcome_unknown === true ? { outcome_unknown: true } : {}),
    ...noted(note)
  }
}

const external = (waiting: Decidable, sent: SentTool): Effect.Effect<AgentJournal.Decision, ContinueRejected> => {
  const { call, tool } = waiting
  const { confirmation_note, result } = sent
  const confirmed = confirmationOf(sent)
  const question = questionOf(tool)
  if (typeof result === "string" && question !== undefined) return sentTo(waiting, question, sent, result)
  if (typeof result === "string") {
    const media = sent.result_media ?? []
    return Effect.succeed({ call, result, ...(media.length === 0 ? {} : { media }), ...noted(confirmation_note) })
  }
  // its outcome is unknown, and a person confirmed to repeat it as it was made
  if (confirmed === true && tool.outcome_unknown === true) {
    return Effect.succeed({ call, confirmed, ...noted(confirmation_note) })
  }
  const { words } = Needed.ofCall(tool)
  const problem = tool.outcome_unknown === true
    ? `The outcome of ${tool.tool_name} is unknown. Send ${words}`
    : Needed.isForTime(tool)
    ? `Tool ${tool.tool_name} cannot be decided on: it needs ${words}`
    : `Tool ${tool.tool_name} requires external execution, cannot continue run. Send ${words}`
  return lacking([tool], problem)
}

const problemIn = (tool: ToolExecution.ToolExecution, fields: ReadonlyArray<Form.Field>): string | undefined => {
  const question = questionOf(tool)
  const given = fields.flatMap(({ name, value }) => value === null ? [] : [[name, value] as const])
  return question && problemFor(question, (schema) => Form.valuesOf(schema, Object.fromEntries(given)))
}

/** A call as the run shows it has its question. Only that of a durable call is another one each time. */
const namesQuestion = ({ tool }: Waiting, sent: SentTool): boolean => {
  const question = questionOf(tool)
  return question !== undefined && SuspendedCall.keyIn(question.state) !== undefined &&
    Equal.equals(question, sent.asked)
}

/** Some clients send the arguments of a call as their text. */
const argumentsIn = ({ tool_args }: Pick<SentTool, "tool_args">): Json.Value | undefined => {
  const read = TextArguments.valueOf(tool_args)
  return Json.isObject(read) ? read : tool_args
}

/**
 * Fails if what was sent shows another call: the run can have been deleted, and started again under its id. A person
 * replaces the arguments of a call that the service makes, and has executed a call of another kind with those shown.
 */
export const checkShown = (
  tool: ToolExecution.ToolExecution,
  sent: Pick<SentTool, "tool_args" | "tool_name">
): Effect.Effect<void, ContinueRejected> => {
  const { tool_name } = sent
  const tool_args = argumentsIn(sent)
  const isOther = !Predicate.isNullish(tool_name) && tool_name !== tool.tool_name
  const hasOthers = tool.external_execution_required === true && !Predicate.isNullish(tool_args) &&
    !Equal.equals(tool_args, tool.tool_args)
  return isOther || hasOthers
    ? rejected(
      "conflict",
      `Call '${tool.tool_call_id}' is not the one that the decision shows: read the run, and decide on the call as it is`
    )
    : Effect.void
}

/** An answer without an id may have been sent for the question before, and be repeated. */
const namedOnce = (
  waiting: Waiting,
  { sent }: CallDecision
): Effect.Effect<void, ContinueRejected> =>
  !waiting.isAgain || sent.isNamed === true || namesQuestion(waiting, sent)
    ? Effect.void
    : rejected(
      "malformed",
      `Call '${sent.tool_call_id}' was decided before, and waits again. A decision that is sent twice must not count ` +
        `for it: send the id of its requirement ('${waiting.requirement}'), too`
    )

/** Whether the decision is about this question of this call. */
export const named = (waiting: Waiting, decision: CallDecision): Effect.Effect<void, ContinueRejected> =>
  decision.isByCaller
    ? Effect.andThen(checkShown(waiting.tool, decision.sent), namedOnce(waiting, decision))
    : Effect.void

/** Values that the call as the run shows it does not have. A field of a form that was left empty has none. */
const givesValues = ({ user_input_schema: shown }: ToolExecution.ToolExecution, sent: SentTool): boolean => {
  const known = new Map(Form.fieldsIn(shown)?.map(({ name, value }) => [name, value]))
  return Object.entries(valuesOf(sent)).some(([name, value]) => value !== "" && !Equal.equals(value, known.get(name)))
}

/** What clients leave empty is as if it was left out. */
const filledIn = (args: Json.Object) => Object.entries(args).filter(([, value]) => value !== null)

/**
 * Clients may send the arguments as the run shows them, or with the values of the person. Another value of a field than
 * that in `user_input_schema` would be lost.
 */
const givesOtherArguments = (tool: ToolExecution.ToolExecution, sent: SentTool): boolean => {
  const { tool_args } = sent
  if (Predicate.isNullish(tool_args) || Equal.equals(tool_args, tool.tool_args)) return false
  const fields = tool.requires_user_input === true ? Form.fieldsIn(tool.user_input_schema) ?? [] : []
  if (fields.length === 0 || !Json.isObject(tool_args)) return true
  const byName = new Map(fields.map((field) => [field.name, field]))
  const given = filledIn(tool_args).map(([name, value]) => {
    const field = byName.get(name)
    return [name, field === undefined ? value : Form.read(field, value)] as const
  })
  return !Equal.equals(
    Object.fromEntries(given),
    Object.fromEntries(filledIn(Form.fill(tool.tool_args, withValues(fields, valuesOf(sent)))))
  )
}

/**
 * What is sent beside what the call waits for. A person would believe that it counts, and arguments that were not asked
 * for would be executed without a word to the model.
 */
const lostIn = (tool: ToolExecution.ToolExecution, sent: SentTool): string | undefined => {
  const isExternal = tool.external_execution_required === true
  const isAsked = tool.requires_user_input === true
  const { result } = sent
  const given = [
    ...givesOtherArguments(tool, sent) && !isExternal ? ["arguments"] : [],
    ...givesValues(tool, sent) ? ["values"] : [],
    ...typeof result === "string" && result !== "" && result !== tool.result ? ["a result"] : []
  ]
  if (confirmationOf(sent) === false) return given[0] && `is both rejected and given ${given[0]}`
  if (given.includes("a result") && !isExternal) return "takes no result"
  if (given.includes("values") && !isAsked) return "takes no values"
  return given.includes("arguments") && isAsked
    ? "waits for values, and its other arguments stay as the model has given them: send no `tool_args`"
    : undefined
}

/** A decision from the request. */
const decide = (waiting: Decidable, given: Sent): Effect.Effect<AgentJournal.Decision, ContinueRejected> => {
  const { call, tool } = waiting
  const tool_args = argumentsIn(given)
  const sent = tool_args === undefined ? given : { ...given, tool_args }
  const confirmed = confirmationOf(sent)
  if (sent.isAwake === true) return Effect.succeed({ call })
  const lost = lostIn(tool, sent)
  if (lost !== undefined) return rejected("malformed", `Call '${tool.tool_call_id}' ${lost}`)
  if (confirmed === false) return Effect.succeed(reject(waiting, sent.confirmation_note))
  if (tool.external_execution_required === true) return external(waiting, sent)
  if (tool.requires_confirmation === true && confirmed !== true) return unresolved([tool])
  const made: AgentJournal.Decision = {
    call,
    ...(tool.requires_confirmation === true ? { confirmed: true } : {}),
    ...noted(sent.confirmation_note)
  }
  if (tool.requires_user_input !== true) {
    return Effect.succeed({ ...made, tool_args: sent.tool_args ?? tool.tool_args })
  }
  const form = Form.fieldsIn(tool.user_input_schema)
  if (form === undefined) return unresolved([tool])
  const values = valuesOf(sent)
  const unknown = unknownName(form, values)
  if (unknown !== undefined) return rejected("malformed", `'${unknown}' is not a requested field`)
  const fields = filled(form, values)
  if (fields === undefined) return unresolved([tool])
  const problem = problemIn(tool, fields)
  if (problem !== undefined) return rejected("malformed", `The values do not fit the schema: ${problem}`)
  return Effect.succeed({
    ...made,
    user_input_schema: Json.of(fields),
    ...(tool.asked === undefined ? { tool_args: Form.fill(tool.tool_args, fields) } : { asked: tool.asked })
  })
}

/** Whether a person lets the call be made, or continued. */
export const makesCall = (decision: AgentJournal.Decision): boolean =>
  decision.confirmed !== false && decision.result === undefined && decision.declined !== true &&
  ofPerson(decision).length > 0

/** `isAwake`: the time is over for which a function waits in the middle of its call. */
interface Sent extends SentTool {
  readonly isAwake?: boolean
}

export interface CallDecision {
  readonly sent: Sent
  /** Not as an approval says, and not by a time. */
  readonly isByCaller: boolean
  /** The caller whose decision replaces the approval. It is refused if that is resolved. */
  readonly approver?: Approver
}

/** A call that is sent back as the run shows it says nothing with its arguments and values. */
const givenIn = (tool: ToolExecution.ToolExecution, sent: SentTool): Partial<SentTool> => {
  const isSentBack = !Predicate.isNullish(sent.tool_name)
  const { confirmation_note: note, result, result_media, tool_args } = sent
  const fields = isSentBack && !givesValues(tool, sent) ? {} : valuesOf(sent)
  const values = Object.entries(fields).filter(([, value]) => value !== "").map(([name, value]) => ({ name, value }))
  return {
    ...(Predicate.isNullish(tool_args) || (isSentBack && Equal.equals(tool_args, tool.tool_args)) ? {} : { tool_args }),
    ...(values.length === 0 ? {} : { user_input_schema: values }),
    ...(typeof result === "string" ? { result } : {}),
    ...(Predicate.isNullish(result_media) ? {} : { result_media }),
    ...(Predicate.isNullish(note) || note === "" ? {} : { confirmation_note: note })
  }
}

/**
 * A caller who says nothing else than the approval has said: it decides, with what the other person has sent. The note
 * of a rejection changes nothing.
 */
const agrees = Effect.fnUntraced(function*(waiting: Waiting, own: SentTool, approval: Approval.Approval) {
  const { tool } = waiting
  const isRejection = confirmationOf(own) === false
  if (tool.outcome_unknown === true || isRejection !== (approval.status === "rejected")) return false
  const sent = { ...own, tool_args: argumentsIn(own) ?? null }
  if (isRejection) {
    return Predicate.isNullish(own.result) && !givesOtherArguments(tool, sent) && !givesValues(tool, sent)
  }
  if (Option.isNone(yield* Effect.option(checkShown(tool, sent)))) return false
  const decided = ApprovalData.sentFor(tool, approval)
  const made = yield* Effect.option(decide(waiting, decided))
  return Option.isSome(made) &&
    Equal.equals(made, yield* Effect.option(decide(waiting, { ...decided, ...givenIn(tool, sent) })))
})

/** A call is also sent back as it is shown, without a decision. */
export const says = (tool: ToolExecution.ToolExecution, sent: SentTool): boolean => {
  const { confirmation_note: note, result, tool_args } = sent
  return confirmationOf(sent) !== null || typeof result === "string" || givesValues(tool, sent) ||
    !(Predicate.isNullish(tool_args) || Equal.equals(argumentsIn(sent), tool.tool_args)) ||
    !(Predicate.isNullish(note) || note === "" || note === tool.confirmation_note)
}

/** Another decision than that of a resolved approval is refused, also of a caller who may not approve. */
const unnamed: Approver = { user_id: null }

/** The valid decision on a call. Undefined if there is none. */
export const decisionFor = Effect.fnUntraced(function*(
  waiting: Waiting,
  tools: ReadonlyArray<SentTool> | undefined,
  { approvals, approver, at }: ApprovalContext
): Effect.fn.Return<CallDecision | undefined> {
  const { tool } = waiting
  const { approval_type, tool_call_id, wake_at } = tool
  if (wake_at !== undefined && at !== undefined && wake_at <= at) {
    const isAwake = questionOf(tool) !== undefined
    const sent = { tool_call_id, ...(isAwake ? { isAwake } : { result: Wait.resultOf(wake_at) }) }
    return { sent, isByCaller: false }
  }
  const own = tools?.find((each) => each.tool_call_id === tool_call_id)
  if (approval_type !== "required") return own && { sent: own, isByCaller: true }
  const approval = approvals.find((one) => isDecided(one) && Approval.isAbout(one, tool, waiting.requirement))
  const isFirst = approval !== undefined && !waiting.isAgain
  const counts = own !== undefined && (isFirst ? says(tool, own) : approver !== undefined)
  if (counts && !(isFirst && (yield* agrees(waiting, own, approval)))) {
    const decides = { approver: approver ?? unnamed }
    // it is refused for the approval: what else is wrong with it, or what it needs, is of no interest
    return isFirst && Option.isSome(yield* Effect.option(checkShown(tool, own)))
      ? { sent: ApprovalData.sentFor(tool, approval), isByCaller: false, ...decides }
      : { sent: own, isByCaller: true, ...decides }
  }
  return approval && { sent: ApprovalData.sentFor(tool, approval), isByCaller: false }
})

export const decideBy = (
  waiting: Decidable,
  { approver, sent }: Pick<CallDecision, "approver" | "sent">
) =>
  approver === undefined
    ? decide(waiting, sent)
    : Effect.map(decide(waiting, sent), (decision) => ({ ...decision, resolved_by: approver.user_id }))
