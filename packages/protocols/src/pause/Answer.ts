// The answer to a question, from JSON or from text. Both readers are the same for every protocol.
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import * as NameList from "@svc-runtime/domain/NameList"
import { Result } from "effect"
import { AnswerRejected } from "./AnswerRejected.ts"
import type { Field, Question } from "./Question.ts"

export type Answer =
  /** `args` replace all arguments of a tool call, and `output` that of a step. */
  | { readonly _tag: "Accepted"; readonly note?: string; readonly args?: Json.Object; readonly output?: Json.Value }
  | { readonly _tag: "Rejected"; readonly note?: string }
  | { readonly _tag: "Values"; readonly values: Json.Object; readonly note?: string }
  | {
    readonly _tag: "ExternalResult"
    readonly result: string
    readonly note?: string
    /** As base64. */
    readonly media?: ReadonlyArray<Media.File> | undefined
  }
  | { readonly _tag: "Choices"; readonly choices: ReadonlyArray<string> }
  | { readonly _tag: "FailedStep"; readonly decision: "retry" | "skip" }

type Read = Result.Result<Answer, AnswerRejected>

const malformed = ({ id, name }: Question, expected: string): Read =>
  Result.fail(
    new AnswerRejected({ reason: "malformed", id, message: `The answer to '${name}' (${id}) needs ${expected}` })
  )

/** Whether the question can be confirmed, and every other answer rejects. */
export const isConfirming = ({ kind }: Question): boolean =>
  kind === "confirmation" || kind === "step_confirmation" || kind === "output_review"

/** Some clients call it the reason. */
const noteOf = ({ note, reason = null }: Json.Object) => {
  const text = note ?? reason
  return typeof text === "string" && text !== "" ? { note: text } : {}
}

const asText = (value: Json.Value): string => typeof value === "string" ? value : JSON.stringify(value)

/** Whether the payload accepts or rejects: `approved` is the same word as `accepted`. Undefined if it says neither. */
export const acceptedIn = ({ accepted, approved }: Json.Object): boolean | undefined => {
  const [word = null, other = word] = accepted === undefined ? [approved] : [accepted, approved]
  return typeof word === "boolean" && word === other ? word : undefined
}

/** Whether the payload rejects the call or the step that asks for values, and is no value itself. */
const rejectsValues = ({ fields }: Question, payload: Json.Object): boolean =>
  !fields.some(({ name }) => name === "accepted" || name === "approved") && acceptedIn(payload) === false

/** Other names of keys that answers have. */
const synonyms = ["approved", "reason"]

/** Keys that the answer does not have: with the misspelt name of an edit, the call would be made as it was. */
const unknownIn = ({ schema }: Question, payload: Json.Object): string | undefined => {
  const { properties } = schema
  const keys = Object.keys(Json.isObject(properties) ? properties : {})
  const unknown = Object.keys(payload).filter((key) =>
    payload[key] !== null && !keys.includes(key) && !synonyms.includes(key)
  )
  const quoted = (names: ReadonlyArray<string>) => NameList.first(names.map((name) => `\`${name}\``))
  return unknown.length === 0 ? undefined : `no ${quoted(unknown)}: its keys are ${quoted(keys)}`
}

const confirmed = (question: Question, payload: Json.Value): Read => {
  const given = Json.isObject(payload) ? payload : {}
  const isAccepted = acceptedIn(given)
  if (isAccepted === undefined) return malformed(question, "`approved` or `accepted`, true or false")
  const unknown = unknownIn(question, given)
  if (unknown !== undefined) return malformed(question, unknown)
  const note = noteOf(given)
  if (!isAccepted) return Result.succeed({ _tag: "Rejected", ...note })
  const { editedArgs = null, output = null } = given
  if (output !== null) return Result.succeed({ _tag: "Accepted", ...note, output })
  if (editedArgs === null) return Result.succeed({ _tag: "Accepted", ...note })
  return Json.isObject(editedArgs)
    ? Result.succeed({ _tag: "Accepted", ...note, args: editedArgs })
    : malformed(question, "`editedArgs` to be an object")
}

/** A field with several types is a text in the schema, and takes any value. */
const isOfType: Readonly<Record<Field["type"], (value: Json.Value) => boolean>> = {
  string: () => true,
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: Json.isList,
  object: Json.isObject
}

/** Words of an answer that are no values, unless a field has the name. */
const words = ["accepted", "approved", "note", "reason"]

