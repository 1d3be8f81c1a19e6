// What a person sends with the decision on an approval, what it is for each call that waits for it, and what a decision
// of a caller who continues the run would have been as such data.
import type * as Approval from "@svc-runtime/domain/Approval"
import * as DecisionNote from "@svc-runtime/domain/DecisionNote"
import * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import type { NeededDecision } from "@svc-runtime/domain/NeededDecision"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as Form from "@svc-runtime/engine/tool/Form"
import { Equal } from "effect"
import type * as AgentJournal from "../execute/AgentJournal.ts"
import * as Needed from "./Needed.ts"
import type { SentTool } from "./SentRequirement.ts"

type Tool = ToolExecution.ToolExecution
type Resolution = Pick<Approval.Approval, "resolution_data" | "status">

const fieldsOf = (tool: Tool): ReadonlyArray<string> =>
  tool.requires_user_input === true ? (Form.fieldsIn(tool.user_input_schema) ?? []).map(({ name }) => name) : []

/** The values can be in `values`, or beside the note. */
const valuesIn = (data: Json.Object, fields: ReadonlyArray<string>): Json.Object => {
  const { values } = data
  return Json.isObject(values) && !fields.includes("values") ? values : data
}

/** A field whose value is beside the note may have the same name. */
const noteIn = (data: Json.Object, fields: ReadonlyArray<string>) => {
  const note = DecisionNote.names.map((name) => fields.includes(name) ? null : data[name])
    .find((each) => typeof each === "string")
  return note === undefined ? {} : { confirmation_note: note }
}

/** The key with what the call waits for, or what can be changed of it. */
const keyOf = (tool: Tool) => {
  if (tool.external_execution_required === true) return "result"
  return tool.requires_user_input === true ? "values" : "tool_args"
}

/** The decision on one of the calls, in the form of a request. */
export const sentFor = (tool: Tool, { resolution_data, status }: Resolution): SentTool => {
  const { tool_call_id } = tool
  const data = resolution_data ?? {}
  if (status === "rejected") return { tool_call_id, confirmed: false, ...noteIn(data, []) }
  const [fields, key] = [fieldsOf(tool), keyOf(tool)]
  const { result, tool_args, tool_call_id: only } = data
  const isMeant = typeof only !== "string" || only === tool_call_id
  const values = valuesIn(data, fields)
  return {
    tool_call_id,
    confirmed: true,
    ...noteIn(data, DecisionNote.isGiven(data["values"]) ? [] : fields),
    ...(key === "tool_args" && isMeant && DecisionNote.isGiven(tool_args) ? { tool_args } : {}),
    ...(key === "result" && typeof result === "string" ? { result } : {}),
    user_input_schema: fields.flatMap((name) => {
      const { [name]: value } = values
      return value === undefined ? [] : [{ name, value }]
    })
  }
}

const quoted = (names: ReadonlyArray<string>) => NameList.first(names.map((name) => `'${name}'`))

const idsOf = (tools: ReadonlyArray<Tool>): string => quoted(tools.map(({ tool_call_id }) => tool_call_id))

/** What the call needs of an approval. Undefined: nothing. */
const neededBy = (tool: Tool): Needed.Needed | undefined =>
  ({
    result: { kind: "result" as const, names: [], words: "its `result`, a text" },
    values: Needed.valuesOf(tool, "`values`"),
    tool_args: undefined
  })[keyOf(tool)]

/** Why an approval cannot be resolved so, and what its calls need. */
export interface Problem {
  readonly message: string
  readonly needs?: ReadonlyArray<NeededDecision>
}

const plain = (message: string | undefined): Problem | undefined => message === undefined ? undefined : { message }

/** `before`: what is wrong with the decision. */
const lacking = (tools: ReadonlyArray<Tool>, ...before: ReadonlyArray<string>): Problem => {
  const found = tools.flatMap((tool) => {
    const needed = neededBy(tool)
    return needed === undefined ? [] : [[tool.tool_name, needed] as const]
  })
  const sentences = found.map(([name, { words }]) => `${name} needs ${words}`)
  return {
    message: [...before, ...sentences].join(". "),
    needs: found.map(([name, needed]) => Needed.named(name, needed))
  }
}

const onEach = "continue the run with a decision on each of them in `requirements`"

