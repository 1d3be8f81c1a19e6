// The result of a tool with images, sound or other files. The service stores them once in the session, the run lists
// them, and the model reads the text with their addresses.
import { Data, Option, Result } from "effect"
import { Base64 } from "effect/encoding"

export interface ToolMedium {
  readonly bytes: Uint8Array
  /** For example `image/png`. */
  readonly mediaType: string
}

export class MediaResult extends Data.Class<{
  /** For the model. */
  readonly content: unknown
  readonly media: ReadonlyArray<ToolMedium>
}> {}

export const withMedia = (content: unknown, media: ReadonlyArray<ToolMedium>): MediaResult => {
  for (const { bytes, mediaType } of media) {
    if (!(bytes instanceof Uint8Array) || typeof mediaType !== "string") {
      throw new Error("A medium of a tool has bytes (a Uint8Array) and a mediaType")
    }
  }
  return new MediaResult({ content, media })
}

/** A part of a result of others: a text, or a medium as base64 with the text in its place if it has no bytes. */
export interface Part {
  readonly text: string
  readonly data?: string | undefined
  readonly mediaType?: string | undefined
}

const mediumOf = ({ data, mediaType = "" }: Part): Option.Option<ToolMedium> =>
  data === undefined || data === ""
    ? Option.none()
    : Option.map(Result.getSuccess(Base64.decode(data)), (bytes) => ({ bytes, mediaType }))

/** The service names each medium once, with its address. So the text of its part is left out. */
export const ofParts = (parts: ReadonlyArray<Part>): string | MediaResult => {
  const media = parts.map(mediumOf)
  const content = parts.filter((_, index) => Option.isNone(media[index] ?? Option.none())).map(({ text }) => text)
    .join("\n")
  const made = media.flatMap(Option.toArray)
  return made.length === 0 ? content : new MediaResult({ content, media: made })
}
