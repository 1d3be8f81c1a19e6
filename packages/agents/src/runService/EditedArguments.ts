// Whether a call can be made as a person decided, checked before the run is resumed: a decision counts once, and the
// person can send another one. The arguments fit the tool, and the source of the tool can be reached. The call can be
// one of a run at any depth.
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as KeyPatterns from "@svc-runtime/domain/schema/KeyPatterns"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import { fromJsonSchema, type Mismatch } from "@svc-runtime/engine/schema/AnySchema"
import * as Form from "@svc-runtime/engine/tool/Form"
import * as TextArguments from "@svc-runtime/engine/tool/TextArguments"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Context, Effect, Equal, Option, Predicate, Result, Schema } from "effect"
import * as ApprovalData from "../agent/continue/ApprovalData.ts"
import { decideBy, makesCall } from "../agent/continue/CallDecision.ts"
import type { Agent } from "../agent/define/Agent.ts"
import type * as AgentJournal from "../agent/execute/AgentJournal.ts"
import * as SourceTools from "../agent/execute/calls/SourceTools.ts"
import type * as DecidingRuns from "./DecidingRuns.ts"

/** The part of the schema that a reference names. Undefined for one outside of the schema. */
const referredIn = (root: unknown, reference: string): unknown =>
  reference.startsWith("#")
    ? reference.split("/").slice(1).reduce<unknown>((part, name) => {
      const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")
      return Predicate.isObject(part) && Object.hasOwn(part, key) ? part[key as keyof typeof part] : undefined
    }, root)
    : undefined

type Part = Readonly<Record<string, unknown>>

/**
 * What a schema says of a value: its parts behind references, and of each branch of a union. Each part is there once,
 * so that no level of a deep value takes more work than the schema has parts.
 */
interface Level {
  readonly parts: ReadonlyArray<Part>
  /** Whether a schema has a place for it. */
  readonly isKnown: boolean
  /** Of the keys and the items: a list can have many items with the same keys. */
  readonly inner: Map<string | number, Level>
}

const levelOf = (root: unknown, schemas: ReadonlyArray<unknown>): Level => {
  const parts = new Set<Part>()
  const open = [...schemas]
  for (const schema of open) {
    if (!Predicate.isObject(schema) || parts.has(schema as Part)) continue
    const { $ref, allOf, anyOf, oneOf } = schema as Part
    parts.add(schema as Part)
    for (const branches of [anyOf, oneOf, allOf]) if (Array.isArray(branches)) open.push(...branches as Array<unknown>)
    if (typeof $ref === "string") open.push(referredIn(root, $ref))
  }
  return { parts: [...parts], isKnown: schemas.length > 0, inner: new Map() }
}

const schemasAt = (parts: ReadonlyArray<Part>, key: string | number): ReadonlyArray<unknown> =>
  parts.flatMap((part) => {
    const { additionalProperties, items, prefixItems, properties } = part
    if (typeof key === "number") return [Array.isArray(prefixItems) ? prefixItems[key] ?? items : items]
    const isNamed = Predicate.isObject(properties) && Object.hasOwn(properties, key)
    const named = [
      ...isNamed ? [properties[key as keyof typeof properties]] : [],
      ...KeyPatterns.schemasFor(part, key) ?? []
    ]
    if (named.length > 0) return named
    return Predicate.isObject(additionalProperties) ? [additionalProperties] : []
  })

const innerOf = (root: unknown, { inner, parts }: Level, key: string | number): Level => {
  const level = inner.get(key) ?? levelOf(root, schemasAt(parts, key))
  inner.set(key, level)
  return level
}

/** Items behind those of `prefixItems` are alike. */
const tupleOf = ({ parts }: Level): number =>
  Math.max(0, ...parts.map(({ prefixItems }) => Array.isArray(prefixItems) ? prefixItems.length : 0))

/** Of a tool that another program has: it is not known what it makes of arguments. */
const unread = Symbol("unread")

