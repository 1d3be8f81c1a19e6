// The answer to a question, from JSON or from text. Both readers are the same for every protocol.
import * as DecisionNote from "@svc-runtime/domain/DecisionNote"
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import * as NameList from "@svc-runtime/domain/NameList"
import { Equal, Result } from "effect"
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

export const malformed = ({ id, name }: Question, expected: string): Read =>
  Result.fail(
    new AnswerRejected({ reason: "malformed", id, message: `The answer to '${name}' (${id}) needs ${expected}` })
  )

export const unfit = ({ id, name }: Question, problem: string): Read =>
  Result.fail(
    new AnswerRejected({
      reason: "malformed",
      id,
      message: `The answer to '${name}' (${id}) does not fit: ${problem}`
    })
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
const acceptedIn = ({ accepted, approved }: Json.Object): boolean | undefined => {
  const [word = null, other = word] = accepted === undefined ? [approved] : [accepted, approved]
  return typeof word === "boolean" && word === other ? word : undefined
}

const needsWord = "`approved` or `accepted`, true or false"

/** Other names of keys that answers have. */
const synonyms: ReadonlyMap<string, string> = new Map([["approved", "accepted"], ["reason", "note"]])

/** The keys of an answer that the schema of the answer does not have. */
export const unknownIn = ({ properties }: Json.Object, payload: Json.Object): string | undefined => {
  const keys = Object.keys(Json.isObject(properties) ? properties : {})
  const unknown = Object.keys(payload).filter((key) =>
    DecisionNote.isGiven(payload[key]) && !keys.includes(key) && !keys.includes(synonyms.get(key) ?? key)
  )
  const quoted = (names: ReadonlyArray<string>) => NameList.first(names.map((name) => `\`${name}\``))
  if (unknown.length === 0) return undefined
  return `there is no ${quoted(unknown)}${keys.length === 0 ? "" : `: its keys are ${quoted(keys)}`}`
}

/** What the answer has and its question does not take: a person would believe that it counts. */
const lostIn = ({ schema }: Question, payload: Json.Object): string | undefined =>
  unknownIn(schema, payload) ?? DecisionNote.problemIn(payload)

const withoutWords = ({ accepted: _, approved: __, ...others }: Json.Object): Json.Object => others

/** With a note, and nothing else. */
const rejected = (question: Question, others: Json.Object): Read => {
  const problem = DecisionNote.rejectionProblemIn(others)
  return problem === undefined
    ? Result.succeed({ _tag: "Rejected", ...noteOf(others) })
    : unfit(question, problem)
}

/** Adds an answer of a request. A person would not know which of several counts. */
export const add = (
  answers: Map<string, Answer>,
  { id, name }: Question,
  answer: Answer
): Result.Result<void, AnswerRejected> => {
  const other = answers.get(id)
  answers.set(id, answer)
  return other === undefined || Equal.equals(other, answer) ? Result.void : Result.fail(
    new AnswerRejected({
      reason: "malformed",
      id,
      message: `There are different answers to '${name}' (${id}): send one`
    })
  )
}

/** Of a client that says by other means that a person rejects. */
export const rejection = (question: Question, payload: Json.Object): Read =>
  acceptedIn(payload) === true
    ? unfit(question, "it both accepts and rejects")
    : rejected(question, acceptedIn(payload) === false ? withoutWords(payload) : payload)

const confirmed = (question: Question, payload: Json.Value): Read => {
  const given = Json.isObject(payload) ? payload : {}
  const isAccepted = acceptedIn(given)
  if (isAccepted === undefined) return malformed(question, needsWord)
  if (!isAccepted) return rejected(question, withoutWords(given))
  const lost = lostIn(question, given)
  if (lost !== undefined) return unfit(question, lost)
  const note = noteOf(given)
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

const picked = (payload: Json.Object, isPicked: (key: string) => boolean): Json.Object =>
  Object.fromEntries(Object.entries(payload).filter(([key]) => isPicked(key)))

/** Without `values`, the values are beside the other keys. A field that has the name of one of these is a value. */
const valuesOf = (question: Question, payload: Json.Object): Read => {
  const isFlat = !DecisionNote.isGiven(payload["values"])
  const isField = (key: string) => isFlat && question.fields.some(({ name }) => name === key)
  const flat = picked(payload, isField)
  const others = picked(payload, (key) => !isField(key))
  const { accepted, approved } = others
  const isAccepted = acceptedIn(others)
  if (isAccepted === false) return rejected(question, { ...flat, ...withoutWords(others) })
  if (isAccepted === undefined && [accepted, approved].some(DecisionNote.isGiven)) {
    return malformed(question, needsWord)
  }
  const lost = lostIn(question, others)
  if (lost !== undefined) return unfit(question, lost)
  const values = isFlat ? flat : payload["values"]
  if (!Json.isObject(values)) return malformed(question, "`values`, an object")
  const wrong = question.fields.find(({ isRequired, name, type }) => {
    const { [name]: value = null } = values
    return value === null ? isRequired : !isOfType[type](value)
  })
  return wrong === undefined
    ? Result.succeed({ _tag: "Values", values, ...noteOf(others) })
    : malformed(question, `a value of type ${wrong.type} for '${wrong.name}'`)
}

/** The result of a call as the client has it. */
export const resultOf = (result: Json.Value): Answer => ({ _tag: "ExternalResult", result: asText(result) })

/** What was executed elsewhere can return the words of an answer: with others beside them, it is the result itself. */
const externalOf = (payload: Json.Value): Answer => {
  if (!Json.isObject(payload)) return resultOf(payload)
  const { accepted = null, note = null, reason = null, result, ...others } = payload
  if (Object.keys(others).length > 0) return resultOf(payload)
  if (accepted === false && DecisionNote.rejectionProblemIn({ note, reason, result: result ?? null }) === undefined) {
    return { _tag: "Rejected", ...noteOf(payload) }
  }
  const isForm = result !== undefined && accepted === null && reason === null &&
    DecisionNote.problemIn({ note }) === undefined
  return isForm ? { _tag: "ExternalResult", result: asText(result), ...noteOf({ note }) } : resultOf(payload)
}

/** A person decides about it, or knows its result. */
const unknownOf = (question: Question, payload: Json.Value): Read => {
  const isAccepted = Json.isObject(payload) ? acceptedIn(payload) : undefined
  if (!Json.isObject(payload) || isAccepted === undefined) return Result.succeed(externalOf(payload))
  if (!isAccepted) return rejected(question, withoutWords(payload))
  const lost = DecisionNote.isGiven(payload["result"]) ? "it is both repeated and given a result" : undefined
  const problem = lost ?? lostIn(question, payload)
  return problem === undefined
    ? Result.succeed({ _tag: "Accepted", ...noteOf(payload) })
    : unfit(question, problem)
}

const choicesOf = (question: Question, choices: Json.Value | undefined): Read => {
  const list = typeof choices === "string" ? [choices] : choices
  return Json.isList(list) && list.every((choice) => typeof choice === "string")
    ? Result.succeed({ _tag: "Choices", choices: list })
    : malformed(question, "`choices`, a list of names")
}

/** The run follows an approval. `rest`: what is still to be answered. */
export const decided = ({ approval, id, name }: Question, rest = ""): AnswerRejected =>
  new AnswerRejected({
    reason: "decided",
    id,
    message: `The approval of ${name} has been ${approval} by now, and the run follows it. Leave it out${rest}`
  })

/** A call whose approval is resolved waits no more: an answer that does not fit is another one, and needs nothing. */
const followed = (question: Question, read: Read): Read =>
  question.approval === undefined ? read : Result.mapError(read, () => decided(question))

/** A plain yes to the values of an approval, which the client need not know. */
const isAgreement = ({ approval, kind }: Question, payload: Json.Value): boolean =>
  approval !== undefined && kind === "user_input" && Json.isObject(payload) && acceptedIn(payload) === true &&
  Object.values(withoutWords(payload)).every((value) => !DecisionNote.isGiven(value))

/** An object of JSON, as `schema` of the question describes it. Another value is the result of an external call. */
export const fromJson = (question: Question, payload: Json.Value): Read =>
  isAgreement(question, payload)
    ? Result.succeed({ _tag: "Accepted" })
    : followed(question, readJson(question, payload))

const readJson = (question: Question, payload: Json.Value): Read => {
  const { kind } = question
  if (kind === "external_execution") return Result.succeed(externalOf(payload))
  if (kind === "unknown_outcome") return unknownOf(question, payload)
  if (isConfirming(question)) return confirmed(question, payload)
  if (kind === "route_choice" && !Json.isObject(payload)) return choicesOf(question, payload)
  if (!Json.isObject(payload)) return malformed(question, "an object")
  if (kind === "user_input" || kind === "step_input") return valuesOf(question, payload)
  const lost = lostIn(question, payload)
  if (lost !== undefined) return unfit(question, lost)
  if (kind === "route_choice") return choicesOf(question, payload["choices"])
  const { decision } = payload
  return decision === "retry" || decision === "skip"
    ? Result.succeed({ _tag: "FailedStep", decision })
    : malformed(question, "`decision`, retry or skip")
}

/** The value of a field from a text. */
const valueOf = ({ type }: Field, text: string): Json.Value => {
  if (type === "string") return text
  const parsed = Json.parseInput(text.trim())
  return parsed._tag === "Some" ? parsed.value : text
}

const isYes = (text: string): boolean => text.trim().toLowerCase() === "yes"

/** `No`, and `no, …`: other texts that begin with the word can agree. */
const isNo = (text: string): boolean => /^\s*no\s*(?:$|[.,;:!])/i.test(text)

/** Whether a text that is sent beside the answer says the opposite of it. */
export const isContradictedBy = ({ _tag }: Answer, text: string): boolean =>
  _tag === "Rejected" ? isYes(text) : (_tag === "Accepted" || _tag === "Values") && isNo(text)

/** Only `yes` confirms, and another text rejects with itself as the note. */
export const fromText = (question: Question, text: string): Read => followed(question, readText(question, text))

const readText = (question: Question, text: string): Read => {
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
