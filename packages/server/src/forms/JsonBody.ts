// Reads a body of JSON with its own shape, as other protocols send it. It can contain files, so it may be as large as a
// form.
import { Errors } from "@svc/api"
import * as Json from "@svc/domain/Json"
import * as JsonValues from "@svc/domain/JsonValues"
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Limits } from "../Settings.ts"
import { collect } from "./BodyBytes.ts"
import type { Refused } from "./FormBody.ts"
import { form } from "./FormEncodings.ts"
import * as Reservation from "./Reservation.ts"

export interface Options extends Reservation.Options {
  readonly limits: Limits
}

const isJson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(headers["content-type"] ?? "")

const decoder = new TextDecoder()

const invalid = (msg: string, type: string) => Errors.invalid([{ loc: ["body"], msg, type }])

const parse = (
  bytes: Uint8Array,
  { jsonValues }: Limits
): Effect.Effect<Json.Value, Errors.Invalid | Errors.PayloadTooLarge> => {
  const text = decoder.decode(bytes)
  if (JsonValues.exceed(text, jsonValues)) {
    return Effect.fail(Errors.payloadTooLarge(JsonValues.tooMany("The body", jsonValues)))
  }
  const parsed = Json.parse(text)
  if (Option.isNone(parsed)) return Effect.fail(invalid("JSON decode error", "json_invalid"))
  return Json.isShallow(parsed.value)
    ? Effect.succeed(parsed.value)
    : Effect.fail(invalid(Json.tooDeep, "json_too_deep"))
}

export const using = <A, E, R>(
  { limits, ...room }: Options,
  request: HttpServerRequest.HttpServerRequest,
  use: (body: Json.Value) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Refused, R> =>
  Effect.suspend((): Effect.Effect<A, E | Refused, R> => {
    if (!isJson(request)) {
      return Effect.fail(
        Errors.unsupportedMediaType("Send the body as JSON, with the header 'Content-Type: application/json'")
      )
    }
    const { release, reserve } = Reservation.make(room)
    const body = Effect.flatMap(
      collect({ request, limit: limits[form.limit], setting: form.setting, reserve }),
      (bytes) => parse(bytes, limits)
    )
    return Effect.ensuring(Effect.flatMap(body, use), release)
  })
