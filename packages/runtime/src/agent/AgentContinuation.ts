// Resumes a paused run of an agent with decisions on its calls. Only the decisions are taken from the request; the call
// and its arguments come from the journal. A call that needs an approval follows the approval, unless the caller may
// approve.
import { type Approval, Json, type Requirement, ToolExecution } from "@svc/domain"
import { Effect, Option, Predicate, Schema } from "effect"
import { ContinueRejected } from "../run/ContinueRejected.ts"
import type { RunSnapshot } from "../run/RunStore.ts"
import { Field, fill } from "../tool/UserInput.ts"
import * as AgentJournal from "./AgentJournal.ts"
import { type ApprovalContext, type Approver, isDecided } from "./ApprovalContext.ts"

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A call as a client sends it back: a `ToolExecution`, of which only these keys are read. */
export const SentTool = Schema.Struct({
  tool_call_id: Schema.String,
  tool_args: maybe(Schema.Json),
  confirmed: maybe(Schema.Boolean),
  confirmation_note: maybe(Schema.String),
  result: maybe(Schema.String),
  user_input_schema: maybe(Schema.Array(Schema.Struct({ name: Schema.String, value: maybe(Schema.Json) })))
})
export type SentTool = typeof SentTool.Type

export interface ContinueInput {
  readonly tools: ReadonlyArray<SentTool> | undefined
  /** Added for the model, after the answers of its calls. */
  readonly input: string | undefined
}

export type { ApprovalContext, Approver } from "./ApprovalContext.ts"

const rejected = (reason: ContinueRejected["reason"], message: string) =>
  Effect.fail(new ContinueRejected({ reason, message }))

const unresolved = (tools: ReadonlyArray<ToolExecution.ToolExecution>) =>
  rejected(
    "unresolved",
    "Run has unresolved HITL requirements. Say in `tools` what is to become of " +
      `${tools.map(({ tool_name }) => tool_name).join(", ")} (or resolve the approval first).`
  )

/** The fields of a paused run that are needed to resume it. */
export interface Paused extends Pick<RunSnapshot, "attempt" | "status" | "entries"> {
  readonly output: Pick<RunSnapshot["output"], "tools" | "requirements">
}

/** A paused call and its index among the last calls of the model. */
interface Waiting {
  readonly call: number
  readonly tool: ToolExecution.ToolExecution
}

const pendingCalls = (
  { output }: Pick<Paused, "output">,
  entries: ReadonlyArray<AgentJournal.Entry>
): ReadonlyArray<Waiting> => {
  const place = entries.findLastIndex((entry) => entry.kind === "asked")
  const asked = entries[place]
  if (asked?.kind !== "asked") return []
  const answered = new Set(entries.slice(place).flatMap((entry) => entry.kind === "answered" ? [entry.call] : []))
  const tools = (output.tools ?? []).filter(ToolExecution.isPaused)
  // runs of earlier versions can have two calls with one id: they are distinguished by their arguments
  return asked.calls.flatMap(({ id }, call) => {
    const at = answered.has(call) ? -1 : tools.findIndex(({ tool_call_id }) => tool_call_id === id)
    return tools.splice(at, at < 0 ? 0 : 1).map((tool) => ({ call, tool }))
  })
}

const fieldsOf = Schema.decodeUnknownOption(Schema.Array(Field))

/** The fields of a call with the given values. Undefined if one is missing. */
const filled = ({ user_input_schema }: ToolExecution.ToolExecution, values: Readonly<Record<string, Json.Value>>) => {
  const fields = fieldsOf(user_input_schema)
  if (fields._tag === "None") return undefined
  const complete = fields.value.map((field) => ({ ...field, value: values[field.name] ?? field.value }))
  return complete.every(({ value }) => value !== null) ? complete : undefined
}

const valuesOf = ({ user_input_schema }: SentTool): Readonly<Record<string, Json.Value>> =>
  Object.fromEntries(
    (user_input_schema ?? []).flatMap(({ name, value }) => Predicate.isNullish(value) ? [] : [[name, value]])
  )

const reject = (call: number, note: string | null | undefined): AgentJournal.Decision => ({
  call,
  confirmed: false,
  ...(Predicate.isNullish(note) || note === "" ? {} : { note })
})

const external = ({ call, tool }: Waiting, { confirmation_note, confirmed, result }: SentTool) => {
  if (typeof result === "string") return Effect.succeed<AgentJournal.Decision>({ call, result })
  if (confirmed === false) return Effect.succeed(reject(call, confirmation_note))
  // its outcome is unknown, and a person confirmed to repeat it
  if (confirmed === true && tool.outcome_unknown === true) return Effect.succeed({ call, confirmed })
  return rejected("unresolved", `Tool ${tool.tool_name} requires external execution, cannot continue run`)
}

/** A decision from the request. */
const decide = (waiting: Waiting, sent: SentTool): Effect.Effect<AgentJournal.Decision, ContinueRejected> => {
  const { call, tool } = waiting
  if (tool.external_execution_required === true) return external(waiting, sent)
  const isRejected = sent.confirmed === false || (tool.requires_confirmation === true && sent.confirmed !== true)
  if (isRejected) return Effect.succeed(reject(call, sent.confirmation_note))
  const args = sent.tool_args ?? tool.tool_args
  const decision: AgentJournal.Decision = {
    call,
    ...(tool.requires_confirmation === true ? { confirmed: true } : {}),
    ...(Predicate.isNullish(sent.confirmation_note) ? {} : { note: sent.confirmation_note }),
    tool_args: args
  }
  if (tool.requires_user_input !== true) return Effect.succeed(decision)
  const fields = filled(tool, valuesOf(sent))
  return fields === undefined ? unresolved([tool]) : Effect.succeed({
    ...decision,
    tool_args: fill(args, fields),
    user_input_schema: Json.of(fields)
  })
}

