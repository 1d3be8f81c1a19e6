// The request of a chat, as `DefaultChatTransport` sends it. Only the last message is read: the earlier ones are the
// history, which the service has itself. Their ids say where in the history the client is.
import { ClientTool, maxCount as maxTools } from "@svc-runtime/domain/ClientTool"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import { Equal, Option, Result, Schema } from "effect"
import * as Answer from "../pause/Answer.ts"
import type { AnswerRejected } from "../pause/AnswerRejected.ts"
import * as Decisions from "../pause/Decisions.ts"
import type { Question } from "../pause/Question.ts"
import * as Questions from "../pause/Questions.ts"
import * as GivenTools from "../run/GivenTools.ts"
import * as InputMedia from "../run/InputMedia.ts"
import * as ShownPath from "../run/ShownPath.ts"

const text = Schema.String

const Message = Schema.Struct({
  id: Schema.optionalKey(text),
  role: Schema.Literals(["system", "user", "assistant"]),
  parts: Schema.Array(Json.Object)
})
export type Message = typeof Message.Type

const isName = Schema.is(ClientTool.fields.name)

/** By their names. */
const Tools = Schema.Record(Schema.String, Schema.Struct(GivenTools.fields)).check(
  Schema.isMaxProperties(maxTools),
  Schema.makeFilter((tools) => Object.keys(tools).every(isName), { message: "Input should have names of tools" })
)

export const ChatRequest = Schema.Struct({
  /** The id of the session. */
  id: Ids.IdInput.check(Schema.isMinLength(1)),
  messages: Schema.NonEmptyArray(Message),
  trigger: Schema.optionalKey(Schema.NullOr(Schema.Literals(["submit-message", "regenerate-message"]))),
  /** Of the message that is answered again, or that was edited. */
  messageId: Schema.optionalKey(Schema.NullOr(Ids.IdInput)),
  /** Of the page, as assistant-ui sends them. */
  tools: Schema.optionalKey(Schema.NullOr(Tools)),
  user_id: Schema.optionalKey(Schema.NullOr(Ids.UserIdInput))
})
export type ChatRequest = typeof ChatRequest.Type

const FilePart = Schema.Struct({
  type: Schema.Literal("file"),
  mediaType: text,
  url: text,
  filename: Schema.optionalKey(Schema.NullOr(text))
})
const filePart = Schema.decodeUnknownOption(FilePart)

const isGiven = <A>(value: A | null | undefined): value is A => value !== null && value !== undefined && value !== ""

export const lastOf = ({ messages }: ChatRequest): Message => messages[messages.length - 1] as Message

const partTypes =
  /^(text|file|custom|reasoning|reasoning-file|source-url|source-document|step-start|steering-message|dynamic-tool|(data|tool)-.+)$/s

/** The tools that the client executes. Undefined without any. */
export const toolsOf = ({ tools }: ChatRequest): ReadonlyArray<ClientTool> | undefined =>
  GivenTools.of(Object.entries(tools ?? {}).map(([name, tool]) => ({ name, ...tool })))

/**
 * Where the run of the last message is. The id of an answer is that of its run. `isWhole`: the client always sends all
 * messages that it shows.
 */
export const placeOf = ({ messageId, messages, trigger }: ChatRequest, isWhole = false) => {
  const isAgain = trigger === "regenerate-message"
  const shown = messages.map(({ id, role }) => role === "assistant" ? { role, run_id: id } : { role })
  const { known, otherwise } = ShownPath.placeOf(shown, { isCut: isWhole || isAgain || isGiven(messageId) })
  const answer = isAgain && isGiven(messageId) && Ids.isExact(messageId)
    ? [{ run_id: Run.Id.make(messageId), isBefore: true }]
    : []
  return { known: [...answer, ...known], otherwise }
}

/** Whether each part is one of a chat, and each text part has text. */
export const isReadable = ({ parts }: Message): boolean =>
  parts.every(({ text, type }) =>
    typeof type === "string" && partTypes.test(type) && (type !== "text" || typeof text === "string")
  )

/** The text of a message. Other parts are not text. */
export const textOf = ({ parts }: Message): string =>
  parts.flatMap(({ text, type }) => type === "text" && typeof text === "string" ? [text] : []).join("\n")

export const filesOf = ({ parts }: Message): ReadonlyArray<InputMedia.InputFile> =>
  parts.filter(({ type }) => type === "file").map((part) =>
    Option.match(filePart(part), {
      onNone: () => InputMedia.unreadable,
      onSome: ({ filename, mediaType, url }) => ({ url, mediaType, filename: filename ?? undefined })
    })
  )

const Approval = Schema.Struct({
  id: Schema.optionalKey(text),
  approved: Schema.Boolean,
  reason: Schema.optionalKey(Schema.NullOr(text))
})
const approvalOf = Schema.decodeUnknownOption(Approval)

