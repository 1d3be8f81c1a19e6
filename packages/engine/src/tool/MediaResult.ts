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

/** Media of others, as base64. What is no base64, or empty, is left out. */
export const ofBase64 = (
  content: string,
  media: ReadonlyArray<{ readonly data: string | undefined; readonly mediaType: string | undefined }>
): string | MediaResult => {
  const made = media.flatMap(({ data, mediaType = "" }) =>
    data === undefined || data === ""
      ? []
      : Option.toArray(Option.map(Result.getSuccess(Base64.decode(data)), (bytes) => ({ bytes, mediaType })))
  )
  return made.length === 0 ? content : new MediaResult({ content, media: made })
}
