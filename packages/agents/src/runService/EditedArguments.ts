// The arguments with which a person replaces those of a call, checked before the run is resumed: the person can send
// others. The call can be one of a run at any depth. Tools of tool sources check theirs when they are called.
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import { authored, type Mismatch } from "@svc-runtime/engine/schema/AnySchema"
import * as TextArguments from "@svc-runtime/engine/tool/TextArguments"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Effect, Equal, Predicate } from "effect"
import type { Agent } from "../agent/define/Agent.ts"
import type { Deciding } from "./DecidingRuns.ts"

/** References to references end here. */
const maxReferences = 16

/** The part of the schema that a reference names. Undefined for one outside of the schema. */
const referredIn = (root: unknown, reference: string): unknown =>
  reference.startsWith("#")
    ? reference.split("/").slice(1).reduce<unknown>((part, name) => {
      const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")
      return Predicate.isObject(part) && Object.hasOwn(part, key) ? part[key as keyof typeof part] : undefined
    }, root)
    : undefined

/** The schemas that a value can have: behind references, and each branch of a union. */
const branchesOf = (root: unknown, schema: unknown, depth = 0): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (!Predicate.isObject(schema) || depth > maxReferences) return []
  const { $ref, allOf, anyOf, oneOf } = schema as Readonly<Record<string, unknown>>
  const inner = [anyOf, oneOf, allOf].flatMap((each) => Array.isArray(each) ? each : [])
  const referred = typeof $ref === "string" ? [referredIn(root, $ref)] : []
  return [
    schema as Readonly<Record<string, unknown>>,
    ...[...inner, ...referred].flatMap((each) => branchesOf(root, each, depth + 1))
  ]
}

const schemasAt = (branches: ReturnType<typeof branchesOf>, key: string): ReadonlyArray<unknown> =>
  branches.flatMap(({ additionalProperties, properties }) =>
    Predicate.isObject(properties) && Object.hasOwn(properties, key)
      ? [properties[key as keyof typeof properties]]
      : Predicate.isObject(additionalProperties)
      ? [additionalProperties]
      : []
  )

const schemasOfItem = (branches: ReturnType<typeof branchesOf>, index: number): ReadonlyArray<unknown> =>
  branches.flatMap(({ items, prefixItems }) => [Array.isArray(prefixItems) ? prefixItems[index] ?? items : items])

/** Keys that the schema does not have and that are left out: a misspelt argument would be an edit that is lost. */
const unknownIn = (
  root: unknown,
  given: unknown,
  decoded: unknown,
  schemas: ReadonlyArray<unknown> = [root],
  path = ""
): ReadonlyArray<string> => {
  const branches = schemas.flatMap((schema) => branchesOf(root, schema))
  if (Array.isArray(given) && Array.isArray(decoded)) {
    return given.flatMap((each, index) =>
      unknownIn(root, each, decoded[index], schemasOfItem(branches, index), `${path}${index}.`)
    )
  }
  const isDescribed = branches.some(({ additionalProperties, properties }) =>
    Predicate.isObject(properties) || Predicate.isObject(additionalProperties)
  )
  if (!Predicate.isObject(given) || !Predicate.isObject(decoded) || !isDescribed) return []
  const kept = new Map<string, unknown>(Object.entries(decoded))
  return Object.entries(given).flatMap(([key, value]) => {
    const inner = schemasAt(branches, key)
    return inner.length > 0 || kept.has(key)
      ? unknownIn(root, value, kept.get(key), inner, `${path}${key}.`)
      : [`${path}${key}`]
  })
}

const problemOf = ({ issues: [issue] }: Mismatch): string =>
  [issue?.path.join("."), issue?.message].filter((part) => part !== "" && part !== undefined).join(": ")

const takes = ({ parameters: { properties } }: Tool): string => {
  const names = Predicate.isObject(properties) ? Object.keys(properties) : []
  return names.length === 0 ? "" : ` (it takes ${NameList.first(names)})`
}

type Refuse = (problem: string) => ContinueRejected

/** Fails with the name of the argument that does not fit. */
const checkArguments = Effect.fnUntraced(function*(args: Json.Object, tool: Tool, refused: Refuse) {
  const decode = tool.decode ?? TextArguments.decoding(authored(tool.parameters).decode)
  const decoded = yield* Effect.mapError(decode(args), (mismatch) => refused(problemOf(mismatch)))
  const unknown = unknownIn(tool.parameters, args, decoded)
  if (unknown.length > 0) {
    return yield* refused(`there is no ${NameList.first(unknown.map((name) => `'${name}'`))}${takes(tool)}`)
  }
})

/** Of a run that is to be resumed. */
const checkOwn = Effect.fnUntraced(function*({ decisions, field, tools, waiting }: Deciding) {
  for (const { call, confirmed, tool_args } of decisions) {
    const requested = waiting.find((each) => each.call === call)?.tool
    const isEdited = confirmed === true && requested?.requires_user_input !== true && tool_args !== undefined &&
      !Equal.equals(tool_args, requested?.tool_args)
    if (!isEdited || requested === undefined) continue
    const { tool_call_id, tool_name } = requested
    const refused = (problem: string) =>
      new ContinueRejected({
        reason: "malformed",
        field,
        message: `the arguments of ${tool_name} (${tool_call_id}) do not fit: ${problem}`
      })
    if (!Json.isObject(tool_args)) return yield* refused("they are one object, with the arguments by their names")
    const tool = tools.get(tool_name)
    if (tool !== undefined) yield* checkArguments(tool_args, tool, refused)
  }
})

export const check = (deciding: ReadonlyArray<Deciding>) => Effect.forEach(deciding, checkOwn, { discard: true })

/** Other names of `tool_args`. Under one of them an edit would be lost, and the call made as it was. */
const misnamed = new Set(["args", "arguments", "editedargs", "editedarguments", "toolarguments", "toolargs"])

/** The tools that a call of an approval can be of. More than one if several members have the same id. */
const toolsOfApproval = (agents: Iterable<Agent>, { agent_id, team_id, tool_name }: Approval.Approval) => {
  const id = agent_id ?? team_id
  return [...agents].flatMap((agent) => (agent.id === id && agent.tools.get(tool_name ?? "")) || [])
}

/**
 * Why the call of an approval cannot be approved with this data. Undefined: it can. `agents`: of the service,
 * with the leaders of teams. Arguments of calls of other agents are checked when they are called.
 */
export const problemOfApproved = Effect.fnUntraced(function*(
  agents: Iterable<Agent>,
  approval: Approval.Approval,
  data: Json.Object
) {
  if (approval.pause_type !== "confirmation") return undefined
  const { tool_args } = data
  const other = Object.keys(data).find((key) => key !== "tool_args" && misnamed.has(key.toLowerCase().replace("_", "")))
  if (other !== undefined) return `there is no '${other}'. Edited arguments are in 'tool_args'`
  if (tool_args === undefined || Equal.equals(tool_args, approval.tool_args)) return undefined
  if (!Json.isObject(tool_args)) return "tool_args: they are one object, with the arguments by their names"
  const refused = (message: string) => new ContinueRejected({ reason: "malformed", message: `tool_args: ${message}` })
  const problems = yield* Effect.forEach(
    toolsOfApproval(agents, approval),
    (tool) =>
      Effect.match(checkArguments(tool_args, tool, refused), {
        onFailure: ({ message }) => message,
        onSuccess: () => undefined
      })
  )
  return problems.includes(undefined) ? undefined : problems[0]
})
