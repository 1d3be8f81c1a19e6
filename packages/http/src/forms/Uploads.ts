// Uploaded files become the media of a run's input: images, audio, videos or documents, by their content type, else by
// the extension of their name. Other files are refused, and empty ones are ignored.
import { Errors } from "@svc-runtime/api"
import type * as Media from "@svc-runtime/domain/Media"
import * as TextDecoding from "@svc-runtime/domain/TextDecoding"
import { Effect } from "effect"
import type { UploadedFile } from "./FormBody.ts"

type Kind = "images" | "audios" | "videos" | "files"

const words = (text: string) => text.split(" ")

const types: Readonly<Record<Kind, ReadonlySet<string>>> = {
  images: new Set(words("png jpeg jpg gif webp bmp tiff tif avif heic heif").map((name) => `image/${name}`)),
  audios: new Set(words("wav wave mp3 mpeg ogg mp4 m4a aac flac").map((name) => `audio/${name}`)),
  videos: new Set(
    words("x-flv quicktime mpeg mpegs mpgs mpg mp4 webm wmv 3gpp").map((name) => `video/${name}`)
  ),
  files: new Set([
    ...words("pdf json x-javascript msword vnd.ms-powerpoint vnd.ms-excel vnd.ms-outlook x-python")
      .map((name) => `application/${name}`),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ...words("javascript x-python plain html css markdown csv xml rtf").map((name) => `text/${name}`)
  ])
}

/** The extensions of each kind, with the content type that an extension stands for. */
const extensions: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  images: {
    png: "image/png",
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    gif: "image/gif",
    webp: "image/webp",
    bmp: "image/bmp",
    tiff: "image/tiff",
    tif: "image/tiff",
    avif: "image/avif",
    heic: "image/heic",
    heif: "image/heif"
  },
  audios: {
    wav: "audio/wav",
    mp3: "audio/mpeg",
    ogg: "audio/ogg",
    m4a: "audio/mp4",
    aac: "audio/aac",
    flac: "audio/flac"
  },
  videos: {
    flv: "video/x-flv",
    mov: "video/quicktime",
    mpeg: "video/mpeg",
    mpg: "video/mpeg",
    mp4: "video/mp4",
    webm: "video/webm",
    wmv: "video/wmv",
    "3gp": "video/3gpp"
  },
  files: {
    pdf: "application/pdf",
    json: "application/json",
    js: "text/javascript",
    docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    doc: "application/msword",
    pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ppt: "application/vnd.ms-powerpoint",
    xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    xls: "application/vnd.ms-excel",
    msg: "application/vnd.ms-outlook",
    py: "text/x-python",
    txt: "text/plain",
    html: "text/html",
    htm: "text/html",
    css: "text/css",
    md: "text/markdown",
    markdown: "text/markdown",
    csv: "text/csv",
    xml: "text/xml",
    rtf: "text/rtf"
  }
}

const kinds: ReadonlyArray<Kind> = ["images", "audios", "videos", "files"]
const ambiguous = new Set(["", "application/octet-stream", "text/plain"])

const extensionOf = (name: string): string => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ""

const classify = (file: UploadedFile): { readonly kind: Kind; readonly type: string } | undefined => {
  const type = (file.contentType.split(";")[0] ?? "").trim().toLowerCase()
  const extension = extensionOf(file.name)
  const byExtension = kinds.find((kind) => Object.hasOwn(extensions[kind], extension))
  if (ambiguous.has(type) && byExtension !== undefined && (type !== "text/plain" || byExtension === "files")) {
    return { kind: byExtension, type: extensions[byExtension][extension] ?? type }
  }
  const byType = kinds.find((kind) => types[kind].has(type))
  return byType === undefined ? undefined : { kind: byType, type }
}

/** Without a copy of the bytes. */
const base64 = ({ buffer, byteLength, byteOffset }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64")

const item = (file: UploadedFile, kind: Kind, type: string, id: string): Media.File => {
  const content = kind === "files" && type.startsWith("text/")
    ? TextDecoding.ofBytes(file.bytes, file.contentType)
    : base64(file.bytes)
  const format = extensionOf(file.name) || (type.split("/")[1] ?? "")
  return {
    id,
    content,
    format,
    mime_type: type,
    ...(kind === "files" && file.name !== "" ? { filename: file.name, size: file.bytes.length } : {})
  }
}

const accepted = kinds.map((kind) => `${kind} (${Object.keys(extensions[kind]).join(", ")})`).join(", ")

const unsupported = ({ contentType, name }: UploadedFile) =>
  Errors.badRequest(
    `A run takes no file of the type '${contentType}' ('${name}'). It takes ${accepted}`
  )

/** `newId` makes an id for each item, the same in the stored message and in the run's input. */
export const toMedia = Effect.fnUntraced(function*(
  files: ReadonlyArray<UploadedFile>,
  newId: () => string
): Effect.fn.Return<Media.Media, Errors.BadRequest> {
  const media: { [K in Kind]?: Array<Media.File> } = {}
  for (const file of files) {
    if (file.bytes.length === 0) continue
    const found = classify(file)
    if (found === undefined) return yield* unsupported(file)
    const items = media[found.kind] ??= []
    items.push(item(file, found.kind, found.type, newId()))
  }
  return media
})

export const merge = (left: Media.Media, right: Media.Media): Media.Media => {
  const merged: { [K in Kind]?: ReadonlyArray<Media.File> } = {}
  for (const kind of kinds) {
    const items = [...(left[kind] ?? []), ...(right[kind] ?? [])]
    if (items.length > 0) merged[kind] = items
  }
  return merged
}