const insideOf = (decoded: unknown, key: string | number): unknown => {
  if (decoded === unread) return unread
  return Predicate.isObjectOrArray(decoded) && Object.hasOwn(decoded, key)
    ? (decoded as Readonly<Record<string | number, unknown>>)[key]
    : undefined
}

const isDescribed = ({ parts }: Level): boolean =>
  parts.every(KeyPatterns.isWhole) &&
  parts.some(({ additionalProperties, patternProperties, properties }) =>
    [additionalProperties, patternProperties, properties].some(Predicate.isObject)
  )

/** Keys that the schema does not have and that are left out: a misspelt argument would be an edit that is lost. */
const unknownIn = (
  root: unknown,
  sent: unknown,
  decoded: unknown,
  level = levelOf(root, [root]),
  path = ""
): ReadonlyArray<string> => {
  const isUnread = decoded === unread
  // a tool reads a text of JSON where it takes no text
  const given = Predicate.isObjectOrArray(decoded) ? TextArguments.valueOf(sent) ?? sent : sent
  if (Array.isArray(given) && (isUnread || Array.isArray(decoded))) {
    const tuple = tupleOf(level)
    return given.flatMap((each, index) =>
      unknownIn(root, each, insideOf(decoded, index), innerOf(root, level, Math.min(index, tuple)), `${path}${index}.`)
    )
  }
  if (!Predicate.isObject(given) || !(isUnread || Predicate.isObject(decoded)) || !isDescribed(level)) return []
  const takesAny = isUnread && level.parts.some(({ additionalProperties }) => additionalProperties === true)
  const kept = new Set(isUnread ? [] : Object.keys(decoded as object))
  return Object.entries(given).flatMap(([key, value]) => {
    const inner = innerOf(root, level, key)
    return inner.isKnown || takesAny || kept.has(key)
      ? unknownIn(root, value, insideOf(decoded, key), inner, `${path}${key}.`)
      : [`${path}${key}`]
  })
}

const issueText = ({ message, path }: Mismatch["issues"][number]): string =>
  [path.join("."), message].filter((part) => part !== "").join(": ")

const takes = ({ parameters: { properties } }: Tool): string => {
  const names = Predicate.isObject(properties) ? Object.keys(properties) : []
  return names.length === 0 ? "" : ` (it takes ${NameList.first(names)})`
}

const checking = Option.liftThrowable(fromJsonSchema)

/** Why the tool does not take the arguments. `given`: whether the person gave an argument. */
const problemOf = Effect.fnUntraced(function*(
  args: Json.Object,
  tool: Tool,
  given: (name: string | number | undefined) => boolean
) {
  const decode = tool.decode ?? Option.getOrUndefined(checking(tool.parameters))?.decode
  // its schema cannot be checked
  if (decode === undefined) return undefined
  // as the source sends them
  const sent = tool.decode === undefined ? TextArguments.byTypes(tool.parameters as Json.Object, args) : args
  const decoded = yield* Effect.result(decode(sent))
  if (Result.isFailure(decoded)) {
    const issue = decoded.failure.issues.find(({ path: [name] }) => given(name))
    return issue && issueText(issue)
  }
  const made = tool.decode === undefined ? unread : decoded.success
  const unknown = unknownIn(tool.parameters, sent, made).filter((name) => given(name.split(".")[0]))
  return unknown.length === 0
    ? undefined
    : `there is no ${NameList.first(unknown.map((name) => `'${name}'`))}${takes(tool)}`
})

type Requested = ToolExecution.ToolExecution

/** The tool of a call, or why the agent has none. Fails if its source does not reply. */
type ToolOf = (agent: SourceTools.Asking, call: Requested, isOwn: boolean) => Effect.Effect<
  Tool | string,
  ContinueRejected
>