/** What the client answers with a part of a tool. Undefined if it has no answer yet. */
const answerIn = (
  question: Question,
  part: Json.Object,
  tools: ChatRequest["tools"]
): Result.Result<Answer.Answer, AnswerRejected> | undefined => {
  const { isOfClient, kind, name } = question
  const { approval, errorText, output, state } = part
  switch (state) {
    case "approval-responded":
    case "output-denied": {
      const found = approvalOf(approval)
      if (Option.isNone(found)) return undefined
      const { approved, id = question.id, reason } = found.value
      // models repeat the ids of calls: an approval of an earlier call does not count for this one
      if (id !== question.id) return undefined
      const note = typeof reason === "string" && reason !== "" ? { note: reason } : {}
      return Result.succeed(approved ? { _tag: "Accepted", ...note } : { _tag: "Rejected", ...note })
    }
    case "output-available":
      // a function of the page does not know the form of an answer
      return kind === "external_execution" && (isOfClient || Object.hasOwn(tools ?? {}, name))
        ? Result.succeed(Answer.resultOf(output ?? null))
        : Answer.fromJson(question, output ?? null)
    case "output-error":
      return Result.succeed({ _tag: "Rejected", ...(typeof errorText === "string" ? { note: errorText } : {}) })
    default:
      return undefined
  }
}

/** A call that the client rejects, or whose execution at the client failed with the text. */
export interface Rejected {
  readonly toolCallId: string
  readonly errorText?: string
}

/** A call with the arguments with which it is executed. */
export interface Edited {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: Json.Value
}

export interface Answered {
  readonly decisions: Decisions.Decisions
  readonly rejected: ReadonlyArray<Rejected>
  readonly edited: ReadonlyArray<Edited>
}

const rejectionOf = ({ toolCallId }: Question, { errorText, state }: Json.Object): Rejected =>
  state === "output-error"
    ? { toolCallId, errorText: typeof errorText === "string" ? errorText : "The call failed" }
    : { toolCallId }

/** A client sends the call as it was shown: another one can have its id. */
const isShownIn = ({ input }: Json.Object, question: Question): boolean =>
  input === undefined || input === null || Equal.equals(input, Questions.argsOf(question))

const answeredStates = new Set<unknown>(["approval-responded", "output-denied", "output-available", "output-error"])

/** The answer before the last message, if a call in it has a result: the client can have supplied it. */
export const answeredBefore = ({ messages }: ChatRequest): Message | undefined => {
  const previous = messages[messages.length - 2]
  return previous?.role === "assistant" && previous.parts.some(({ state }) => answeredStates.has(state))
    ? previous
    : undefined
}

/** The parts with the call in the last step that has it: models repeat the ids of calls in later steps. */
const lastStepOf = (parts: Message["parts"], { toolCallId }: Question): Message["parts"] => {
  const isOf = (part: Json.Object) => part["toolCallId"] === toolCallId
  const end = parts.findLastIndex(isOf) + 1
  const start = parts.slice(0, end).findLastIndex(({ type }) => type === "step-start") + 1
  return parts.slice(start, end).filter(isOf)
}

/** The ids of the calls that the message shows. */
export const callsIn = ({ parts }: Message): ReadonlySet<string> =>
  new Set(parts.flatMap(({ toolCallId }) => typeof toolCallId === "string" ? [toolCallId] : []))

/** Each answer to the question with its part. */
const readIn = (parts: Message["parts"], question: Question, { tools }: Pick<ChatRequest, "tools">) =>
  lastStepOf(parts, question).flatMap((part) => {
    const read = isShownIn(part, question) ? answerIn(question, part, tools) : undefined
    return read === undefined ? [] : [[part, read] as const]
  })

/** Whether the message has an answer to a question. */
export const isAnsweredIn = ({ parts }: Message, request: Pick<ChatRequest, "tools">) => (question: Question) =>
  readIn(parts, question, request).length > 0

/** The answers in the parts of a message, for the questions of its run. */
export const answersIn = (
  { parts }: Message,
  questions: ReadonlyArray<Question>,
  request: Pick<ChatRequest, "tools">
): Result.Result<Answered, AnswerRejected> => {
  const answers = new Map<string, Answer.Answer>()
  const rejected: Array<Rejected> = []
  const edited: Array<Edited> = []
  for (const question of questions) {
    let part: Json.Object | undefined
    for (const [each, read] of readIn(parts, question, request)) {
      const added = Result.flatMap(read, (answer) => Answer.add(answers, question, answer))
      if (Result.isFailure(added)) return Result.fail(added.failure)
      part = each
    }
    const answer = answers.get(question.id)
    if (part === undefined || answer === undefined) continue
    if (answer._tag === "Rejected") rejected.push(rejectionOf(question, part))
    if (answer._tag === "Accepted" && answer.args !== undefined) {
      edited.push({ toolCallId: question.toolCallId, toolName: question.name, input: answer.args })
    }
  }
  return Result.map(Decisions.of(questions, answers), (decisions) => ({ decisions, rejected, edited }))
}
