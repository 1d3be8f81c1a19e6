// Turns stored messages into the prompt of a model. Reasoning of earlier runs has no signature, so it is no part of
// them. The wires of the few providers that want it with its calls take it from the options of the message.
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Message from "@svc-runtime/domain/Message"
import { Option } from "effect"
import { Prompt } from "effect/ai"
import * as ToolMedia from "./ToolMedia.ts"

type MediaItem = Media.Image | Media.Audio | Media.Video | Media.File

const fallbackTypes = { images: "image/png", audio: "audio/wav", videos: "video/mp4", files: "text/plain" } as const

/** Extensions that differ from their media type. */
const spelling: Readonly<Record<string, string>> = { jpg: "jpeg", mov: "quicktime", mp3: "mpeg" }

const mediaTypeOf = (kind: keyof typeof fallbackTypes, { format, mime_type }: MediaItem): string => {
  if (mime_type !== undefined) return mime_type
  const fallback = fallbackTypes[kind]
  // The format of a document is its extension, which does not determine the media type.
  if (format === undefined || kind === "files") return fallback
  return `${fallback.slice(0, fallback.indexOf("/"))}/${spelling[format] ?? format}`
}

const mediaPart = (kind: keyof typeof fallbackTypes, item: MediaItem): Option.Option<Prompt.FilePart> => {
  const mediaType = mediaTypeOf(kind, item)
  const fileName = "filename" in item ? item.filename : undefined
  const named = fileName === undefined ? {} : { fileName }
  if (item.url !== undefined && URL.canParse(item.url)) {
    return Option.some(Prompt.filePart({ mediaType, data: new URL(item.url), ...named }))
  }
  if (item.content === undefined) return Option.none()
  const data = mediaType.startsWith("text/") && kind === "files"
    ? new TextEncoder().encode(item.content)
    : item.content
  return Option.some(Prompt.filePart({ mediaType, data, ...named }))
}

/** As a message of a user has them. */
export const mediaOf = (
  { audios, files, images, videos }: Media.Media
): Pick<Message.Message, "audio" | "files" | "images" | "videos"> => ({
  ...(images === undefined ? {} : { images }),
  ...(audios === undefined ? {} : { audio: audios }),
  ...(videos === undefined ? {} : { videos }),
  ...(files === undefined ? {} : { files })
})

const mediaParts = (message: Message.Message) => [
  ...(message.images ?? []).flatMap((item) => Option.toArray(mediaPart("images", item))),
  ...(message.audio ?? []).flatMap((item) => Option.toArray(mediaPart("audio", item))),
  ...(message.videos ?? []).flatMap((item) => Option.toArray(mediaPart("videos", item))),
  ...(message.files ?? []).flatMap((item) => Option.toArray(mediaPart("files", item)))
]

const assistantParts = (message: Message.Message) => [
  ...(message.content === undefined ? [] : [Prompt.textPart({ text: message.content })]),
  ...(message.tool_calls ?? []).map((call) =>
    Prompt.toolCallPart({
      id: call.id,
      name: call.function.name,
      params: Option.getOrElse(Json.parse(call.function.arguments), () => ({})),
      providerExecuted: false
    })
  )
]

const reasoningOf = ({ reasoning_content: reasoning, tool_calls }: Message.Message): Prompt.ProviderOptions =>
  reasoning === undefined || tool_calls === undefined ? {} : { svc: { reasoning } }

/** By reference: `ToolMedia` adds their bytes to a request. */
const resultMedia = ({ files = [], images = [] }: Message.Message) => {
  const modelOutput = ToolMedia.partsOf([...images, ...files])
  return modelOutput.length === 0 ? {} : { modelOutput }
}

export const toPromptMessage = (message: Message.Message): Prompt.Message => {
  switch (message.role) {
    case "system":
    case "developer":
      return Prompt.systemMessage({ content: message.content ?? "" })
    case "user":
      return Prompt.userMessage({
        content: [Prompt.textPart({ text: message.content ?? "" }), ...mediaParts(message)]
      })
    case "assistant":
      return Prompt.assistantMessage({ content: assistantParts(message), options: reasoningOf(message) })
    case "tool":
      return Prompt.toolMessage({
        content: [
          Prompt.toolResultPart({
            id: message.tool_call_id ?? "",
            name: message.tool_name ?? "",
            isFailure: message.tool_call_error ?? false,
            result: message.content ?? "",
            providerExecuted: false,
            ...resultMedia(message)
          })
        ]
      })
  }
}

export const isSystem = ({ role }: Message.Message): boolean => role === "system" || role === "developer"

/** Providers reject empty messages, such as an answer that was cut off at its start. */
const saysSomething = (message: Message.Message) =>
  message.role !== "assistant" || message.content !== undefined || message.tool_calls !== undefined

export const toPrompt = (messages: ReadonlyArray<Message.Message>): Prompt.Prompt =>
  Prompt.fromMessages(messages.filter(saysSomething).map(toPromptMessage))
