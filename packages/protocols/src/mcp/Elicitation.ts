// The questions of a paused run as requests of MCP to its user, and what the user answers. A form has only texts,
// numbers, flags and choices, so other values are JSON texts.
import * as Json from "@svc-runtime/domain/Json"
import { Option, Result } from "effect"
import * as Answer from "../pause/Answer.ts"
import type { AnswerRejected } from "../pause/AnswerRejected.ts"
import type { Field, Question } from "../pause/Question.ts"

const object = (properties: Json.Object, required: ReadonlyArray<string>): Json.Object => ({
  type: "object",
  properties,
  required: [...required]
})

const text = (description: string): Json.Object => ({ type: "string", description })

const isPlain = ({ type }: Field): boolean => type !== "array" && type !== "object"

const fieldSchema = (field: Field): Json.Object => {
  const { allowed, description, type } = field
  const described = description === undefined ? {} : { description }
  if (allowed !== undefined) return { type: "string", enum: allowed.map(asText), ...described }
  if (isPlain(field)) return { type, ...described }
  return { type: "string", description: `${description === undefined ? "" : `${description} `}(JSON)` }
}

const asText = (value: Json.Value): string => typeof value === "string" ? value : JSON.stringify(value)

const note = text("A note for the agent")

const formOf = ({ allowsSeveral, choices, fields, kind }: Question): Json.Object => {
  switch (kind) {
    case "user_input":
    case "step_input":
      return object(
        Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
        fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
      )
    case "external_execution":
    case "unknown_outcome":
      return object({ result: text("The result of the call") }, ["result"])
    case "route_choice": {
      const items = { type: "string", enum: [...choices] }
      return object({ choices: allowsSeveral ? { type: "array", items, minItems: 1 } : items }, ["choices"])
    }
    case "failed_step":
      return object({ decision: { type: "string", enum: ["retry", "skip"] } }, ["decision"])
    case "confirmation":
      return object({ note }, [])
    default:
      return object({}, [])
  }
}

/** With what the user decides about. */
const messageOf = ({ args, message }: Question): string => {
  const shown = Json.isObject(args) && Object.keys(args).length === 0 ? "" : `\n${JSON.stringify(args, null, 2)}`
  return `${message}${shown}`
}

export const requestOf = (question: Question): Json.Object => ({
  method: "elicitation/create",
  params: { mode: "form", message: messageOf(question), requestedSchema: formOf(question) }
})

/** The value that the user gave for a field, which the form may have as a text. */
const valueOf = (field: Field | undefined, value: Json.Value): Json.Value => {
  if (field === undefined || typeof value !== "string" || field.type === "string") return value
  return Option.getOrElse(Json.parse(value), () => value) as Json.Value
}

const accepted = (question: Question, content: Json.Object): Result.Result<Answer.Answer, AnswerRejected> => {
  const { fields, kind } = question
  const lost = Answer.unknownIn(formOf(question), content)
  if (lost !== undefined) return Answer.unfit(question, lost)
  if (Answer.isConfirming(question)) return Answer.fromJson(question, { accepted: true, ...content })
  if (kind !== "user_input" && kind !== "step_input") return Answer.fromJson(question, content)
  const values = Object.entries(content).map(([name, value]) =>
    [name, valueOf(fields.find((field) => field.name === name), value)] as const
  )
  return Answer.fromJson(question, { values: Object.fromEntries(values) })
}

/** Who accepts the form confirms. Undefined: the user did not decide, so the question stays open. */
export const answerOf = (
  question: Question,
  response: Json.Value
): Result.Result<Answer.Answer | undefined, AnswerRejected> => {
  const { action, content = null } = Json.isObject(response) ? response : {}
  const given = Json.isObject(content) ? content : {}
  if (action === "accept") return accepted(question, given)
  if (action !== "decline" && action !== "cancel") {
    return Answer.malformed(question, "an `action`: accept, decline or cancel")
  }
  const { kind } = question
  const isRejectable = kind !== "route_choice" && kind !== "failed_step" && kind !== "unknown_outcome"
  return action === "decline" && isRejectable
    ? Answer.rejection(question, given)
    : Result.succeed(undefined)
}
