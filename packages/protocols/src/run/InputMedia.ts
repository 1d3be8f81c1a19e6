// Files that a client sends with a message, as the media of a run's input. A file is an address or base64, and a text
// document is kept as text.
import type * as Media from "@svc/domain/Media"
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

const kindOf = (mediaType: string): "images" | "audios" | "videos" | "files" => {
  if (mediaType.startsWith("image/")) return "images"
  if (mediaType.startsWith("audio/")) return "audios"
  return mediaType.startsWith("video/") ? "videos" : "files"
}

const fileOf = ({ filename, mediaType, url }: InputFile): { readonly type: string; readonly file: Media.File } => {
  const data = dataUrl.exec(url)
  const type = mediaType ?? data?.[1] ?? ""
  const [, , content = ""] = data ?? []
  const isText = kindOf(type) === "files" && type.startsWith("text/")
  return {
    type,
    file: {
      ...(data === null
        ? { url }
        : { content: isText ? Result.getOrElse(Base64.decodeString(content), () => "") : content }),
      ...(type === "" ? {} : { mime_type: type }),
      ...(filename === undefined ? {} : { filename })
    }
  }
}

/** Whether the address can be handed to a model: a scheme of the web, or base64. */
export const isUsable = ({ url }: InputFile): boolean => dataUrl.test(url) || /^https?:\/\//i.test(url)

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