/** The fields of the payload itself are taken as the values if it has no `values`. */
const values = (question: Question, payload: Json.Object): Read => {
  const isValue = (key: string) => !words.includes(key) || question.fields.some(({ name }) => name === key)
  const flat = Object.fromEntries(Object.entries(payload).filter(([key]) => isValue(key)))
  const { values = flat } = payload
  const note = payload["values"] === undefined ? {} : noteOf(payload)
  if (!Json.isObject(values)) return malformed(question, "`values`, an object")
  const unfit = question.fields.find(({ isRequired, name, type }) => {
    const { [name]: value = null } = values
    return value === null ? isRequired : !isOfType[type](value)
  })
  return unfit === undefined
    ? Result.succeed({ _tag: "Values", values, ...note })
    : malformed(question, `a value of type ${unfit.type} for '${unfit.name}'`)
}

const choicesOf = (question: Question, choices: Json.Value | undefined): Read => {
  const list = typeof choices === "string" ? [choices] : choices
  return Json.isList(list) && list.every((choice) => typeof choice === "string")
    ? Result.succeed({ _tag: "Choices", choices: list })
    : malformed(question, "`choices`, a list of names")
}

/** An object of JSON, as `schema` of the question describes it. Another value is the result of an external call. */
export const fromJson = (question: Question, payload: Json.Value): Read => {
  const { kind } = question
  if (kind === "external_execution" || kind === "unknown_outcome") {
    if (!Json.isObject(payload)) return Result.succeed({ _tag: "ExternalResult", result: asText(payload) })
    // the result of a call that is executed elsewhere can have the word `approved`
    const isAccepted = kind === "unknown_outcome" ? acceptedIn(payload) : payload["accepted"]
    if (isAccepted === false) return Result.succeed({ _tag: "Rejected", ...noteOf(payload) })
    if (isAccepted === true && kind === "unknown_outcome") return Result.succeed({ _tag: "Accepted" })
    // without `result` the payload is the result itself
    const { result } = payload
    if (result === undefined) return Result.succeed({ _tag: "ExternalResult", result: asText(payload) })
    return Result.succeed({ _tag: "ExternalResult", result: asText(result), ...noteOf(payload) })
  }
  if (isConfirming(question)) return confirmed(question, payload)
  if (kind === "route_choice" && !Json.isObject(payload)) return choicesOf(question, payload)
  if (!Json.isObject(payload)) return malformed(question, "an object")
  switch (kind) {
    case "user_input":
    case "step_input":
      return rejectsValues(question, payload)
        ? Result.succeed({ _tag: "Rejected", ...noteOf(payload) })
        : values(question, payload)
    case "route_choice":
      return choicesOf(question, payload["choices"])
    default: {
      const { decision } = payload
      return decision === "retry" || decision === "skip"
        ? Result.succeed({ _tag: "FailedStep", decision })
        : malformed(question, "`decision`, retry or skip")
    }
  }
}

/** The value of a field from a text. */
const valueOf = ({ type }: Field, text: string): Json.Value => {
  if (type === "string") return text
  const parsed = Json.parseInput(text.trim())
  return parsed._tag === "Some" ? parsed.value : text
}

const isYes = (text: string): boolean => text.trim().toLowerCase() === "yes"

/** Only `yes` confirms, and another text rejects with itself as the note. */
export const fromText = (question: Question, text: string): Read => {
  const { choices, fields, kind } = question
  if (isConfirming(question)) {
    if (isYes(text)) return Result.succeed({ _tag: "Accepted" })
    return Result.succeed({ _tag: "Rejected", ...noteOf({ note: text }) })
  }
  switch (kind) {
    case "external_execution":
    case "unknown_outcome":
      return Result.succeed({ _tag: "ExternalResult", result: text })
    case "user_input":
    case "step_input": {
      const open = fields.filter(({ isRequired }) => isRequired)
      const [field, another] = open.length === 0 ? fields : open
      return field === undefined || another !== undefined
        ? malformed(question, `values for ${fields.map(({ name }) => name).join(", ")}`)
        : Result.succeed({ _tag: "Values", values: { [field.name]: valueOf(field, text) } })
    }
    case "route_choice": {
      const choice = text.trim()
      return choices.includes(choice)
        ? Result.succeed({ _tag: "Choices", choices: [choice] })
        : malformed(question, `one of ${choices.join(", ")}`)
    }
    default: {
      const decision = text.trim().toLowerCase()
      return decision === "retry" || decision === "skip"
        ? Result.succeed({ _tag: "FailedStep", decision })
        : malformed(question, "retry or skip")
    }
  }
}
