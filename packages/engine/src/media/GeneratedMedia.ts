// Stores media that a model or a tool generated before anything refers to them. A run lists their addresses, not their
// bytes.
import type * as Media from "@svc-runtime/domain/Media"
import type * as Session from "@svc-runtime/domain/Session"
import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { ByteLimits, ValueTooLarge } from "../limits/ByteLimits.ts"
import { retryUntilAvailable } from "../node/retryUntilAvailable.ts"
import type { MediaStore } from "./MediaStore.ts"

/** As the model has sent it. */
export interface GeneratedMedium {
  readonly mime_type: string
  readonly bytes: Uint8Array
}

const unknownType = "application/octet-stream"

/** With parameters: raw sound cannot be played without its rate. */
const type = /^[a-z]+\/([a-z0-9][a-z0-9.+-]{0,99})(?:;[a-z0-9-]{1,32}=[a-z0-9._-]{1,64}){0,8}$/

/** The type of a medium in one form, and the format in it if it is a type. */
export const named = ({ mime_type: given }: GeneratedMedium) => {
  const mime_type = given.toLowerCase().split(";").map((part) => part.trim()).join(";")
  const format = type.exec(mime_type)?.[1]
  return format === undefined ? { mime_type: unknownType } : { mime_type, format }
}

const hashOf = (bytes: Uint8Array) =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new Uint8Array(bytes))),
    (digest) => Hex.encode(new Uint8Array(digest))
  )

/** The address at which the service answers with the bytes. */
const addressOf = (id: string): string => `/media/${id}`

export const stored = Effect.fnUntraced(function*(
  store: MediaStore["Service"],
  session: Session.Id,
  made: ReadonlyArray<GeneratedMedium>,
  what = "The media of the answer"
) {
  const { media: limit } = yield* ByteLimits
  const size = made.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (size > limit) {
    return yield* new ValueTooLarge({ what, limit, setting: "MEDIA_MAX_BYTES" })
  }
  return yield* Effect.forEach(made, (medium) =>
    Effect.gen(function*() {
      const { bytes } = medium
      const id = yield* hashOf(bytes)
      const described = named(medium)
      yield* Effect.orDie(retryUntilAvailable(store.put(session, { id, mime_type: described.mime_type, bytes })))
      const listed: Media.File = { id, url: addressOf(id), ...described, size: bytes.length }
      return listed
    }))
})
