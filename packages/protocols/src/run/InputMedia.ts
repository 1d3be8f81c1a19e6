// Files that a client sends with a message, as the media of a run's input. A file is an address or base64, and a text
// document is kept as text.
import * as Media from "@svc-runtime/domain/Media"
import * as TextDecoding from "@svc-runtime/domain/TextDecoding"
import { Result } from "effect"
import { Base64 } from "effect/encoding"

export interface InputFile {
  /** An address, or a data URL with base64. */
  readonly url: string
  /** That of a data URL when left out. */
  readonly mediaType?: string | undefined
  readonly filename?: string | undefined
}

const dataUrl = /^data:([^;,]*)(?:;[^;,]+)*;base64,([\s\S]*)$/

/** With its parameters. */
const declaredType = /^data:([^,]*);base64,/

const kindOf = (mediaType: string): "images" | "audios" | "videos" | "files" => {
  if (mediaType.startsWith("image/")) return "images"
  if (mediaType.startsWith("audio/")) return "audios"
  return mediaType.startsWith("video/") ? "videos" : "files"
}

const typeOf = ({ mediaType, url }: InputFile): string => mediaType ?? dataUrl.exec(url)?.[1] ?? ""

/** What stands in the place of a file that is not sent to the model. */
export const leftOut = (file: InputFile): string => {
  const { filename = "", url } = file
  const known = [filename, typeOf(file), /^https?:/i.test(url) ? url : ""].filter((each) => each !== "")
  return `(A file is left out here${known.length === 0 ? "" : `: ${known.join(", ")}`}.)`
}

/** An image or a document as base64, which models can be shown with a result. Undefined for another file. */
export const shownFile = (file: InputFile): Media.File | undefined => {
  const mime_type = dataUrl.exec(file.url)?.[1] ?? ""
  const content = dataUrl.exec(file.url)?.[2] ?? ""
  const isShown = mime_type.startsWith("image/") || mime_type === "application/pdf"
  return isShown && content !== "" && isBase64(content) ? { content, mime_type } : undefined
}

const isTextType = (type: string): boolean => kindOf(type) === "files" && type.startsWith("text/")

const decoded = (content: string, { mediaType, url }: InputFile): string =>
  Result.match(Base64.decode(content), {
    onFailure: () => "",
    onSuccess: (bytes) =>
      TextDecoding.ofBytes(
        bytes,
        [mediaType, declaredType.exec(url)?.[1]].find((each) => each?.includes("charset")) ?? mediaType
      )
  })

const fileOf = (input: InputFile): { readonly type: string; readonly file: Media.File } => {
  const { filename, url } = input
  const data = dataUrl.exec(url)
  const type = typeOf(input)
  const [, , content = ""] = data ?? []
  const isText = isTextType(type)
  return {
    type,
    file: {
      ...(data === null
        ? { url }
        : { content: isText ? decoded(content, input) : content }),
      ...(type === "" ? {} : { mime_type: type }),
      ...(filename === undefined ? {} : { filename })
    }
  }
}

/** Also without padding, in the alphabet of addresses, and in lines. */
export const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/_\-\r\n]*(?:={1,2}[\r\n]*)?$/.test(text)

/** Of a part that names no file that can be read. */
export const unreadable: InputFile = { url: "" }

/** Whether the address can be handed to a model: a scheme of the web, or base64, which is decoded if it is a text. */
export const isUsable = (file: InputFile): boolean => {
  const [found, , content = ""] = dataUrl.exec(file.url) ?? []
  if (found === undefined) return Media.isWebAddress(file.url)
  return isTextType(typeOf(file)) ? Result.isSuccess(Base64.decode(content)) : isBase64(content)
}

/** Empty kinds are left out. */
export const of = (files: ReadonlyArray<InputFile>): Media.Media => {
  const media: { [Kind in ReturnType<typeof kindOf>]?: Array<Media.File> } = {}
  for (const each of files) {
    const { file, type } = fileOf(each)
    const kind = kindOf(type)
    const list = media[kind] ??= []
    list.push(file)
  }
  return media
}
