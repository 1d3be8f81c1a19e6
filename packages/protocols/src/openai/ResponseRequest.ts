// The request of `responses`. The last user message of the input is the input of a run, and earlier items are context.
// Outputs of functions continue the paused run of the previous response.
import { ClientTool, maxCount as maxTools } from "@svc-runtime/domain/ClientTool"
import type { EarlierMessage } from "@svc-runtime/domain/EarlierMessage"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import { Option, Schema } from "effect"
import * as CompletionRequest from "./CompletionRequest.ts"
import * as Content from "./Content.ts"

const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const text = Schema.String

const FunctionTool = Schema.Struct({
  type: Schema.Literal("function"),
  name: ClientTool.fields.name,
  description: nullable(text),
  parameters: nullable(ClientTool.fields.parameters.schema)
})

const Format = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["text", "json_object"]) }),
  Schema.Struct({ type: Schema.Literal("json_schema"), schema: Json.Input })
])

/** Reasoning of earlier answers is passed over. */
const isItem = ({ content, role, type = "message" }: Json.Object): boolean =>
  type === "message"
    ? typeof role === "string" && Content.isContent(content ?? null)
    : type === "function_call" || type === "function_call_output" || type === "reasoning"

const Item = Json.Object.check(
  Schema.makeFilter(isItem, { message: "Input should be a message, a call of a function or its output" })
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
  tools === undefined || tools === null || tools.length === 0 || tool_choice === "none"
    ? undefined
    : tools.map(({ description, name, parameters }) => ({
      name,
      ...(typeof description === "string" ? { description } : {}),
      ...(parameters === undefined || parameters === null ? {} : { parameters })
    }))

export const metadataOf = ({ metadata }: ResponseRequest): Json.Object => metadata ?? {}

export const schemaOf = ({ text: output }: ResponseRequest): Json.Object | undefined =>
  output?.format?.type === "json_schema" ? output.format.schema : undefined

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
  const words = Content.textOf(output)
  return words === "" && typeof output !== "string" ? JSON.stringify(output) : words
}

const earlier = (item: Json.Object): ReadonlyArray<EarlierMessage> => {
  const message = messageItem(item)
  if (Option.isSome(message)) return [{ role: message.value.role, content: Content.textOf(message.value.content) }]
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

const instructionsOf = ({ instructions }: ResponseRequest): ReadonlyArray<EarlierMessage> =>
  typeof instructions === "string" && instructions !== "" ? [{ role: "system", content: instructions }] : []

/** Undefined if the last item is not a message of the user. */
export const inputOf = (request: ResponseRequest) => {
  const { input } = request
  if (typeof input === "string") return { text: input, files: [], earlier: instructionsOf(request) }
  const last = messageItem(input[input.length - 1])
  if (Option.isNone(last) || last.value.role !== "user") return undefined
  const { content } = last.value
  return {
    text: Content.textOf(content),
    files: Content.filesOf(content),
    earlier: [...instructionsOf(request), ...input.slice(0, -1).flatMap(earlier)]
  }
}

/** The outputs of functions, if there are no messages of the user behind them. */
export const resultsOf = ({ input }: ResponseRequest): ReadonlyArray<CompletionRequest.CallResult> => {
  if (typeof input === "string") return []
  const outputs: Array<CompletionRequest.CallResult> = []
  for (const item of input.toReversed()) {
    const found = functionOutput(item)
    if (Option.isNone(found)) break
    outputs.unshift({ id: found.value.call_id, output: outputText(found.value.output) })
  }
  return outputs
}
