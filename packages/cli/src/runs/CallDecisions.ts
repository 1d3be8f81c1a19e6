// Decisions about the tool calls that a paused run waits for, by a person at the terminal.
import { readField, type RequestedField } from "@svc-runtime/client"
import type * as Json from "@svc-runtime/domain/Json"
import * as Requirement from "@svc-runtime/domain/Requirement"
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

const rejected = Effect.fnUntraced(function*(id: string) {
  const note = yield* (yield* Prompts).text("Reason for the model (optional)", anything)
  const decision: Decision = { id, confirmed: false, ...(note === "" ? {} : { confirmation_note: note }) }
  return decision
})

/** What is known of the outcome follows. */
const unknownOf = ({ asked }: Requirement.Requirement["tool_execution"]): string =>
  asked === undefined ? "" : `: ${asked.message}`

/** `send_mail({…}), which has started, and whose outcome is unknown: The connection broke` */
export const cutOff = (call: Requirement.Requirement["tool_execution"]): string =>
  `${titleOf(call)}, which has started, and whose outcome is unknown${unknownOf(call)}`

const something = {
  initial: "",
  validate: (text: string) => text === "" ? Effect.fail("Expected the result.") : Effect.succeed(text)
}

/** The first choice repeats and skips nothing. */
const decideUnknown = Effect.fnUntraced(function*({ id, tool_execution: call }: Requirement.Requirement) {
  const prompts = yield* Prompts
  const what = `${titleOf(call)} has started, and its outcome is unknown${unknownOf(call)}`
  const choice = yield* prompts.select(what, [
    { title: "Give its result", value: "give" },
    { title: "Repeat it", value: "repeat" },
    { title: "Skip it", value: "skip" }
  ])
  if (choice === "skip") return yield* rejected(id)
  const decision: Decision = choice === "repeat"
    ? { id, confirmed: true }
    : { id, external_execution_result: yield* prompts.text(`Result of ${titleOf(call)}`, something) }
  return decision
})

export const decide = Effect.fn("CallDecisions.decide")(function*(requirement: Requirement.Requirement) {
  const prompts = yield* Prompts
  const { id, tool_execution: call } = requirement
  if (call.outcome_unknown === true) return yield* decideUnknown(requirement)
  if (call.external_execution_required === true) {
    return { id, external_execution_result: yield* prompts.text(`Result of ${titleOf(call)}`, anything) }
  }
  if (call.requires_user_input === true) {
    return { id, user_input_schema: yield* filled(requirement.user_input_schema ?? call.user_input_schema) }
  }
  if (yield* prompts.confirm(`Allow ${titleOf(call)}?`, false)) return { id, confirmed: true }
  return yield* rejected(id)
})

/**
 * The requirement waits for a person: it has no decision so far, and no time will decide it. A call that was cut off
 * has the values of a decision before it.
 */
export const isOpen = (requirement: Requirement.Requirement): boolean => {
  const { answered, confirmed, outcome_unknown, result, wake_at } = requirement.tool_execution
  return Requirement.isOpen(requirement) && result === null && wake_at === undefined &&
    (outcome_unknown === true || (confirmed === null && answered !== true))
}
