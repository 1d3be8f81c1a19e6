// What a run waits for, as buttons and forms of a platform, and what a press or a text answers.
import type * as Adapter from "@svc-runtime/channels/Adapter"
import * as Json from "@svc-runtime/domain/Json"
import * as Answer from "@svc-runtime/protocols/pause/Answer"
import { AnswerRejected } from "@svc-runtime/protocols/pause/AnswerRejected"
import type { Field, Question } from "@svc-runtime/protocols/pause/Question"
import { Option, Result } from "effect"

/** Buttons of one message. */
const maxChoices = 10

/** Fields of one form. */
const maxFields = 10

/** Characters of a text in a form or on a button. */
const [maxLabel, maxValue] = [70, 3000]

const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`

const asText = (value: Json.Value): string => typeof value === "string" ? value : JSON.stringify(value)

const typeOf = (field: Field): Adapter.Field["type"] => {
  if (field.allowed !== undefined) return "choice"
  switch (field.type) {
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "string":
      return "text"
    default:
      return "paragraph"
  }
}

const fieldOf = (field: Field): Adapter.Field => ({
  name: field.name,
  label: shortened(field.description ?? field.name, maxLabel),
  type: typeOf(field),
  isRequired: field.isRequired,
  ...(field.allowed === undefined ? {} : { options: field.allowed.map((value) => shortened(asText(value), maxLabel)) }),
  ...(field.value === null ? {} : { value: shortened(asText(field.value), maxValue) })
})

const reason: Adapter.Choice["form"] = {
  title: "Reject",
  fields: [{ name: "reason", label: "Reason", type: "paragraph", isRequired: false }]
}

const reject: Adapter.Choice = { id: "reject", label: "Reject", style: "danger", form: reason }

/** Arguments as fields: those of simple types, with their values. */
const argumentsOf = ({ args }: Question): ReadonlyArray<Field> =>
  (Json.isObject(args) ? Object.entries(args) : []).map(([name, value]) => ({
    name,
    type: typeof value === "string"
      ? "string"
      : typeof value === "number"
      ? "number"
      : typeof value === "boolean"
      ? "boolean"
      : "object",
    description: undefined,
    value,
    isRequired: false,
    allowed: undefined
  }))

const editOf = (question: Question): ReadonlyArray<Adapter.Choice> => {
  const fields = argumentsOf(question)
  const isEditable = question.kind === "confirmation" && fields.length > 0 && fields.length <= maxFields &&
    fields.every(({ value }) => asText(value).length <= maxValue)
  return isEditable
    ? [{ id: "edit", label: "Edit", style: "plain", form: { title: "Edit", fields: fields.map(fieldOf) } }]
    : []
}

const answerOf = (title: string, fields: ReadonlyArray<Adapter.Field>): Adapter.Choice => ({
  id: "answer",
  label: title,
  style: "primary",
  form: { title, fields }
})

const result: Adapter.Field = { name: "result", label: "Result", type: "paragraph", isRequired: true }

/** The buttons for a question. None: it is answered in words. */
export const choicesOf = (question: Question): ReadonlyArray<Adapter.Choice> => {
  const { choices, fields, kind } = question
  switch (kind) {
    case "confirmation":
    case "step_confirmation":
    case "output_review":
      return [{ id: "approve", label: "Approve", style: "primary" }, reject, ...editOf(question)]
    case "user_input":
    case "step_input":
      return fields.length > maxFields ? [reject] : [answerOf("Answer", fields.map(fieldOf)), reject]
    case "external_execution":
      return [answerOf("Answer", [result]), reject]
    case "unknown_outcome":
      return [{ id: "retry", label: "Call it again", style: "primary" }, answerOf("Enter the result", [result])]
    case "failed_step":
      return [
        { id: "retry", label: "Try again", style: "primary" },
        { id: "skip", label: "Skip", style: "plain" }
      ]
    case "route_choice":
      return question.allowsSeveral ? [] : choices.slice(0, maxChoices).map((choice, index) => ({
        id: `c${index}`,
        label: shortened(choice, maxLabel),
        style: "plain"
      }))
  }
}

type Read = Result.Result<Answer.Answer, AnswerRejected>

/** A value of a form as the field needs it. */
const valueOf = (field: Field, value: Json.Value): Json.Value => {
  if (field.allowed !== undefined) {
    return field.allowed.find((allowed) => shortened(asText(allowed), maxLabel) === asText(value)) ?? value
  }
  if (field.type === "string" || typeof value !== "string") return value
  const text = value.trim()
  if (text === "") return null
  return Option.getOrElse(Json.parseInput(text), (): Json.Value => value)
}

/** The values of these fields: other names of a form are not read. */
const valuesOf = (fields: ReadonlyArray<Field>, values: Json.Object): Json.Object =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined
      return value === undefined ? [] : [[field.name, valueOf(field, value)] as const]
    })
  )

const noteOf = (values: Json.Object): { readonly note?: string } => {
  const { reason } = values
  return typeof reason === "string" && reason.trim() !== "" ? { note: reason } : {}
}

/** Undefined: the choice is answered in words, which come next. */
export const ofPress = (question: Question, choice: string, values: Json.Object | undefined): Read | undefined => {
  const offered = choicesOf(question).find(({ id }) => id === choice)
  if (offered === undefined) {
    return Result.fail(new AnswerRejected({ reason: "malformed", id: question.id, message: "There is no such button" }))
  }
  switch (choice) {
    case "approve":
      return Result.succeed({ _tag: "Accepted" })
    case "reject":
      return Result.succeed({ _tag: "Rejected", ...noteOf(values ?? {}) })
    case "edit": {
      if (values === undefined) return undefined
      const args = Json.isObject(question.args) ? question.args : {}
      return Result.succeed({ _tag: "Accepted", args: { ...args, ...valuesOf(argumentsOf(question), values) } })
    }
    case "answer":
      if (values === undefined) return undefined
      return question.kind === "external_execution" || question.kind === "unknown_outcome"
        ? Answer.fromJson(question, asText(values["result"] ?? ""))
        : Answer.fromJson(question, { values: valuesOf(question.fields, values) })
    case "retry":
      return question.kind === "failed_step"
        ? Result.succeed({ _tag: "FailedStep", decision: "retry" })
        : Result.succeed({ _tag: "Accepted" })
    case "skip":
      return Result.succeed({ _tag: "FailedStep", decision: "skip" })
    default:
      return Result.succeed({ _tag: "Choices", choices: [question.choices[Number(choice.slice(1))] ?? ""] })
  }
}

const words: ReadonlyMap<string, string> = new Map([
  ["yes", "yes"],
  ["approve", "yes"],
  ["ok", "yes"],
  ["no", "no"],
  ["reject", "no"]
])

/**
 * What a text answers. Undefined: it is no answer. Where people have buttons, only a text that says yes or no decides
 * about a call.
 */
export const ofText = (
  question: Question,
  text: string,
  { awaits, hasButtons }: { readonly awaits: string | undefined; readonly hasButtons: boolean }
): Read | undefined => {
  const word = words.get(text.trim().toLowerCase())
  if (Answer.isConfirming(question)) {
    if (word === "yes") return Result.succeed({ _tag: "Accepted" })
    if (word === "no") return Result.succeed({ _tag: "Rejected" })
    return hasButtons ? undefined : Answer.fromText(question, text)
  }
  const isWritten = !hasButtons || awaits !== undefined || question.kind === "user_input" ||
    question.kind === "step_input" || choicesOf(question).length === 0
  return isWritten ? Answer.fromText(question, text) : undefined
}

/** What people read under a decision. */
export const decidedText = (answer: Answer.Answer, name: string): string => {
  switch (answer._tag) {
    case "Accepted":
      return answer.args === undefined ? `✓ Approved by ${name}` : `✓ Approved with changes by ${name}`
    case "Rejected":
      return `✗ Rejected by ${name}${answer.note === undefined ? "" : `: ${answer.note}`}`
    default:
      return `✓ Answered by ${name}`
  }
}

/** How to answer where there are no buttons. */
export const howToAnswer = (question: Question): string => {
  const { choices, kind } = question
  switch (kind) {
    case "confirmation":
    case "step_confirmation":
    case "output_review":
      return "Write **yes** to approve. Another text rejects it, and is the reason."
    case "route_choice":
      return `Write one of: ${choices.join(", ")}`
    case "failed_step":
      return "Write **retry** or **skip**."
    default:
      return "Write the answer."
  }
}

/** What a message asks: its text, and the buttons where there are any. */
export const pendingOf = (question: Question, hasButtons = true) => ({
  question: question.id,
  choices: (hasButtons ? choicesOf(question) : []) as ReadonlyArray<Adapter.Choice & Json.Object>,
  text: hasButtons && choicesOf(question).length > 0
    ? question.message
    : `${question.message}\n\n${howToAnswer(question)}`
})
