// What a missing decision has to have, for the text of the error: what is sent, and the function of the clients that
// makes it.
import * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"

/** The names of the fields without a value that need one. */
const openIn = (fields: Json.Value | undefined): string => {
  const names = (Json.isList(fields) ? fields : []).flatMap((field) =>
    Json.isObject(field) && field["value"] === null && field["required"] !== false ? [`'${String(field["name"])}'`] : []
  )
  return names.length === 0 ? "" : ` of ${NameList.first(names)}`
}

const confirmation = "`confirmed`, as approve(run) and reject(run) of the clients do"

/** The values that a call needs. */
export const valuesOf = (tool: ToolExecution.ToolExecution): string => `values${openIn(tool.user_input_schema)}`

/** What waits: a call, or the event of a step, whose id is of no use to a person. */
export const nameOf = ({ asked, tool_call_id, tool_name }: ToolExecution.ToolExecution): string =>
  asked?.event === tool_name ? `'${tool_name}'` : `${tool_name} (${tool_call_id})`

/** Of a call that waits. */
export const ofCall = (tool: ToolExecution.ToolExecution): string => {
  if (tool.outcome_unknown === true) {
    return "its `result`, or `confirmed`: true repeats it, as approve(run) of the clients does, and false rejects it"
  }
  const event = tool.asked?.event
  if (event !== undefined) {
    return `the event in \`external_execution_result\`, as send(run, '${event}') of the clients sends it`
  }
  if (tool.external_execution_required === true) {
    return "`external_execution_result`, as answer(run) of the clients does with a result"
  }
  return tool.requires_user_input === true
    ? `${valuesOf(tool)} in \`user_input_schema\`, as answer(run, values) of the clients does`
    : confirmation
}

/** Of a step that waits. */
export const ofStep = (requirement: StepRequirement.StepRequirement): string => {
  const { requires_confirmation, requires_output_review, requires_route_selection, requires_user_input } = requirement
  const also = requires_confirmation || requires_output_review ? "`confirmed` and " : ""
  if (requires_user_input) {
    const fields = openIn(requirement.user_input_schema)
    return `${also}values${fields} in \`user_input\`, as answer(run, values) of the clients does`
  }
  if (requires_route_selection) {
    const choices = NameList.first((requirement.available_choices ?? []).map((choice) => `'${choice}'`))
    return `${also}\`selected_choices\` among ${choices}, as answer(run) of the clients does with choices`
  }
  return confirmation
}

/** Of a step that failed. */
export const ofError = "`decision`, as approve(run) (\"retry\") and reject(run) (\"skip\") of the clients do"
