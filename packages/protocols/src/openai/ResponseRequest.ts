// The request of `responses`. The last user message of the input is the input of a run, and earlier items are context.
// Outputs of functions continue the paused run of the previous response.
import { ClientTool, maxCount as maxTools } from "@svc-runtime/domain/ClientTool"
import type { EarlierMessage } from "@svc-runtime/domain/EarlierMessage"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import { Array as Arr, Option, Schema } from "effect"
import * as GivenTools from "../run/GivenTools.ts"
import * as CompletionRequest from "./CompletionRequest.ts"
import * as Content from "./Content.ts"
import * as LastInstructions from "./LastInstructions.ts"

const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const text = Schema.String

const FunctionTool = Schema.Struct({
  type: Schema.Literal("function"),
  name: ClientTool.fields.name,
  ...GivenTools.fields
})

const Format = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["text", "json_object"]) }),
  Schema.Struct({ type: Schema.Literal("json_schema"), schema: Json.Input })
])

/** The id of an item in its place. */
const isReference = ({ id, type }: Json.Object): boolean => type === "item_reference" && typeof id === "string"

/** Reasoning of earlier answers is passed over. */
const isItem = (item: Json.Object): boolean => {
  const { content, role, type = "message" } = item
  return type === "message"
    ? typeof role === "string" && Content.isContent(content ?? null)
    : type === "function_call" || type === "function_call_output" || type === "reasoning" || isReference(item)
}

const Item = Json.Object.check(
  Schema.makeFilter(isItem, {
    message: "Input should be a message, a call of a function, its output, or a reference of an item"
  })
)

export const ResponseRequest = Schema.Struct({
  model: text,
  input: Schema.Union([text, Schema.NonEmptyArray(Item)]),
  instructions: nullable(text),
  previous_response_id: nullable(text),
  conversation: nullable(CompletionRequest.Conversation),
  stream: nullable(Schema.Boolean),
  background: nullable(Schema.Boolean),
  tools: nullable(Schema.Array(FunctionTool).check(Schema.isMaxLength(maxTools))),
  tool_choice: nullable(Schema.Json),
  text: nullable(Schema.Struct({ format: nullable(Format) })),
  metadata: nullable(Json.Object),
  user: nullable(Ids.UserIdInput)
})
export type ResponseRequest = typeof ResponseRequest.Type

export const toolsOf = ({ tool_choice, tools }: ResponseRequest): ReadonlyArray<ClientTool> | undefined =>
  tool_choice === "none" ? undefined : GivenTools.of(tools)

/** The names of the client's functions, also of a request that wants no calls. */
export const ownOf = ({ tools }: ResponseRequest): ReadonlySet<string> =>
  new Set(GivenTools.of(tools)?.map(({ name }) => name))

export const metadataOf = ({ metadata }: ResponseRequest): Json.Object => metadata ?? {}

export const schemaOf = ({ text: output }: ResponseRequest): Json.Object | undefined =>
  output?.format?.type === "json_schema"
    ? output.format.schema
    : output?.format?.type === "json_object"
    ? CompletionRequest.anyObject
    : undefined

/** The ids of the items that the input names. */
export const referencesOf = ({ input }: ResponseRequest): ReadonlyArray<string> =>
  typeof input === "string" ? [] : input.filter(isReference).map(({ id }) => String(id))

/** The ids of the calls whose outputs it has. */
export const answeredCallsOf = ({ input }: ResponseRequest): ReadonlyArray<string> =>
  typeof input === "string"
    ? []
    : input.flatMap((item) => Option.toArray(functionOutput(item))).map(({ call_id }) => call_id)

/** With the items that it names. */
export const withItems = (request: ResponseRequest, items: ReadonlyMap<string, Json.Object>): ResponseRequest => {
  const { input } = request
  if (typeof input === "string" || items.size === 0) return request
  const named = (item: Json.Object) => isReference(item) ? items.get(String(item["id"])) ?? item : item
  return { ...request, input: Arr.map(input, named) }
}

const FunctionOutput = Schema.Struct({
  type: Schema.Literal("function_call_output"),
  call_id: text,
  output: Schema.Json
})
const functionOutput = Schema.decodeUnknownOption(FunctionOutput)

const MessageItem = Schema.Struct({
  type: nullable(Schema.Literal("message")),
  role: Schema.Literals(["system", "developer", "user", "assistant"]),
  content: Content.Content
})
const messageItem = Schema.decodeUnknownOption(MessageItem)

const FunctionCall = Schema.Struct({
  type: Schema.Literal("function_call"),
  call_id: text,
  name: text,
  arguments: text
})
const functionCall = Schema.decodeUnknownOption(FunctionCall)

const outputText = (output: Json.Value): string => {
  const words = Content.textWithoutFiles(output)
  return words === "" && typeof output !== "string" ? JSON.stringify(output) : words
}

/** Another value than content is a result as JSON. */
const resultOf = (output: Json.Value) =>
  Content.isContent(output) ? Content.resultOf(output) : { output: outputText(output), media: [] }

