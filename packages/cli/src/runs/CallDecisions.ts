// Decisions about the tool calls that a paused run waits for, by a person at the terminal.
import type { Json, Requirement, StepInputField } from "@svc/client"
import { Effect } from "effect"
import { Prompts } from "../terminal/Prompts.ts"

/** What is sent back: the id of the requirement, and the decision. */
export interface Decision {
  readonly id: string
  readonly confirmed?: boolean
  readonly confirmation_note?: string
  readonly user_input_schema?: ReadonlyArray<object>
  readonly external_execution_result?: string
}

interface Kind extends Pick<StepInputField, "field_type" | "allowed_values"> {
  /** Fields of tool calls do not say it. */
  readonly required?: boolean | undefined
}

/** What the field accepts, or why the text is none of it. */
export const valueOf = (
  { allowed_values: allowed, field_type: type, required = true }: Kind,
  text: string
): Effect.Effect<Json, string> => {
  if (text === "" && !required) return Effect.succeed(null)
  const parsed = type === "str" ? text : parsedAs(type, text)
  if (parsed === undefined) return Effect.fail(`Expected ${descriptions[type] ?? "a value"}`)
  return allowed === undefined || allowed.includes(parsed)
    ? Effect.succeed(parsed)
    : Effect.fail(`Expected one of ${allowed.map(String).join(", ")}`)
}

const descriptions: Readonly<Record<string, string>> = {
  int: "a whole number",
  float: "a number",
  bool: "true or false"
}

const parsedAs = (type: string, text: string): Json | undefined => {
  const word = text.trim()
  if (type === "bool") return word === "true" ? true : word === "false" ? false : undefined
  if (type !== "int" && type !== "float") return text
  const number = Number(word)
  const isNumber = word !== "" && Number.isFinite(number) && (type === "float" || Number.isSafeInteger(number))
  return isNumber ? number : undefined
}

/** `send_mail({"to":"ann@example.com"})` */
export const titleOf = ({ tool_args, tool_name }: { readonly tool_name: string; readonly tool_args: Json | null }) =>
  `${tool_name}(${tool_args === null ? "" : JSON.stringify(tool_args)})`

type Field = Kind & Pick<StepInputField, "name" | "value" | "description">

const isField = (value: unknown): value is Field => typeof value === "object" && value !== null && "name" in value

/** The values of fields that have none. */
export const filled = (fields: unknown) =>
  Effect.forEach((Array.isArray(fields) ? fields : []).filter(isField), (field) =>
    Effect.gen(function*() {
      if (field.value !== null && field.value !== undefined) return { ...field }
      const { text } = yield* Prompts
      let value: Json = null
      const validate = (given: string) =>
        Effect.map(valueOf(field, given), (read) => {
          value = read
          return given
        })
      yield* text(field.description ?? field.name, { initial: "", validate })
      return { ...field, value }
    }))

const anything = { initial: "", validate: (text: string) => Effect.succeed(text) }

export const decide = Effect.fn("CallDecisions.decide")(function*(requirement: Requirement) {
  const prompts = yield* Prompts
  const { id, tool_execution: call } = requirement
  if (call.external_execution_required === true) {
    return { id, external_execution_result: yield* prompts.text(`Result of ${titleOf(call)}`, anything) }
  }
  if (call.requires_user_input === true) {
    return { id, user_input_schema: yield* filled(requirement.user_input_schema ?? call.user_input_schema) }
  }
  const question = call.outcome_unknown === true
    ? `${titleOf(call)} has started, and its outcome is unknown. Execute it again?`
    : `Allow ${titleOf(call)}?`
  if (yield* prompts.confirm(question, false)) return { id, confirmed: true }
  const note = yield* prompts.text("Reason for the model (optional)", anything)
  const decision: Decision = { id, confirmed: false, ...(note === "" ? {} : { confirmation_note: note }) }
  return decision
})

/** Without a decision so far, and not one that the time makes. */
export const isOpen = ({ confirmation, external_execution_result, tool_execution: call }: Requirement): boolean =>
  confirmation === undefined && external_execution_result === undefined && call.confirmed === null &&
  call.answered !== true && call.wake_at === undefined
