// Converts a prompt of `effect/ai` to a prompt of the AI SDK. Provider options of parts are kept, so that signatures of
// reasoning and ids of items return to their provider. There are three differences: empty texts are left out (some
// providers refuse them), arguments that were not a JSON object are sent as `{}` (the result of the call has the
// error), and files in tool results move into a user message for providers that accept only text there.
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4FileDataData,
  SharedV4FileDataUrl,
  SharedV4ProviderOptions
} from "@ai-sdk/provider"
import * as TextDecoding from "@svc-runtime/domain/TextDecoding"
import { Option, Predicate, Result } from "effect"
import type { Prompt } from "effect/ai"
import { Base64 } from "effect/encoding"
import * as JsonValue from "./JsonValue.ts"

// Converts the data of a file to the format of the AI SDK. A string is base64 unless it is a `data:` URL or another
// URL; URLs are passed on and never fetched here, so a prompt cannot make the service call an address. Text files
// become text, because half of the providers refuse them as files.

interface File {
  readonly data: SharedV4FileDataData | SharedV4FileDataUrl
  readonly mediaType: string
}

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i
const dataUrl = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,(.*)$/is
const textual =
  /^(text\/|application\/(json|xml|yaml|x-yaml|toml|csv|javascript|typescript|sql|x-ndjson|x-sh)\b|.*\+(json|xml)$)/i

const parseUrl = Option.liftThrowable((url: string) => new URL(url))

const fromDataUrl = (url: string, mediaType: string): File => {
  const match = dataUrl.exec(url)
  if (match === null) return { data: { type: "data", data: url }, mediaType }
  const [, type, base64, content] = match
  return {
    data: {
      type: "data",
      data: base64 === undefined ? Base64.encode(decodeURIComponent(content ?? "")) : content ?? ""
    },
    mediaType: type === undefined || type === "" ? mediaType : type
  }
}

/** The file of a prompt part. */
const fromPart = (part: Prompt.FilePart): File => {
  const { data, mediaType } = part
  if (data instanceof Uint8Array) return { data: { type: "data", data }, mediaType }
  const location = typeof data === "string" ? data : data.href
  if (location.slice(0, 5).toLowerCase() === "data:") return fromDataUrl(location, mediaType)
  if (typeof data !== "string") return { data: { type: "url", url: data }, mediaType }
  if (!scheme.test(data.slice(0, 64))) return { data: { type: "data", data }, mediaType }
  return Option.match(parseUrl(data), {
    onNone: () => ({ data: { type: "data", data }, mediaType }),
    onSome: (url) => ({ data: { type: "url", url }, mediaType })
  })
}

/** The content of a text file with its name, or undefined when the file is not text or is only a URL. */
const asText = (file: File, fileName: string | undefined): string | undefined => {
  if (file.data.type !== "data" || !textual.test(file.mediaType)) return undefined
  const data = file.data.data
  const bytes = typeof data === "string" ? Result.getOrUndefined(Base64.decode(data)) : data
  if (bytes === undefined) return undefined
  const name = fileName === undefined ? "" : ` name=${JSON.stringify(fileName)}`
  return `<file${name} type="${file.mediaType}">\n${TextDecoding.ofBytes(bytes)}\n</file>`
}

type Role<R extends LanguageModelV4Message["role"]> = Extract<LanguageModelV4Message, { role: R }>
type AssistantPart = Role<"assistant">["content"][number]
type ToolPart = Role<"tool">["content"][number]
type OutputPart = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number]

export interface Options {
  /** Whether the provider takes images and files inside tool results. */
  readonly filesInToolResults: boolean
}

const providerOptions = (options: Prompt.ProviderOptions): { readonly providerOptions?: SharedV4ProviderOptions } => {
  let result: SharedV4ProviderOptions | undefined
  for (const [provider, value] of Object.entries(options)) {
    if (Predicate.isObject(value)) (result ??= {})[provider] = value as SharedV4ProviderOptions[string]
  }
  return result === undefined ? {} : { providerOptions: result }
}

const filePart = (part: Prompt.FilePart): LanguageModelV4FilePart | LanguageModelV4TextPart => {
  const file = fromPart(part)
  const text = asText(file, part.fileName)
  if (text !== undefined) return { type: "text", text, ...providerOptions(part.options) }
  return {
    type: "file",
    data: file.data,
    mediaType: file.mediaType,
    ...(part.fileName === undefined ? {} : { filename: part.fileName }),
    ...providerOptions(part.options)
  }
}

const textPart = (part: Prompt.TextPart): LanguageModelV4TextPart => ({
  type: "text",
  text: part.text,
  ...providerOptions(part.options)
})

const userMessage = (message: Prompt.UserMessage): LanguageModelV4Message => {
  const content = message.content.filter((part) => part.type !== "text" || part.text !== "")
  return {
    role: "user",
    content: content.map((part) => part.type === "text" ? textPart(part) : filePart(part)),
    ...providerOptions(message.options)
  }
}