const earlier = (item: Json.Object): ReadonlyArray<EarlierMessage> => {
  const message = messageItem(item)
  if (Option.isSome(message)) {
    return [{ role: message.value.role, content: Content.textWithoutFiles(message.value.content) }]
  }
  const call = functionCall(item)
  if (Option.isSome(call)) {
    const { arguments: args, call_id, name } = call.value
    return [{ role: "assistant", tool_calls: [{ id: call_id, type: "function", function: { name, arguments: args } }] }]
  }
  const output = functionOutput(item)
  return Option.isSome(output)
    ? [{ role: "tool", tool_call_id: output.value.call_id, content: outputText(output.value.output) }]
    : []
}

export const instructionsOf = ({ instructions }: ResponseRequest): ReadonlyArray<EarlierMessage> =>
  typeof instructions === "string" && instructions !== "" ? [{ role: "system", content: instructions }] : []

const isOfUser = (item: Json.Object | undefined): boolean =>
  Option.exists(messageItem(item), ({ role }) => role === "user")

/** With its instructions before the last message of the user. */
export const settled = (request: ResponseRequest): ResponseRequest => {
  const { input } = request
  if (typeof input === "string") return request
  const isInstruction = (item: Json.Object) =>
    Option.exists(messageItem(item), ({ role }) => role === "system" || role === "developer")
  const isResult = (item: Json.Object) => Option.isSome(functionOutput(item))
  const asUser = (item: Json.Object) => ({ ...item, role: "user" })
  return { ...request, input: LastInstructions.moved(input, { isInstruction, isOfUser, isResult, asUser }) }
}

/** Undefined if the last item is neither a message of the user nor an output of a function. */
export const inputOf = (request: ResponseRequest) => {
  const { input } = request
  if (typeof input === "string") return { text: input, files: [], earlier: instructionsOf(request), later: [] }
  const last = input.length - 1
  const at = Option.isSome(functionOutput(input[last])) ? input.findLastIndex(isOfUser) : last
  const message = messageItem(input[at])
  if (Option.isNone(message) || message.value.role !== "user") return undefined
  const { content } = message.value
  return {
    text: Content.textOf(content),
    files: Content.filesOf(content),
    earlier: [...instructionsOf(request), ...joined(input.slice(0, at).flatMap(earlier))],
    later: joined(input.slice(at + 1).flatMap(earlier))
  }
}

/** With calls that the model made at once in one message, with the text before them: their results are behind it. */
const joined = (messages: ReadonlyArray<EarlierMessage>): ReadonlyArray<EarlierMessage> => {
  const all: Array<EarlierMessage> = []
  for (const message of messages) {
    const last = all.at(-1)
    if (last?.role === "assistant" && message.tool_calls !== undefined && message.content === undefined) {
      all.splice(-1, 1, { ...last, tool_calls: [...last.tool_calls ?? [], ...message.tool_calls] })
    } else {
      all.push(message)
    }
  }
  return all
}

export interface Answers {
  /** The outputs of functions behind the last message before the end. */
  readonly results: ReadonlyArray<CompletionRequest.CallResult>
  /** Of the user, behind them. */
  readonly message: ReturnType<typeof messageIn>
}

const messageIn = (items: ReadonlyArray<Json.Object>) => {
  const contents = items.flatMap((item) => Option.toArray(messageItem(item))).map(({ content }) => content)
  return contents.length === 0 ? undefined : {
    text: contents.map(Content.textOf).filter((words) => words !== "").join("\n\n"),
    files: contents.flatMap(Content.filesOf)
  }
}

const outputsIn = (items: ReadonlyArray<Json.Object>): ReadonlyArray<CompletionRequest.CallResult> => {
  const lastCall = items.findLastIndex(({ type }) => type === "function_call")
  return items.flatMap((item, index) =>
    Option.match(functionOutput(item), {
      onNone: () => [],
      onSome: ({ call_id, output }) => [{ id: call_id, ...resultOf(output), isEarlier: index < lastCall }]
    })
  )
}

/** No results if no output of a function is at the end, or before the messages of the user there. */
export const answersOf = (request: ResponseRequest, isAdded: boolean): Answers => {
  const { input } = request
  if (typeof input === "string") return { results: [], message: undefined }
  // behind a response, in each order
  if (isAdded && hasOnlyOutputs(input)) {
    return { results: outputsIn(input), message: messageIn(input.filter(isOfUser)) }
  }
  const end = input.findLastIndex((item) => !isOfUser(item)) + 1
  if (Option.isNone(functionOutput(input[end - 1]))) return { results: [], message: undefined }
  const first = input.slice(0, end).findLastIndex(({ type = "message" }) => type === "message") + 1
  return { results: outputsIn(input.slice(first, end)), message: messageIn(input.slice(end)) }
}

const hasOnlyOutputs = (input: ReadonlyArray<Json.Object>): boolean =>
  input.some((item) => Option.isSome(functionOutput(item))) &&
  input.every((item) => Option.isSome(functionOutput(item)) || isOfUser(item))

/** Whether the request has the calls of all these outputs: it needs no run that waits for them. */
export const hasCallsOf = (
  { input }: ResponseRequest,
  results: ReadonlyArray<CompletionRequest.CallResult>
): boolean => {
  if (typeof input === "string") return false
  const calls = new Set(input.flatMap((item) => Option.toArray(functionCall(item))).map(({ call_id }) => call_id))
  return results.every(({ id }) => calls.has(id))
}
