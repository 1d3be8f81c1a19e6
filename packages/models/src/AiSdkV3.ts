// Adapts models of the previous version of the AI SDK's specification to the current one. The two differ in how a
// file is written (in prompts, in tool results and in answers) and in a few kinds of content that the older one lacks.
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3File,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4File,
  LanguageModelV4FilePart,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput
} from "@ai-sdk/provider"
import { Base64 } from "effect/encoding"

const filePart = (part: LanguageModelV4FilePart) => ({
  ...part,
  data: part.data.type === "data"
    ? part.data.data
    : part.data.type === "url"
    ? part.data.url
    : part.data.type === "text"
    ? Base64.encode(part.data.text)
    : ""
})

const output = (value: LanguageModelV4ToolResultOutput): LanguageModelV3ToolResultOutput => {
  if (value.type !== "content") return value
  return {
    type: "content",
    value: value.value.map((item) => {
      if (item.type !== "file") return item
      const { data, mediaType } = item
      if (data.type === "url") return { type: "file-url", url: data.url.href }
      if (data.type !== "data") return { type: "text", text: data.type === "text" ? data.text : "" }
      const base64 = typeof data.data === "string" ? data.data : Base64.encode(data.data)
      return mediaType.startsWith("image/")
        ? { type: "image-data", data: base64, mediaType }
        : {
          type: "file-data",
          data: base64,
          mediaType,
          ...(item.filename === undefined ? {} : { filename: item.filename })
        }
    })
  }
}

const message = (value: LanguageModelV4Message): LanguageModelV3Message => {
  if (value.role === "system") return value
  const content = value.content
    .filter((part) => part.type !== "custom" && part.type !== "reasoning-file")
    .map((part) =>
      part.type === "file"
        ? filePart(part)
        : part.type === "tool-result"
        ? { ...part, output: output(part.output) }
        : part
    )
  return { ...value, content } as LanguageModelV3Message
}

const callOptions = ({ reasoning: _, ...options }: LanguageModelV4CallOptions): LanguageModelV3CallOptions => ({
  ...options,
  prompt: options.prompt.map(message)
})

const file = (part: LanguageModelV3File): LanguageModelV4File => ({ ...part, data: { type: "data", data: part.data } })

export const toV4 = (model: LanguageModelV3): LanguageModelV4 => ({
  specificationVersion: "v4",
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: {},
  doGenerate: (options) =>
    model.doGenerate(callOptions(options)).then((result): LanguageModelV4GenerateResult => ({
      ...result,
      content: result.content.map((part) => part.type === "file" ? file(part) : part)
    })),
  doStream: (options) =>
    model.doStream(callOptions(options)).then((result) => ({
      ...result,
      stream: result.stream.pipeThrough(
        new TransformStream<Parameters<typeof streamPart>[0], LanguageModelV4StreamPart>({
          transform: (part, controller) => controller.enqueue(streamPart(part))
        })
      )
    }))
})

type StreamPartV3 = Awaited<ReturnType<LanguageModelV3["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part
  : never

const streamPart = (part: StreamPartV3): LanguageModelV4StreamPart => part.type === "file" ? file(part) : part
