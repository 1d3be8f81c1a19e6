// A medium as an address with a content type: that of the medium, or one that has its content.
import { Base64 } from "effect/encoding"
import type { AnyMedium } from "./RunPiece.ts"

const types = {
  image: "image/png",
  audio: "audio/mpeg",
  video: "video/mp4",
  file: "application/octet-stream"
} as const

export interface MediumUrl {
  readonly url: string
  readonly mediaType: string
}

/** The content of a text document is not base64. */
const base64Of = ({ kind, medium: { content = "" } }: AnyMedium, mediaType: string): string =>
  kind === "file" && mediaType.startsWith("text/") ? Base64.encode(content) : content

/** Undefined for a medium with neither an address nor content. */
export const of = (medium: AnyMedium): MediumUrl | undefined => {
  const { content, mime_type, url } = medium.medium
  const mediaType = mime_type ?? types[medium.kind]
  if (url !== undefined) return { url, mediaType }
  return content === undefined
    ? undefined
    : { url: `data:${mediaType};base64,${base64Of(medium, mediaType)}`, mediaType }
}
