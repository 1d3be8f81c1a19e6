// What a person sends with the decision on an approval, and what it is for each call that waits for it.
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as Form from "@svc-runtime/engine/tool/Form"
import type { SentTool } from "./SentRequirement.ts"

type Tool = ToolExecution.ToolExecution

const fieldsOf = (tool: Tool): ReadonlyArray<string> =>
  tool.requires_user_input === true ? (Form.fieldsIn(tool.user_input_schema) ?? []).map(({ name }) => name) : []

/** Some clients write null for what is not set. */
const isGiven = (value: Json.Value | undefined): value is Exclude<Json.Value, null> =>
  value !== undefined && value !== null

/** The values can be in `values`, or beside the note. */
const valuesIn = (data: Json.Object, fields: ReadonlyArray<string>): Json.Object => {
  const { values } = data
  return Json.isObject(values) && !fields.includes("values") ? values : data
}

/** Some clients call the note the reason. A field of the form may have the same name. */
const noteIn = (data: Json.Object, fields: ReadonlyArray<string>) => {
  const note = ["note", "reason"].map((name) => fields.includes(name) ? null : data[name])
    .find((each) => typeof each === "string")
  return note === undefined ? {} : { confirmation_note: note }
}

/** The decision on one of the calls, in the form of a request. */
export const sentFor = (
  tool: Tool,
  { resolution_data, status }: Pick<Approval.Approval, "resolution_data" | "status">
): SentTool => {
  const { tool_call_id } = tool
  const data = resolution_data ?? {}
  const fields = fieldsOf(tool)
  const note = noteIn(data, isGiven(data["values"]) ? [] : fields)
  if (status === "rejected") return { tool_call_id, confirmed: false, ...note }
  const { result, tool_args } = data
  const values = valuesIn(data, fields)
  return {
    tool_call_id,
    confirmed: true,
    ...note,
    ...(isGiven(tool_args) && tool.requires_user_input !== true ? { tool_args } : {}),
    ...(typeof result === "string" ? { result } : {}),
    user_input_schema: fields.flatMap((name) => {
      const { [name]: value } = values
      return value === undefined ? [] : [{ name, value }]
    })
  }
}

/** The keys that the data can have for a call. */
const keysFor = (tool: Tool): ReadonlyArray<string> => {
  if (tool.external_execution_required === true) return ["result"]
  return tool.requires_user_input === true ? ["values"] : ["tool_args"]
}

const quoted = (names: ReadonlyArray<string>) => NameList.first(names.map((name) => `'${name}'`))

/** What the calls cannot take. A key without a meaning can be a misspelt decision. */
export const problemIn = (data: Json.Object, tools: ReadonlyArray<Tool>): string | undefined => {
  const fields = tools.flatMap(fieldsOf)
  const keys = [...new Set(tools.flatMap(keysFor)), "note"]
  const given = Object.keys(data).filter((key) => isGiven(data[key]))
  const areFlat = !isGiven(data["values"])
  const known = [...keys, "reason", ...(areFlat ? fields : [])]
  const unknown = given.filter((key) => !known.includes(key))
  if (unknown.length > 0) return `there is no ${quoted(unknown)}: the keys are ${quoted(keys)}`
  const { values } = data
  if (areFlat || fields.includes("values")) return undefined
  if (!Json.isObject(values)) return "values: they are one object, with the values by the names of the fields"
  const others = Object.keys(values).filter((name) => !fields.includes(name))
  return others.length === 0 ? undefined : `values: there is no ${quoted(others)} (the fields are ${quoted(fields)})`
}
