// What a missing decision has to have, for the error: as data, and as text with what is sent and the function of the
// clients that makes it.
import * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import type { NeededDecision } from "@svc-runtime/domain/NeededDecision"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { DateTime } from "effect"

export interface Needed extends Pick<NeededDecision, "kind" | "names"> {
  readonly words: string
}

const quoted = (names: ReadonlyArray<string>) => NameList.first(names.map((name) => `'${name}'`))

const needed = (kind: Needed["kind"], words: string, names: Needed["names"] = []): Needed => ({ kind, words, names })

/** The names of the fields without a value that need one. */
const openIn = (fields: Json.Value | undefined): ReadonlyArray<string> =>
  (Json.isList(fields) ? fields : []).flatMap((field) =>
    Json.isObject(field) && field["value"] === null && field["required"] !== false ? [String(field["name"])] : []
  )

const valuesIn = (fields: Json.Value | undefined, place: string, before = ""): Needed => {
  const names = openIn(fields)
  return needed("values", `${before}values${names.length === 0 ? "" : ` of ${quoted(names)}`} in ${place}`, names)
}

const confirmation = needed("confirmation", "`confirmed`, as approve(run) and reject(run) of the clients do")

/** The values that a call needs, in a place of the request. */
export const valuesOf = (tool: ToolExecution.ToolExecution, place: string): Needed =>
  valuesIn(tool.user_input_schema, place)

/** What waits: a call, or the event of a step, whose id is of no use to a person. */
export const nameOf = ({ asked, tool_call_id, tool_name }: ToolExecution.ToolExecution): string =>
  asked?.event === tool_name ? `'${tool_name}'` : `${tool_name} (${tool_call_id})`

/** It waits only for a time. */
export const isForTime = (
  tool: ToolExecution.ToolExecution
): tool is ToolExecution.ToolExecution & { readonly wake_at: number } =>
  tool.external_execution_required === true && tool.wake_at !== undefined && tool.asked?.event === undefined

/** Of a call that waits. */
export const ofCall = (tool: ToolExecution.ToolExecution): Needed => {
  if (tool.outcome_unknown === true) {
    return needed(
      "outcome",
      "its `result`, or `confirmed`: true repeats it, as approve(run) of the clients does, and false rejects it"
    )
  }
  const event = tool.asked?.event
  if (event !== undefined) {
    const words = `the event in \`external_execution_result\`, as send(run, '${event}') of the clients sends it`
    return needed("event", words, [event])
  }
  const result = "`external_execution_result`, as answer(run) of the clients does with a result"
  if (isForTime(tool)) {
    const end = DateTime.formatIso(DateTime.makeUnsafe(tool.wake_at * 1000))
    return needed(
      "result",
      `time: it continues by itself at ${end} (in a test, after service.advance(…)), or before with ${result}`
    )
  }
  if (tool.external_execution_required === true) return needed("result", result)
  return tool.requires_user_input === true
    ? valuesOf(tool, "`user_input_schema`, as answer(run, values) of the clients does")
    : confirmation
}

/** Of a step that waits. */
export const ofStep = (requirement: StepRequirement.StepRequirement): Needed => {
  const { requires_confirmation, requires_output_review, requires_route_selection, requires_user_input } = requirement
  const also = requires_confirmation || requires_output_review ? "`confirmed` and " : ""
  if (requires_user_input) {
    return valuesIn(requirement.user_input_schema, "`user_input`, as answer(run, values) of the clients does", also)
  }
  if (requires_route_selection) {
    const choices = requirement.available_choices ?? []
    const words = `${also}\`selected_choices\` among ${
      quoted(choices)
    }, as answer(run) of the clients does with choices`
    return needed("choices", words, choices)
  }
  return confirmation
}

/** Of a step that failed. */
export const ofError = needed(
  "retry",
  "`decision`, as approve(run) (\"retry\") and reject(run) (\"skip\") of the clients do"
)

/** The data of the error. */
export const named = (name: string, { kind, names }: Needed): NeededDecision => ({ name, kind, names })