/** `services`: with which sources are asked, as runs have them. A request has others. */
const toolOf = (services: Context.Context<never>): ToolOf =>
  Effect.fnUntraced(function*(agent, { tool_call_id, tool_name, tool_source }, isOwn) {
    const own = tool_source === undefined ? agent.tools.get(tool_name) : undefined
    if (own !== undefined || isOwn) return own ?? SourceTools.gone
    // the runs of earlier versions do not say of which source a call is
    const toolSources = agent.toolSources.filter(({ name }) => tool_source === undefined || name === tool_source)
    const { failures: [failure], tools } = yield* Effect.updateContext(
      Effect.scoped(SourceTools.ask({ ...agent, tools: new Map(), toolSources })),
      (context: Context.Context<never>) => Context.merge(services, context)
    )
    const offered = tools.get(tool_name)
    if (offered !== undefined) return offered
    if (failure !== undefined) {
      return yield* new ContinueRejected({
        reason: "unavailable",
        message: `${tool_name} (${tool_call_id}) cannot be called now. ${failure.tool_source}: ` +
          `${failure.reason}. Nothing is decided: send it again later`
      })
    }
    return tool_source === undefined
      ? SourceTools.gone
      : SourceTools.absence(tool_source, toolSources.length === 0 ? undefined : { problem: undefined })
  })

/** The arguments that a person has given. Undefined: those of the model count. */
const editedIn = ({ confirmed, tool_args, user_input_schema }: AgentJournal.Decision, requested: Requested) => {
  const isAsked = requested.requires_user_input === true
  const isEdited = isAsked ? user_input_schema !== undefined && requested.asked === undefined : confirmed === true
  return isEdited && !Equal.equals(tool_args, requested.tool_args) ? tool_args : undefined
}

/**
 * Why the call cannot be made as a person decided. Undefined: one of the agents that it can be of can make it. `call`:
 * how it is named.
 */
const problemOfDecision = Effect.fnUntraced(function*(
  decision: AgentJournal.Decision,
  requested: Requested,
  { agents, call, isOwn = false, toolOf }: {
    readonly agents: ReadonlyArray<SourceTools.Asking>
    readonly call: string
    readonly isOwn?: boolean | undefined
    readonly toolOf: ToolOf
  }
) {
  if (!makesCall(decision)) return undefined
  const edited = editedIn(decision, requested)
  const unfit = (problem: string) => `the arguments of ${call} do not fit: ${problem}`
  if (edited !== undefined && !Json.isObject(edited)) {
    return unfit("they are one object, with the arguments by their names")
  }
  const names = requested.requires_user_input === true
    ? new Set<unknown>(Form.fieldsIn(decision.user_input_schema)?.map(({ name }) => name))
    : undefined
  const problems: Array<string> = []
  for (const agent of agents) {
    const tool = yield* toolOf(agent, requested, isOwn)
    if (typeof tool === "string") {
      problems.push(
        requested.outcome_unknown === true
          ? `${call} cannot be repeated: ${tool}. It can be skipped, or get its result`
          : `${call} cannot be called: ${tool}. It can be rejected`
      )
      continue
    }
    // what the model gave beside the values of a person is not theirs
    const problem = edited && (yield* problemOf(edited, tool, (name) => names?.has(name) !== false))
    if (problem === undefined) return undefined
    problems.unshift(unfit(problem))
  }
  return problems[0]
})

/** A person has decided before, when the call fitted: the run follows it, and its model reads what does not fit now. */
const followsApproval = (
  { resolved_by }: AgentJournal.Decision,
  { approval_type, asked, outcome_unknown }: Requested
): boolean =>
  resolved_by === undefined && approval_type === "required" && asked === undefined && outcome_unknown !== true

/** None: it is not known here, and is seen when the run makes its calls. */
const agentsOf = ({ agent }: Pick<DecidingRuns.Deciding, "agent">) => agent === undefined ? [] : [agent]

