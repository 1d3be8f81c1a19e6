// Converts the data of a file to the format of the AI SDK. A string is base64 unless it is a `data:` URL or another
// URL; URLs are passed on and never fetched here, so a prompt cannot make the service call an address. Text files
// become text, because half of the providers refuse them as files.
import type { SharedV4FileDataData, SharedV4FileDataUrl } from "@ai-sdk/provider"
import { Option, Result } from "effect"
import type { Prompt } from "effect/ai"
import { Base64 } from "effect/encoding"

export interface File {
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
export const fromPart = (part: Prompt.FilePart): File => {
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

const decoder = new TextDecoder()

/** The content of a text file with its name, or undefined when the file is not text or is only a URL. */
export const asText = (file: File, fileName: string | undefined): string | undefined => {
  if (file.data.type !== "data" || !textual.test(file.mediaType)) return undefined
  const data = file.data.data
  const bytes = typeof data === "string" ? Result.getOrUndefined(Base64.decode(data)) : data
  if (bytes === undefined) return undefined
  const name = fileName === undefined ? "" : ` name=${JSON.stringify(fileName)}`
  return `<file${name} type="${file.mediaType}">\n${decoder.decode(bytes)}\n</file>`
}
