// The request of a run, as AG-UI clients send it. The last user message is the input; the earlier messages are the
// history, which the service has itself.
import { ClientTool, maxCount as maxTools } from "@svc-runtime/domain/ClientTool"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import { Option, Schema } from "effect"
import * as GivenTools from "../run/GivenTools.ts"
import type { InputFile } from "../run/InputMedia.ts"
import * as ShownPath from "../run/ShownPath.ts"

const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const partTypes = new Set(["text", "image", "audio", "video", "document", "binary"])

const isPart = (part: Json.Value): boolean =>
  Json.isObject(part) && partTypes.has(String(part["type"])) &&
  (part["type"] !== "text" || typeof part["text"] === "string")

/** An activity has an object, which is not read. */
const isContent = (content: Json.Value): boolean => !Json.isList(content) || content.every(isPart)

const Content = Schema.Json.check(
  Schema.makeFilter(isContent, {
    message: "Input should be text, or parts with text, images, audio, videos or documents"
  })
)

const Message = Schema.Struct({
  id: nullable(Schema.String),
  role: Schema.String,
  content: nullable(Content),
  toolCallId: nullable(Schema.String),
  toolCalls: nullable(Schema.Array(Schema.Struct({ id: nullable(Schema.String) }))),
  error: nullable(Schema.String)
})
type Message = typeof Message.Type

const Tool = Schema.Struct({ name: ClientTool.fields.name, ...GivenTools.fields })

const ResumeEntry = Schema.Struct({
  interruptId: Schema.String,
  status: Schema.Literals(["resolved", "cancelled"]),
  payload: Schema.optionalKey(Schema.Json)
})
export type ResumeEntry = typeof ResumeEntry.Type

const Id = Ids.IdInput.check(Schema.isMinLength(1))

export const RunAgentInput = Schema.Struct({
  threadId: Id,
  runId: Id,
  protocolVersion: nullable(Schema.String),
  state: nullable(Json.Object),
  messages: Schema.Array(Message),
  tools: nullable(Schema.Array(Tool).check(Schema.isMaxLength(maxTools))),
  context: nullable(Schema.Array(Schema.Struct({ description: Schema.String, value: Schema.Json }))),
  forwardedProps: nullable(Schema.Json),
  resume: nullable(Schema.Array(ResumeEntry))
})
export type RunAgentInput = typeof RunAgentInput.Type

/** What a client without a version cannot read is left out. */
export const isVersion1 = ({ protocolVersion }: RunAgentInput): boolean => /^[1-9]/.test(protocolVersion ?? "")

/** Of a client that sends none it is empty. */
export const stateOf = ({ state }: RunAgentInput): Json.Object => state ?? {}

/** The tools that the client executes. Undefined without any. */
export const toolsOf = ({ tools }: RunAgentInput): ReadonlyArray<ClientTool> | undefined => GivenTools.of(tools)

export const toolNamesOf = ({ tools }: RunAgentInput): ReadonlySet<string> =>
  new Set((tools ?? []).map(({ name }) => name))

/** By their descriptions. Values are text that is often JSON. */
export const dependenciesOf = ({ context }: RunAgentInput): Json.Object =>
  Object.fromEntries(
    (context ?? []).map(({ description, value }) => [
      description,
      typeof value === "string" ? Option.getOrElse(Json.parseInput(value), () => value) : value
    ])
  )

const TextPart = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
const Source = Schema.Struct({
  type: Schema.Literals(["data", "url", "file"]),
  value: Schema.String,
  mimeType: nullable(Schema.String)
})
const MediaPart = Schema.Struct({ type: Schema.Literals(["image", "audio", "video", "document"]), source: Source })
/** Of clients before 1.0. */
const BinaryPart = Schema.Struct({
  type: Schema.Literal("binary"),
  mimeType: Schema.String,
  data: nullable(Schema.String),
  url: nullable(Schema.String),
  filename: nullable(Schema.String)
})
const textPart = Schema.decodeUnknownOption(TextPart)
const mediaPart = Schema.decodeUnknownOption(MediaPart)
const binaryPart = Schema.decodeUnknownOption(BinaryPart)

const partsOf = ({ content }: Message): ReadonlyArray<Json.Value> =>
  Json.isList(content ?? undefined) ? content as ReadonlyArray<Json.Value> : []

const contentText = (message: Message): string =>
  typeof message.content === "string"
    ? message.content
    : partsOf(message).flatMap((part) => Option.toArray(textPart(part))).map(({ text }) => text).join("\n")

const dataUrl = (mimeType: string, data: string): string => `data:${mimeType};base64,${data}`

/** What cannot be used is left out, such as a file that only its provider can read: so the standard asks. */
const fileOf = (part: Json.Value): ReadonlyArray<InputFile> => {
  const media = mediaPart(part)
  if (Option.isSome(media)) {
    const { source: { mimeType, type, value } } = media.value
    const mediaType = mimeType ?? undefined
    if (type === "file") return []
    return [{ url: type === "url" ? value : dataUrl(mediaType ?? "", value), mediaType }]
  }
  const binary = binaryPart(part)
  if (Option.isNone(binary)) return []
  const { data, filename, mimeType, url } = binary.value
  const address = url ?? (typeof data === "string" ? dataUrl(mimeType, data) : undefined)
  return address === undefined ? [] : [{ url: address, mediaType: mimeType, filename: filename ?? undefined }]
}

/** As `AgUiStream` names the messages of an answer. */
const ofRun = /^(.+)-\d+-(?:\d+|calls)$/s

/** Where the run of the last message is. `isWhole`: the client always sends all messages that it shows. */
export const placeOf = ({ messages }: RunAgentInput, isWhole = false) => {
  const shown = messages.map(({ id, role }) => {
    const run_id = role === "assistant" || role === "reasoning" ? ofRun.exec(id ?? "")?.[1] : undefined
    return run_id === undefined ? { role } : { role, run_id }
  })
  return ShownPath.placeOf(shown, { isCut: isWhole })
}

/**
 * The run whose message has made the calls that the tool messages at the end answer, if its id says so. Messages of
 * other runs can be between them.
 */
export const answeredRunOf = (input: RunAgentInput): string | undefined => {
  const answered = new Set(toolAnswersOf(input).map(({ toolCallId }) => toolCallId))
  const made = input.messages.findLast(({ role, toolCalls }) =>
    role === "assistant" && toolCalls?.some(({ id }) => typeof id === "string" && answered.has(id)) === true
  )
  return ofRun.exec(made?.id ?? "")?.[1]
}

/** The input of a run. Undefined if the last message is not one of the user. */
export const inputOf = ({ messages }: RunAgentInput) => {
  const last = messages.at(-1)
  return last === undefined || last.role !== "user"
    ? undefined
    : { text: contentText(last), files: partsOf(last).flatMap(fileOf) }
}

export interface ToolAnswer {
  readonly toolCallId: string
  readonly content: string
  readonly isError: boolean
}

/** The tool messages at the end, or before a message of the user there. They answer calls of a paused run. */
export const toolAnswersOf = ({ messages }: RunAgentInput): ReadonlyArray<ToolAnswer> => {
  const end = messages.at(-1)?.role === "user" ? messages.length - 1 : messages.length
  const first = messages.slice(0, end).findLastIndex(({ role }) => role !== "tool") + 1
  return messages.slice(first, end).flatMap((message) => {
    const { error, toolCallId } = message
    if (typeof toolCallId !== "string") return []
    return [{ toolCallId, content: contentText(message), isError: typeof error === "string" && error !== "" }]
  })
}