/** Of a run that is to be resumed. */
const checkOwn = Effect.fnUntraced(function*(
  { agent, decisions, field, lost, waiting }: DecidingRuns.Deciding,
  toolOf: ToolOf
) {
  for (const decision of decisions) {
    const found = waiting.find(({ call }) => call === decision.call)
    if (found === undefined) continue
    const { isOwn, tool } = found
    const { tool_call_id, tool_name } = tool
    const message = yield* problemOfDecision(decision, tool, {
      isOwn,
      agents: agentsOf({ agent }),
      call: `${tool_name} (${tool_call_id})`,
      toolOf: (...args) => {
        const reason = lost.get(decision.call)
        return reason === undefined ? toolOf(...args) : Effect.succeed(reason)
      }
    })
    if (message === undefined || followsApproval(decision, tool)) continue
    return yield* new ContinueRejected({ reason: "malformed", field, message })
  }
})

const requirementsIn = Schema.decodeUnknownOption(Schema.Array(Requirement.Requirement))

type Resolution = Pick<Approval.Approval, "resolution_data" | "status">

export interface Known {
  /** The agents of the service, with the leaders of teams. */
  readonly agents: ReadonlyArray<Agent>
  /** What the run of the approval waits for. Undefined: that is not stored yet. */
  readonly pending: DecidingRuns.Pending | undefined
}

/** Several members can have one id. Those with the tool of a call, or with its source, can be that of the run. */
const isOf = ({ toolSources, tools }: Agent, { tool_name, tool_source }: Requested): boolean =>
  tool_source === undefined ? tools.has(tool_name) : toolSources.some(({ name }) => name === tool_source)

const problemOfResolution = Effect.fnUntraced(function*(
  { agents, pending }: Known,
  approval: Approval.Approval,
  resolution: Resolution,
  toolOf: ToolOf
): Effect.fn.Return<ApprovalData.Problem | undefined, ContinueRejected> {
  const calls = Option.getOrElse(requirementsIn(approval.requirements), () => []).map((each) => each.tool_execution)
  if (calls.length === 0) return undefined
  const unknown = ApprovalData.problemIn(resolution, calls)
  if (unknown !== undefined) return unknown
  const id = approval.agent_id ?? approval.team_id
  const owners = agents.filter((agent) => agent.id === id)
  for (const tool of calls) {
    const sent = ApprovalData.sentFor(tool, resolution)
    const decided = yield* Effect.result(decideBy({ call: 0, tool }, { sent }))
    if (Result.isFailure(decided)) {
      const { message, reason } = decided.failure
      return (reason === "unresolved" ? ApprovalData.missingFor(tool) : undefined) ?? { message }
    }
    const problem = yield* problemOfDecision(decided.success, tool, {
      agents: pending === undefined ? owners.filter((agent) => isOf(agent, tool)) : agentsOf(pending),
      isOwn: pending?.waiting.find((each) => each.tool.tool_call_id === tool.tool_call_id)?.isOwn,
      call: tool.tool_name,
      toolOf
    })
    if (problem !== undefined) return { message: problem }
  }
  return undefined
})

export interface EditedArguments {
  /** Of runs that are to be resumed. */
  readonly check: (deciding: ReadonlyArray<DecidingRuns.Deciding>) => Effect.Effect<void, ContinueRejected>
  /**
   * Why the calls of an approval cannot follow a decision, by the rule for the decisions of `continue`. Undefined: they
   * can. A person decides once, so it is asked before the decision is stored.
   */
  readonly problemOfApproval: (
    known: Known,
    approval: Approval.Approval,
    resolution: Resolution
  ) => Effect.Effect<ApprovalData.Problem | undefined, ContinueRejected>
}

/** With the services around it, which tool sources need. */
export const make: Effect.Effect<EditedArguments> = Effect.map(Effect.context<never>(), (services) => {
  const find = toolOf(services)
  return {
    check: (deciding) => Effect.forEach(deciding, (each) => checkOwn(each, find), { discard: true }),
    problemOfApproval: (known, approval, resolution) => problemOfResolution(known, approval, resolution, find)
  }
})
