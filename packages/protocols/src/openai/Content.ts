// The content of messages: text, or parts with text, images, audio and files, of both APIs.
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import { Schema } from "effect"
import * as InputMedia from "../run/InputMedia.ts"

export type Content = Json.Value | undefined

/** With the fields of which each needs one. */
const partTypes: Readonly<Record<string, ReadonlyArray<string>>> = {
  text: ["text"],
  input_text: ["text"],
  output_text: ["text"],
  refusal: ["refusal"],
  image_url: ["image_url"],
  input_image: ["image_url"],
  input_audio: ["input_audio"],
  file: ["file"],
  input_file: ["file_data", "file_url"]
}

const isPart = (part: Json.Value): boolean => {
  if (!Json.isObject(part)) return false
  const type = String(part["type"])
  const fields = Object.hasOwn(partTypes, type) ? partTypes[type] : undefined
  return fields?.some((field) => Object.hasOwn(part, field)) === true
}

/** Whether the content is text, or has only parts that are read. */
export const isContent = (content: Json.Value): boolean =>
  content === null || typeof content === "string" || (Json.isList(content) && content.every(isPart))

export const Content = Schema.Json.check(
  Schema.makeFilter(isContent, { message: "Input should be text, or parts with text, images, audio or files" })
)

const partsOf = (content: Content): ReadonlyArray<Json.Object> =>
  Json.isList(content) ? content.filter(Json.isObject) : []

const textIn = ({ refusal, text, type }: Json.Object): ReadonlyArray<string> => {
  if (type === "refusal" && typeof refusal === "string") return [refusal]
  return typeof text === "string" ? [text] : []
}

export const textOf = (content: Content): string =>
  typeof content === "string" ? content : partsOf(content).flatMap(textIn).join("\n")

const named = (filename: Json.Value | undefined) => typeof filename === "string" ? { filename } : {}

const fileIn = (part: Json.Object): ReadonlyArray<InputMedia.InputFile> => {
  const { file = part, image_url, input_audio, type } = part
  switch (type) {
    case "image_url":
    case "input_image": {
      const url = Json.isObject(image_url) ? image_url["url"] : image_url
      if (typeof url !== "string") return [InputMedia.unreadable]
      return [url.startsWith("data:") ? { url } : { url, mediaType: "image/*" }]
    }
    case "input_audio": {
      const { data, format } = Json.isObject(input_audio) ? input_audio : part
      if (typeof data !== "string") return [InputMedia.unreadable]
      const mediaType = `audio/${typeof format === "string" ? format : "wav"}`
      return [{ url: `data:${mediaType};base64,${data}`, mediaType }]
    }
    case "file":
    case "input_file": {
      if (!Json.isObject(file)) return [InputMedia.unreadable]
      const { file_data, file_url, filename } = file
      if (typeof file_url === "string") return [{ url: file_url, ...named(filename) }]
      return [typeof file_data === "string" ? { url: file_data, ...named(filename) } : InputMedia.unreadable]
    }
    default:
      return []
  }
}

/** Of the result of a function: what is no picture or document as base64 has a line in its place. */
export const resultOf = (content: Content): { readonly output: string; readonly media: ReadonlyArray<Media.File> } => {
  const media: Array<Media.File> = []
  const lineOf = (file: InputMedia.InputFile): ReadonlyArray<string> => {
    const shown = InputMedia.shownFile(file)
    if (shown === undefined) return [InputMedia.leftOut(file)]
    media.push(shown)
    return []
  }
  const output = typeof content === "string"
    ? content
    : partsOf(content).flatMap((part) => [...textIn(part), ...fileIn(part).flatMap(lineOf)]).join("\n")
  return { output, media }
}

/** The text of a message whose files are not sent, with a line in the place of each. */
export const textWithoutFiles = (content: Content): string =>
  typeof content === "string"
    ? content
    : partsOf(content).flatMap((part) => [...textIn(part), ...fileIn(part).map(InputMedia.leftOut)]).join("\n")

export const filesOf = (content: Content): ReadonlyArray<InputMedia.InputFile> => partsOf(content).flatMap(fileIn)