/** The decision of an approval, in the form of a request. */
const approved = ({ tool }: Waiting, { resolution_data, status }: Approval.Approval): SentTool => {
  const { tool_call_id } = tool
  if (status === "rejected") return { tool_call_id, confirmed: false }
  const given = resolution_data ?? {}
  const values = Predicate.isObject(given["values"]) ? given["values"] as Json.Object : given
  const result = given["result"]
  return {
    tool_call_id,
    confirmed: true,
    ...(typeof result === "string" ? { result } : {}),
    user_input_schema: Object.entries(values).map(([name, value]) => ({ name, value }))
  }
}

interface CallDecision {
  readonly sent: SentTool
  /** The caller whose decision replaces the approval. */
  readonly approver?: Approver
}

/** The valid decision on a call. Undefined if there is none. */
const decisionFor = (
  waiting: Waiting,
  { tools }: ContinueInput,
  { approvals, approver }: ApprovalContext
): CallDecision | undefined => {
  const { approval_id, approval_type, tool_call_id } = waiting.tool
  const own = tools?.find((each) => each.tool_call_id === tool_call_id)
  if (approval_type !== "required") return own && { sent: own }
  if (approver !== undefined && own !== undefined) return { sent: own, approver }
  const approval = approvals.find(({ id }) => id === approval_id)
  return approval !== undefined && isDecided(approval) ? { sent: approved(waiting, approval) } : undefined
}

const decideBy = (waiting: Waiting, { approver, sent }: CallDecision) =>
  approver === undefined
    ? decide(waiting, sent)
    : Effect.map(decide(waiting, sent), (decision) => ({ ...decision, resolved_by: approver.user_id }))

/** Each decision must be about one open call, and each call can have only one. */
const checked = Effect.fnUntraced(function*({ output }: Paused, { tools = [] }: ContinueInput) {
  const known = new Set((output.tools ?? []).map(({ tool_call_id }) => tool_call_id))
  const seen = new Set<string>()
  for (const { tool_call_id } of tools) {
    if (!known.has(tool_call_id)) {
      return yield* rejected(
        "malformed",
        `Invalid structure or content for tools: the run has no call '${tool_call_id}'`
      )
    }
    if (seen.has(tool_call_id)) {
      return yield* rejected(
        "malformed",
        `Invalid structure or content for tools: call '${tool_call_id}' is there twice`
      )
    }
    seen.add(tool_call_id)
  }
})

/** The call with its decision. */
export const resolvedRequirement = (
  requirement: Requirement.Requirement,
  decision: AgentJournal.Decision | undefined
): Requirement.Requirement => {
  if (decision === undefined) return requirement
  const { confirmed, note, result, user_input_schema } = decision
  return {
    ...requirement,
    ...(confirmed === undefined ? {} : { confirmation: confirmed }),
    ...(note === undefined ? {} : { confirmation_note: note }),
    ...(result === undefined ? {} : { external_execution_result: result }),
    ...(user_input_schema === undefined ? {} : { user_input_schema })
  }
}

/** A missing confirmation is a rejection; other decisions are required. */
const defaultDecision = ({ tool: { tool_call_id } }: Waiting): CallDecision => ({ sent: { tool_call_id } })
const isConfirmation = ({ tool }: Waiting) =>
  tool.requires_confirmation === true && tool.requires_user_input !== true && tool.approval_type !== "required"

/** The decided calls of a run, by id. The others stay open. */
export const decisionsOf = Effect.fnUntraced(function*(
  { entries, output }: Pick<Paused, "output" | "entries">,
  said: ContinueInput,
  ruling: ApprovalContext
) {
  const decisions = new Map<string, AgentJournal.Decision>()
  for (const waiting of pendingCalls({ output }, yield* Effect.orDie(AgentJournal.decode(entries)))) {
    const word = decisionFor(waiting, said, ruling)
    const decision = word === undefined ? Option.none() : yield* Effect.option(decideBy(waiting, word))
    if (Option.isSome(decision)) decisions.set(waiting.tool.tool_call_id, decision.value)
  }
  return decisions
})

/** The journal entry that resumes the run. */
export const plan = Effect.fnUntraced(function*(resting: Paused, said: ContinueInput, ruling: ApprovalContext) {
  const entries = yield* Effect.orDie(AgentJournal.decode(resting.entries))
  const waiting = resting.status === "PAUSED" ? pendingCalls(resting, entries) : []
  yield* checked(resting, said)
  const open = waiting.filter((each) => decisionFor(each, said, ruling) === undefined && !isConfirmation(each))
  if (open.length > 0) return yield* unresolved(open.map(({ tool }) => tool))
  const decisions = yield* Effect.forEach(
    waiting,
    (each) => decideBy(each, decisionFor(each, said, ruling) ?? defaultDecision(each))
  )
  const byId = new Map(waiting.map(({ tool }, index) => [tool.tool_call_id, decisions[index] as AgentJournal.Decision]))
  const used = ruling.approvals.find(({ id }) => waiting.some(({ tool }) => tool.approval_id === id))
  const entry: AgentJournal.DecisionsEntry = {
    kind: "resolved",
    attempt: resting.attempt + 1,
    decisions,
    requirements: (resting.output.requirements ?? []).map((each) =>
      resolvedRequirement(each, byId.get(each.tool_execution.tool_call_id))
    ),
    ...(said.input === undefined ? {} : { input: said.input }),
    ...(used === undefined || !isDecided(used) ? {} : { metadata: { approval: Json.of(used) } })
  }
  return AgentJournal.encode(entry)
})
