// Decisions about the tool calls that a paused run waits for, by a person at the terminal.
import { readField, type RequestedField } from "@svc-runtime/client"
import type * as Json from "@svc-runtime/domain/Json"
import type { Requirement } from "@svc-runtime/domain/Requirement"
import type { InputField } from "@svc-runtime/domain/StepRequirement"
import { Effect } from "effect"
import { Prompts } from "../terminal/Prompts.ts"

/** A decision about a requirement, as it is sent to the service. */
export interface Decision {
  readonly id: string
  readonly confirmed?: boolean
  readonly confirmation_note?: string
  readonly user_input_schema?: ReadonlyArray<object>
  readonly external_execution_result?: string
}

/** `send_mail({"to":"ann@example.com"})` */
export const titleOf = (
  { tool_args, tool_name }: { readonly tool_name: string; readonly tool_args: Json.Value | null }
) => `${tool_name}(${tool_args === null ? "" : JSON.stringify(tool_args)})`

type Field = RequestedField & Pick<InputField, "name" | "value" | "description">

const isField = (value: unknown): value is Field => typeof value === "object" && value !== null && "name" in value

/** The values of fields that have none. */
export const filled = (fields: unknown) =>
  Effect.forEach((Array.isArray(fields) ? fields : []).filter(isField), (field) =>
    Effect.gen(function*() {
      if (field.value !== null && field.value !== undefined) return { ...field }
      const { text } = yield* Prompts
      let value: Json.Value = null
      const validate = (given: string) => {
        const read = readField(field, given)
        if (read.problem !== undefined) return Effect.fail(read.problem)
        value = read.value
        return Effect.succeed(given)
      }
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

/** The requirement waits for a person: it has no decision so far, and no time will decide it. */
export const isOpen = (
  { approval_status, confirmation, external_execution_result, tool_execution: call }: Requirement
): boolean =>
  approval_status === undefined && confirmation === undefined && external_execution_result === undefined &&
  call.confirmed === null &&
  call.answered !== true && call.wake_at === undefined
