// What a run waits for, as buttons and forms of a platform, and what a press or a text answers.
import type * as Adapter from "@svc-runtime/channels/Adapter"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import * as Requirement from "@svc-runtime/domain/Requirement"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as Answer from "@svc-runtime/protocols/pause/Answer"
import { AnswerRejected } from "@svc-runtime/protocols/pause/AnswerRejected"
import type { Field, Question } from "@svc-runtime/protocols/pause/Question"
import * as Questions from "@svc-runtime/protocols/pause/Questions"
import { Effect, Option, Predicate, Result } from "effect"
import type { Pending } from "./ChannelRows.ts"
import type { ChannelStore } from "./ChannelStore.ts"

type Press = Extract<Adapter.Event, { readonly type: "press" }>

/** Buttons of one message. */
const maxChoices = 10

/** Fields of one form. */
const maxFields = 10

/** Arguments of a call that people see. */
const maxArguments = 20

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

/** What a choice answers, with the values of its form. */
export const ofChoice = (question: Question, choice: string, values: Json.Object = {}): Read => {
  switch (choice) {
    case "approve":
      return Result.succeed({ _tag: "Accepted" })
    case "reject":
      return Result.succeed({ _tag: "Rejected", ...noteOf(values) })
    case "edit": {
      const args = Json.isObject(question.args) ? question.args : {}
      return Result.succeed({ _tag: "Accepted", args: { ...args, ...valuesOf(argumentsOf(question), values) } })
    }
    case "answer":
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

/** A form that is filled in by words, one field after the other. */
export type Awaits = NonNullable<Pending["awaits"]>

/** An answer, or a form that is to be filled in by words. */
export type Given = { readonly _tag: "Answer"; readonly answer: Answer.Answer } | {
  readonly _tag: "Awaits"
  readonly awaits: Awaits
  readonly field: Adapter.Field
}

type Reading = Result.Result<Given, AnswerRejected>

const answered = (read: Read): Reading => Result.map(read, (answer) => ({ _tag: "Answer", answer }))

const offered = (question: Question, choice: string) => choicesOf(question).find(({ id }) => id === choice)

const fieldsOf = (question: Question, { choice }: Awaits): ReadonlyArray<Adapter.Field> =>
  offered(question, choice)?.form?.fields ?? []

/** The field that is asked for next, or what the whole form answers. */
const afterWords = (question: Question, awaits: Awaits): Reading => {
  const { choice, values } = awaits
  const field = fieldsOf(question, awaits).find(({ name }) => !Object.hasOwn(values, name))
  if (field !== undefined) return Result.succeed({ _tag: "Awaits", awaits, field })
  const given = Object.entries(values).filter(([, value]) => value !== null)
  return answered(ofChoice(question, choice, Object.fromEntries(given)))
}

/** What a press answers. Without the values of its form, these are asked for in words. */
export const ofPress = (
  question: Question,
  { choice, sender, values }: Pick<Press, "choice" | "sender" | "values">
): Reading => {
  const found = offered(question, choice)
  if (found === undefined) {
    return Result.fail(new AnswerRejected({ reason: "malformed", id: question.id, message: "There is no such button" }))
  }
  return found.form === undefined || values !== undefined
    ? answered(ofChoice(question, choice, values))
    : afterWords(question, { choice, sender: sender.id, values: {} })
}

/** The text that leaves a field out, or keeps its value. */
const none = "-"

/** What the next words are for the form. */
export const ofWords = (question: Question, awaits: Awaits, text: string): Reading => {
  const { values } = awaits
  const field = fieldsOf(question, awaits).find(({ name }) => !Object.hasOwn(values, name))
  if (field === undefined) return afterWords(question, awaits)
  const isLeftOut = text.trim() === none && (!field.isRequired || field.value !== undefined)
  return afterWords(question, { ...awaits, values: { ...values, [field.name]: isLeftOut ? null : text } })
}

/** Asks for a field. */
export const askFor = ({ isRequired, label, options, value }: Adapter.Field): string => {
  const allowed = options === undefined ? "" : ` (one of: ${options.join(", ")})`
  if (value !== undefined) return `Please write: **${label}**${allowed}. It is now: ${value}\n\nWrite **-** to keep it.`
  return `Please write: **${label}**${allowed}${isRequired ? "" : "\n\nWrite **-** to leave it out."}`
}

const words: ReadonlyMap<string, string> = new Map([
  ["yes", "yes"],
  ["approve", "yes"],
  ["no", "no"],
  ["reject", "no"]
])

/** A word decides, as a button does. */
export const takesWord = (question: Question): boolean => Answer.isConfirming(question)

/**
 * What a text answers. Undefined: it is no answer. `onlyWord`: it has to say yes or no, since the person may as well
 * have written about something else.
 */
export const ofText = (question: Question, text: string, onlyWord: boolean): Reading | undefined => {
  const word = words.get(text.trim().toLowerCase())
  if (Answer.isConfirming(question)) {
    if (word === "yes") return answered(Result.succeed({ _tag: "Accepted" }))
    if (word === "no") return answered(Result.succeed({ _tag: "Rejected" }))
    return onlyWord ? undefined : answered(Answer.fromText(question, text))
  }
  const read = answered(Answer.fromText(question, text))
  if (!onlyWord) return read
  const isAsked = question.kind === "user_input" || question.kind === "step_input" || choicesOf(question).length === 0
  return isAsked && Result.isSuccess(read) ? read : undefined
}

/** What people read under a decision. */
export const decidedText = (answer: Answer.Answer, given: string): string => {
  const name = given.replace(/[\\*_`~[\]<>#|]/g, "")
  switch (answer._tag) {
    case "Accepted":
      return answer.args === undefined ? `✓ Approved by ${name}` : `✓ Approved with changes by ${name}`
    case "Rejected":
      return `✗ Rejected by ${name}${answer.note === undefined ? "" : `: ${answer.note}`}`
    default:
      return `✓ Answered by ${name}`
  }
}

interface Decided {
  readonly isConfirmed: boolean | null | undefined
  readonly note: string | null | undefined
  readonly isAnswered: boolean
}

const textOf = ({ isAnswered, isConfirmed, note }: Decided): string => {
  if (isConfirmed === false) return `✗ Rejected${Predicate.isNullish(note) ? "" : `: ${note}`}`
  if (isAnswered) return "✓ Answered"
  return isConfirmed === true ? "✓ Approved" : "✓ Decided"
}

const ofCall = (
  { confirmation, confirmation_note, external_execution_result: result, user_input_schema }: Requirement.Requirement
): Decided => ({
  isConfirmed: confirmation,
  note: confirmation_note,
  isAnswered: result !== undefined || user_input_schema !== undefined
})

const ofStep = (
  { confirmed, rejection_feedback, selected_choices, user_input }: StepRequirement.StepRequirement
): Decided => ({
  isConfirmed: confirmed,
  note: rejection_feedback,
  isAnswered: user_input !== null || selected_choices !== null
})

/** What people read under a decision that was made elsewhere. `run`: with what was decided about it. */
export const decidedElsewhere = (run: AnyRun.Output, question: string): string => {
  if (run.status === "CANCELLED") return "✗ Cancelled"
  const steps = AnyRun.isWorkflow(run) ? run.step_requirements ?? [] : []
  const inSteps = steps.flatMap(({ executor_requirements = [] }) => executor_requirements)
  const calls = [...run.requirements ?? [], ...inSteps.filter(Requirement.isRequirement)]
  const call = calls.find(({ id }) => id === question)
  const step = steps.find((step) => question === Questions.idOf(step))
  const decided = call === undefined ? step && ofStep(step) : ofCall(call)
  return decided === undefined ? "✓ Decided" : textOf(decided)
}

/** How to answer where there are no buttons. */
const howToAnswer = (question: Question): string => {
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

/** Characters of an argument that people see before they decide. */
const maxShown = 500

const shownValue = (value: Json.Value): string => {
  const text = asText(value)
  return text.length <= maxShown ? text : `${shortened(text, maxShown)} (${text.length} characters)`
}

/** In a block of code, so that nothing in it is read as Markdown. */
const inBlock = (text: string): string => {
  const ticks = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1
  const fence = "`".repeat(ticks)
  return `${fence}\n${text}\n${fence}`
}

/** What is decided about: the arguments of a call, the output of a step, or the item that it is for. */
const aboutOf = ({ args, kind }: Question): string | undefined => {
  const given = Json.isObject(args) ? args : {}
  const { input, output, step_index } = given
  if (kind === "output_review") return output === undefined ? undefined : inBlock(shownValue(output))
  if (kind === "step_confirmation" || kind === "step_input" || kind === "route_choice" || kind === "failed_step") {
    // steps inside of others, such as those of the items of a list, differ by what they get
    return step_index === undefined || input === undefined || input === null ? undefined : inBlock(shownValue(input))
  }
  const lines = Object.entries(given).slice(0, maxArguments).map(([name, value]) => `${name}: ${shownValue(value)}`)
  return lines.length === 0 ? undefined : inBlock(lines.join("\n"))
}

/** What a message asks: its text, and the buttons where there are any. `sender` is the person whose run it is. */
export const pendingOf = (
  question: Question,
  { hasButtons, hasForms }: Pick<Adapter.Limits, "hasButtons" | "hasForms">,
  sender: string
): Pick<Pending, "awaits" | "choices" | "question" | "text"> => {
  const choices = choicesOf(question)
  const shown = hasButtons ? choices : []
  const isForm = question.kind === "user_input" || question.kind === "step_input"
  const filled = isForm && !(hasButtons && hasForms)
    ? ofPress(question, { choice: "answer", sender: { id: sender }, values: undefined })
    : undefined
  const first = filled !== undefined && Result.isSuccess(filled) && filled.success._tag === "Awaits"
    ? filled.success
    : undefined
  const how = first === undefined ? shown.length > 0 ? undefined : howToAnswer(question) : askFor(first.field)
  return {
    question: question.id,
    choices: first === undefined ? shown : shown.filter(({ id }) => id !== "answer"),
    text: [question.message, aboutOf(question), how].filter((part) => part !== undefined).join("\n\n"),
    ...(first === undefined ? {} : { awaits: first.awaits })
  }
}

/** The prompt of a channel with an id, if it waits for a decision. */
export const find = (store: ChannelStore["Service"], channel: string) => (id: string) =>
  Effect.map(
    store.asking(channel, id),
    (found): Adapter.Prompt | undefined =>
      Option.isNone(found) || found.value.is_decided
        ? undefined
        : { id, choices: found.value.pending.choices }
  )
