// The request of `chat/completions`. The last user message is the input, and earlier messages are context of the run.
// Tool messages at the end answer the calls of a paused run.
import { ClientTool, maxCount as maxTools } from "@svc-runtime/domain/ClientTool"
import { type EarlierMessage, maxCount as maxEarlier } from "@svc-runtime/domain/EarlierMessage"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import * as TextBytes from "@svc-runtime/domain/TextBytes"
import { Schema } from "effect"
import * as GivenTools from "../run/GivenTools.ts"
import * as Content from "./Content.ts"
import * as LastInstructions from "./LastInstructions.ts"

const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const text = Schema.String

const ToolCall = Schema.Struct({
  id: text,
  function: Schema.Struct({ name: text, arguments: text })
})

const Message = Schema.Struct({
  role: Schema.Literals(["system", "developer", "user", "assistant", "tool"]),
  content: nullable(Content.Content),
  tool_calls: nullable(Schema.Array(ToolCall)),
  tool_call_id: nullable(text),
  /** The text of the model instead of an answer. */
  refusal: nullable(text)
})
type Message = typeof Message.Type

const FunctionTool = Schema.Struct({
  type: Schema.Literal("function"),
  function: Schema.Struct({
    name: ClientTool.fields.name,
    ...GivenTools.fields
  })
})

export const JsonSchemaFormat = Schema.Struct({ schema: Json.Input })

/** Of the format `json_object`. */
export const anyObject: Json.Object = { type: "object" }

const ResponseFormat = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["text", "json_object"]) }),
  Schema.Struct({ type: Schema.Literal("json_schema"), json_schema: JsonSchemaFormat })
])

const ConversationId = Ids.IdInput.check(Schema.isMinLength(1))

/** The name of a session: of its own, or as the API has it. */
export const Conversation = Schema.Union([ConversationId, Schema.Struct({ id: ConversationId })])

export const conversationOf = (conversation: typeof Conversation.Type | null | undefined): string | undefined =>
  typeof conversation === "object" ? conversation?.id : conversation

export const CompletionRequest = Schema.Struct({
  model: text,
  messages: Schema.NonEmptyArray(Message),
  stream: nullable(Schema.Boolean),
  stream_options: nullable(Schema.Struct({ include_usage: nullable(Schema.Boolean) })),
  tools: nullable(Schema.Array(FunctionTool).check(Schema.isMaxLength(maxTools))),
  tool_choice: nullable(Schema.Json),
  response_format: nullable(ResponseFormat),
  user: nullable(Ids.UserIdInput),
  conversation: nullable(Conversation)
})
export type CompletionRequest = typeof CompletionRequest.Type

const givenTools = ({ tools }: CompletionRequest) => GivenTools.of(tools?.map((tool) => tool.function))

/** Undefined without any, and for a request that wants no calls. */
export const toolsOf = (request: CompletionRequest): ReadonlyArray<ClientTool> | undefined =>
  request.tool_choice === "none" ? undefined : givenTools(request)

/** The names of the client's functions, also of a request that wants no calls. */
export const ownOf = (request: CompletionRequest): ReadonlySet<string> =>
  new Set(givenTools(request)?.map(({ name }) => name))

export const schemaOf = ({ response_format }: CompletionRequest): Json.Object | undefined =>
  response_format?.type === "json_schema"
    ? response_format.json_schema.schema
    : response_format?.type === "json_object"
    ? anyObject
    : undefined

const earlier = ({ content, refusal, role, tool_call_id, tool_calls }: Message): EarlierMessage => {
  const texts = [Content.textWithoutFiles(content ?? undefined), role === "assistant" ? refusal ?? "" : ""]
  const words = texts.filter((each) => each !== "").join("\n")
  return {
    role,
    ...(words === "" && role === "assistant" ? {} : { content: words }),
    ...(tool_calls === undefined || tool_calls === null || tool_calls.length === 0
      ? {}
      : {
        tool_calls: tool_calls.map(({ function: called, id }) => ({ id, type: "function", function: called }) as const)
      }),
    ...(typeof tool_call_id === "string" ? { tool_call_id } : {})
  }
}

const isInstruction = ({ role }: EarlierMessage): boolean => role === "system" || role === "developer"

/** The newest messages that have room. Instructions stay. */
export const within = (messages: ReadonlyArray<EarlierMessage>, bytes: number): ReadonlyArray<EarlierMessage> => {
  let left = bytes
  const kept = new Set<EarlierMessage>()
  const newest = messages.toReversed()
  for (const message of [...newest.filter(isInstruction), ...newest.filter((each) => !isInstruction(each))]) {
    left -= TextBytes.of(JSON.stringify(message))
    if (left < 0 || kept.size === maxEarlier) break
    kept.add(message)
  }
  return messages.filter((message) => kept.has(message))
}

/** With its instructions before the last message of the user. */
export const settled = (request: CompletionRequest): CompletionRequest => ({
  ...request,
  messages: LastInstructions.moved(request.messages, {
    isInstruction: ({ role }) => role === "system" || role === "developer",
    isOfUser: ({ role }) => role === "user",
    isResult: ({ role }) => role === "tool",
    asUser: (message) => ({ ...message, role: "user" })
  })
})

const messageOf = ({ content }: Message) => ({
  text: Content.textOf(content ?? undefined),
  files: Content.filesOf(content ?? undefined)
})

/** Undefined if the last message is neither one of the user nor a result of a call. */
export const inputOf = ({ messages }: CompletionRequest) => {
  const last = messages[messages.length - 1] as Message
  const at = last.role === "tool" ? messages.findLastIndex(({ role }) => role === "user") : messages.length - 1
  const message = messages[at]
  if (message?.role !== "user") return undefined
  return {
    ...messageOf(message),
    earlier: messages.slice(0, at).map(earlier),
    later: messages.slice(at + 1).map(earlier)
  }
}

/** Whether the request has the calls of all these results: it needs no run that waits for them. */
export const hasCallsOf = ({ messages }: CompletionRequest, results: ReadonlyArray<CallResult>): boolean => {
  const calls = new Set(messages.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ id }) => id))
  return results.every(({ id }) => calls.has(id))
}

export interface CallResult {
  readonly id: string
  readonly output: string
  readonly media: ReadonlyArray<Media.File>
  /** A call follows: the result can be one that the run has got before. */
  readonly isEarlier?: boolean
}

export interface Answers {
  readonly results: ReadonlyArray<CallResult>
  readonly message: ReturnType<typeof messageOf> | undefined
}

/** The results of calls at the end, and the message of the user behind them. */
export const answersOf = ({ messages }: CompletionRequest): Answers => {
  const last = messages[messages.length - 1] as Message
  const end = last.role === "user" ? messages.length - 1 : messages.length
  const first = messages.slice(0, end).findLastIndex(({ role }) => role !== "tool") + 1
  const results = messages.slice(first, end).flatMap(({ content, tool_call_id }): ReadonlyArray<CallResult> =>
    typeof tool_call_id === "string"
      ? [{ id: tool_call_id, ...Content.resultOf(content ?? undefined) }]
      : []
  )
  return { results, message: end === messages.length ? undefined : messageOf(last) }
}
