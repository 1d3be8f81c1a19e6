// Reads a body of JSON with its own shape, as other protocols send it. It can contain files, so it may be as large as a
// form.
import { Errors } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import * as JsonValues from "@svc-runtime/domain/JsonValues"
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isUtf8 } from "node:buffer"
import type { Limits } from "../Settings.ts"
import { collect, reservation, type ReservationOptions } from "./BodyBytes.ts"
import type { Refused } from "./FormBody.ts"
import { form } from "./FormEncodings.ts"

export interface Options extends ReservationOptions {
  readonly limits: Limits
}

/** How large a body may be. */
export interface Bounds {
  readonly limit: keyof Pick<Limits, "formBody" | "a2aBody">
  readonly setting: string
  /** Whether fields beside the message have a limit of their own. */
  readonly isPerField: boolean
}

export const formBounds: Bounds = { ...form, isPerField: true }

export const isJson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(headers["content-type"] ?? "")

const decoder = new TextDecoder()

const invalid = (msg: string, type: string) => Errors.invalid([{ loc: ["body"], msg, type }])

/** Fields that can be as large as the body: they contain the text and the files of a message. */
const large: ReadonlySet<string> = new Set(["input", "message", "messages", "params"])

/** Other fields are stored whole with the run. Undefined if each of them fits. */
const tooLargeField = (body: Json.Value, limit: number): Errors.PayloadTooLarge | undefined => {
  const fields = Json.isObject(body) ? Object.entries(body) : []
  const found = fields.find(([name, value]) => !large.has(name) && Buffer.byteLength(JSON.stringify(value)) > limit)
  return found === undefined
    ? undefined
    : Errors.payloadTooLarge(`The field '${found[0].slice(0, 100)}' is larger than ${limit} bytes (MAX_JSON_BYTES)`)
}

export const notJson = invalid("JSON decode error", "json_invalid")

const parse = (
  bytes: Uint8Array,
  { jsonBody, jsonValues }: Limits,
  isPerField: boolean
): Effect.Effect<Json.Value, Errors.Invalid | Errors.PayloadTooLarge> => {
  if (!isUtf8(bytes)) return Effect.fail(notJson)
  const text = decoder.decode(bytes)
  if (JsonValues.exceed(text, jsonValues)) {
    return Effect.fail(Errors.payloadTooLarge(JsonValues.tooMany("The body", jsonValues)))
  }
  const parsed = Json.parse(text)
  if (Option.isNone(parsed)) return Effect.fail(notJson)
  const refusal = Json.refusalOf(parsed.value)
  if (refusal !== undefined) return Effect.fail(invalid(refusal.msg, refusal.type))
  const tooLarge = isPerField && bytes.length > jsonBody ? tooLargeField(parsed.value, jsonBody) : undefined
  return tooLarge === undefined ? Effect.succeed(parsed.value) : Effect.fail(tooLarge)
}

export const using = <A, E, R>(
  { limits, ...room }: Options,
  request: HttpServerRequest.HttpServerRequest,
  use: (body: Json.Value) => Effect.Effect<A, E, R>,
  { isPerField, limit, setting }: Bounds
): Effect.Effect<A, E | Refused, R> =>
  Effect.suspend((): Effect.Effect<A, E | Refused, R> => {
    if (!isJson(request)) {
      return Effect.fail(
        Errors.unsupportedMediaType("Send the body as JSON, with the header 'Content-Type: application/json'")
      )
    }
    const { arriving, release, reserve } = reservation(room)
    const body = Effect.flatMap(
      collect({ request, limit: limits[limit], setting, arriving, reserve }),
      (bytes) => parse(bytes, limits, isPerField)
    )
    return Effect.ensuring(Effect.flatMap(body, use), release)
  })
