// The parts of a message as the input of a run: texts and data as its message, and files as its media.
import { NewId } from "@svc-runtime/engine/NewId"
import * as Uploads from "@svc-runtime/http/forms/Uploads"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import type { Part } from "@svc-runtime/protocols/a2a/Model"
import * as InputMedia from "@svc-runtime/protocols/run/InputMedia"
import { Effect } from "effect"

export const textOf = (parts: ReadonlyArray<Part>): string =>
  parts.flatMap(({ data, text }) => text !== undefined ? [text] : data !== undefined ? [JSON.stringify(data)] : [])
    .join("\n")

const notBase64 = A2aError.make("INVALID_PARAMS", "The bytes of a file must be base64")

const uploaded = Effect.fnUntraced(function*(parts: ReadonlyArray<Part>) {
  const files = yield* Effect.forEach(
    parts.filter(({ raw }) => raw !== undefined),
    ({ filename = "", mediaType = "", raw = "" }) =>
      InputMedia.isBase64(raw)
        ? Effect.succeed({ field: "files", name: filename, contentType: mediaType, bytes: Buffer.from(raw, "base64") })
        : Effect.fail(notBase64)
  )
  return yield* Effect.mapError(
    Uploads.toMedia(files, yield* NewId),
    ({ detail }) => A2aError.make("CONTENT_TYPE_NOT_SUPPORTED", detail)
  )
})

const linked = Effect.fnUntraced(function*(parts: ReadonlyArray<Part>) {
  const files = parts.flatMap(({ filename, mediaType, url }) => url === undefined ? [] : [{ filename, mediaType, url }])
  return files.every(({ url }) => /^https?:\/\//i.test(url))
    ? InputMedia.of(files)
    : yield* A2aError.make("INVALID_PARAMS", "The address of a file must begin with http:// or https://")
})

export const of = Effect.fnUntraced(function*(parts: ReadonlyArray<Part>) {
  return { message: textOf(parts), media: Uploads.merge(yield* uploaded(parts), yield* linked(parts)) }
})
