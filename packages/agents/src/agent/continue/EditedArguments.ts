// The arguments with which a person replaces those of a call, checked before the run is resumed: the person can send
// others. Tools of tool sources check theirs when they are called.
import * as NameList from "@svc-runtime/domain/NameList"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { authored, type Mismatch } from "@svc-runtime/engine/schema/AnySchema"
import * as TextArguments from "@svc-runtime/engine/tool/TextArguments"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Effect, Equal, Predicate } from "effect"
import * as AgentJournal from "../execute/AgentJournal.ts"
import { pendingCalls } from "./CallDecision.ts"

interface WithTools {
  readonly tools: ReadonlyMap<string, Tool>
}

/** Of an agent, or of the leader of a team. */
const toolsOf = (component: object): ReadonlyMap<string, Tool> | undefined => {
  const owner = "leader" in component ? component.leader : component
  return Predicate.hasProperty(owner, "tools") && owner.tools instanceof Map ? (owner as WithTools).tools : undefined
}

const isResolved = (entry: AgentJournal.Entry | undefined): entry is AgentJournal.DecisionsEntry =>
  entry?.kind === "resolved"

/** Keys that the schema does not have and that are left out: a misspelt argument would be an edit that is lost. */
const unknownIn = (given: unknown, decoded: unknown, schema: unknown, path = ""): ReadonlyArray<string> => {
  if (Array.isArray(given) && Array.isArray(decoded)) {
    const items = Predicate.hasProperty(schema, "items") ? schema.items : undefined
    return given.flatMap((each, index) => unknownIn(each, decoded[index], items, `${path}${index}.`))
  }
  const properties = Predicate.hasProperty(schema, "properties") ? schema.properties : undefined
  if (!Predicate.isObject(given) || !Predicate.isObject(decoded) || !Predicate.isObject(properties)) return []
  const shapes = new Map<string, unknown>(Object.entries(properties))
  const kept = new Map<string, unknown>(Object.entries(decoded))
  return Object.entries(given).flatMap(([key, value]) =>
    shapes.has(key) || kept.has(key)
      ? unknownIn(value, kept.get(key), shapes.get(key), `${path}${key}.`)
      : [`${path}${key}`]
  )
}

const problemOf = ({ issues: [issue] }: Mismatch): string =>
  [issue?.path.join("."), issue?.message].filter((part) => part !== "" && part !== undefined).join(": ")

const takes = ({ parameters: { properties } }: Tool): string => {
  const names = Predicate.isObject(properties) ? Object.keys(properties) : []
  return names.length === 0 ? "" : ` (it takes ${NameList.first(names)})`
}

/** Fails with the name of the field that does not fit. `entry`: with which the run is to be resumed. */
export const check = Effect.fnUntraced(function*(
  component: object,
  run: RunSnapshot,
  entry: Parameters<typeof AgentJournal.decode>[0][number] | undefined
) {
  const tools = toolsOf(component)
  if (tools === undefined || entry === undefined) return
  const [resolved] = yield* Effect.orElseSucceed(AgentJournal.decode([entry]), () => [])
  if (!isResolved(resolved) || resolved.decisions.every(({ tool_args }) => tool_args === undefined)) return
  const waiting = pendingCalls(run, yield* Effect.orDie(AgentJournal.decode(run.entries)))
  for (const { call, confirmed, tool_args } of resolved.decisions) {
    const requested = waiting.find((each) => each.call === call)?.tool
    const tool = requested === undefined ? undefined : tools.get(requested.tool_name)
    const isEdited = confirmed === true && requested?.requires_user_input !== true &&
      Predicate.isObject(tool_args) && !Equal.equals(tool_args, requested?.tool_args)
    if (!isEdited || tool === undefined || requested === undefined) continue
    const refused = (problem: string) =>
      new ContinueRejected({
        reason: "malformed",
        field: "tools",
        message: `the arguments of ${tool.name} (${requested.tool_call_id}) do not fit: ${problem}`
      })
    const decode = tool.decode ?? TextArguments.decoding(authored(tool.parameters).decode)
    const decoded = yield* Effect.mapError(decode(tool_args), (mismatch) => refused(problemOf(mismatch)))
    const unknown = unknownIn(tool_args, decoded, tool.parameters)
    if (unknown.length > 0) {
      return yield* refused(`there is no ${NameList.first(unknown.map((name) => `'${name}'`))}${takes(tool)}`)
    }
  }
})