const plainOutput = (part: Prompt.ToolResultPart): LanguageModelV4ToolResultOutput => {
  const { isFailure, result } = part
  if (typeof result === "string") return { type: isFailure ? "error-text" : "text", value: result }
  if (result === undefined) return { type: "text", value: "" }
  if (isFailure && Predicate.hasProperty(result, "type") && result.type === "execution-denied") {
    const reason = Predicate.hasProperty(result, "reason") && typeof result.reason === "string"
      ? result.reason
      : undefined
    return { type: "execution-denied", ...(reason === undefined ? {} : { reason }) }
  }
  return { type: isFailure ? "error-json" : "json", value: JsonValue.from(result) }
}

const outputPart = (part: Prompt.ToolModelOutputPart): OutputPart =>
  part.type === "text" ? textPart(part) : filePart(part)

const output = (part: Prompt.ToolResultPart): LanguageModelV4ToolResultOutput =>
  part.modelOutput === undefined ? plainOutput(part) : { type: "content", value: part.modelOutput.map(outputPart) }

/** Keeps the conversion of one prompt: the options of the calls seen so far and the files that wait for a message. */
class Conversion {
  readonly messages: LanguageModelV4Prompt = []
  readonly callOptions = new Map<string, Prompt.ProviderOptions>()
  readonly options: Options
  waiting: Array<LanguageModelV4TextPart | LanguageModelV4FilePart> = []

  constructor(options: Options) {
    this.options = options
  }

  add(message: Prompt.Message): void {
    if (message.role !== "tool") this.flush()
    switch (message.role) {
      case "system":
        this.messages.push({ role: "system", content: message.content, ...providerOptions(message.options) })
        return
      case "user":
        this.messages.push(userMessage(message))
        return
      case "assistant":
        return this.addContent(
          "assistant",
          message.content.flatMap((part) => this.assistantPart(part)),
          message.options
        )
      case "tool":
        return this.addContent("tool", message.content.map((part) => this.toolPart(part)), message.options)
    }
  }

  addContent<R extends "assistant" | "tool">(role: R, content: Role<R>["content"], options: Prompt.ProviderOptions) {
    if (content.length === 0) return
    this.messages.push({ role, content, ...providerOptions(options) } as LanguageModelV4Message)
  }

  /** Files of tool results follow all results of the turn, where providers accept a user message. */
  flush(): void {
    if (this.waiting.length === 0) return
    this.messages.push({ role: "user", content: this.waiting })
    this.waiting = []
  }

  assistantPart(part: Prompt.AssistantMessagePart): ReadonlyArray<AssistantPart> {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [textPart(part)]
      case "reasoning":
        return [{ type: "reasoning", text: part.text, ...providerOptions(part.options) }]
      case "file":
        return [filePart(part)]
      case "tool-call":
        this.callOptions.set(part.id, part.options)
        return [{
          type: "tool-call",
          toolCallId: part.id,
          toolName: part.name,
          input: Predicate.isObject(part.params) ? part.params : {},
          ...(part.providerExecuted ? { providerExecuted: true } : {}),
          ...providerOptions(part.options)
        }]
      case "tool-result":
        return [this.toolResult(part)]
      case "tool-approval-request":
        return []
    }
  }

  toolPart(part: Prompt.ToolMessagePart): ToolPart {
    if (part.type === "tool-result") return this.toolResult(part)
    return {
      type: "tool-approval-response",
      approvalId: part.approvalId,
      approved: part.approved,
      ...(part.reason === undefined ? {} : { reason: part.reason })
    }
  }

  toolResult(part: Prompt.ToolResultPart): LanguageModelV4ToolResultPart {
    return {
      type: "tool-result",
      toolCallId: part.id,
      toolName: part.name,
      output: this.options.filesInToolResults ? output(part) : this.textOutput(part),
      // Some providers identify a result by the provider options of its call.
      ...providerOptions({ ...this.callOptions.get(part.id), ...part.options })
    }
  }

  textOutput(part: Prompt.ToolResultPart): LanguageModelV4ToolResultOutput {
    if (part.modelOutput === undefined) return plainOutput(part)
    const texts: Array<string> = []
    for (const item of part.modelOutput) {
      const converted = item.type === "text" ? textPart(item) : filePart(item)
      if (converted.type === "text") {
        texts.push(converted.text)
        continue
      }
      texts.push(`[${converted.mediaType} follows in the next message]`)
      this.waiting.push({ type: "text", text: `Returned by the tool ${part.name}:` }, converted)
    }
    return { type: part.isFailure ? "error-text" : "text", value: texts.join("\n") }
  }
}

export const toAiSdk = (prompt: Prompt.Prompt, options: Options): LanguageModelV4Prompt => {
  const conversion = new Conversion(options)
  for (const message of prompt.content) conversion.add(message)
  conversion.flush()
  return conversion.messages
}