/** One text is not the result of several calls, and edited arguments are those of one of them. */
const severalProblem = (data: Json.Object, tools: ReadonlyArray<Tool>): string | undefined => {
  const [external, edited] = ["result", "tool_args"].map((key) => tools.filter((tool) => keyOf(tool) === key))
  if (DecisionNote.isGiven(data["result"]) && external !== undefined && external.length > 1) {
    return `result: ${external.length} calls need one of their own (${idsOf(external)}). Instead, ${onEach}`
  }
  if (!DecisionNote.isGiven(data["tool_args"]) || edited === undefined) return undefined
  const { tool_call_id: id } = data
  if (DecisionNote.isGiven(id)) {
    return edited.some(({ tool_call_id }) => tool_call_id === id)
      ? undefined
      : `tool_call_id: there is no call '${String(id)}' that takes them (there is ${idsOf(edited)})`
  }
  return edited.length < 2 ?
    undefined :
    `tool_args: ${edited.length} calls can take them. Name the one that is meant ` +
    `in 'tool_call_id' (${idsOf(edited)}), or ${onEach}`
}

/** Those of the form that can stand beside the note. */
const flatIn = (data: Json.Object, fields: ReadonlyArray<string>) => DecisionNote.isGiven(data["values"]) ? [] : fields

/** What is wrong with keys that have a meaning. */
const valueProblem = (data: Json.Object, tools: ReadonlyArray<Tool>): string | undefined => {
  const fields = tools.flatMap(fieldsOf)
  const flat = flatIn(data, fields)
  const problem = DecisionNote.problemIn(data, DecisionNote.names.filter((name) => !flat.includes(name))) ??
    severalProblem(data, tools)
  if (problem !== undefined) return problem
  if (
    DecisionNote.isGiven(data["tool_call_id"]) && !DecisionNote.isGiven(data["tool_args"]) &&
    !flat.includes("tool_call_id")
  ) {
    return "tool_call_id: it names the call of 'tool_args', and there are none"
  }
  const { values } = data
  if (!DecisionNote.isGiven(values) || fields.includes("values")) return undefined
  if (!Json.isObject(values)) return "values: they are one object, with the values by the names of the fields"
  const others = Object.keys(values).filter((name) => !fields.includes(name))
  return others.length === 0 ? undefined : `values: there is no ${quoted(others)} (the fields are ${quoted(fields)})`
}

/** What the calls cannot take. A key without a meaning can be a misspelt decision. */
export const problemIn = ({ resolution_data, status }: Resolution, tools: ReadonlyArray<Tool>): Problem | undefined => {
  const data = resolution_data ?? {}
  if (status === "rejected") return plain(DecisionNote.rejectionProblemIn(data))
  const keys = [...new Set(tools.map(keyOf)), "note"]
  const known = [
    ...keys,
    ...DecisionNote.names,
    ...(keys.includes("tool_args") ? ["tool_call_id"] : []),
    ...flatIn(data, tools.flatMap(fieldsOf))
  ]
  const unknown = Object.keys(data).filter((key) => DecisionNote.isGiven(data[key]) && !known.includes(key))
  return unknown.length > 0
    ? lacking(tools, `there is no ${quoted(unknown)}: the keys are ${quoted(keys)}`)
    : plain(valueProblem(data, tools))
}

/** A call without what it needs. Undefined: it needs nothing. */
export const missingFor = (tool: Tool): Problem | undefined => neededBy(tool) && lacking([tool])

interface Decided {
  readonly decision: AgentJournal.Decision
  readonly tool: Tool
}

/** Without what the model has given, and what a person has left out. */
const dataOf = ({ decision, tool }: Decided): Json.Object => {
  const { confirmed, note, result, tool_args, user_input_schema } = decision
  const values = (Form.fieldsIn(user_input_schema) ?? []).flatMap(({ name, value }) =>
    value === null ? [] : [[name, value] as const]
  )
  const isEdited = confirmed === true && tool.requires_user_input !== true && tool_args !== undefined &&
    !Equal.equals(tool_args, tool.tool_args)
  return {
    ...(isEdited ? { tool_args } : {}),
    ...(values.length === 0 ? {} : { values: Object.fromEntries(values) }),
    ...(result === undefined ? {} : { result }),
    ...(note === undefined ? {} : { note })
  }
}

/** What a caller who continues the run has decided on the calls of an approval. Null: nothing beside its status. */
export const recordOf = (decided: ReadonlyArray<Decided>): Json.Object | null => {
  const calls = decided.map((each) => ({ data: dataOf(each), isRejected: each.decision.confirmed === false, ...each }))
  const isPlain = calls.every(({ data, isRejected }) =>
    Object.keys(data).length === 0 && isRejected === calls[0]?.isRejected
  )
  if (isPlain) return null
  const [only] = calls
  if (only !== undefined && calls.length === 1) return only.data
  return {
    calls: calls.map(({ data, isRejected, tool }) => ({
      tool_call_id: tool.tool_call_id,
      status: isRejected ? "rejected" : "approved",
      ...data
    }))
  }
}
