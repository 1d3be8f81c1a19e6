// The text of a request that is no form of a run: JSON of the API and of MCP, and what the authorization server gets.
// It is within limits, counts among the bytes of all bodies, and its JSON has no key that changes a prototype.
import { Errors } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import * as JsonValues from "@svc-runtime/domain/JsonValues"
import { Effect, Scope } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { isUtf8 } from "node:buffer"
import { errorResponse, invalidResponse } from "../middleware/ErrorResponses.ts"
import type { Limits } from "../Settings.ts"
import { collect, reservation, type ReservationOptions } from "./BodyBytes.ts"
import type { Refused } from "./FormBody.ts"
import { notJson } from "./JsonBody.ts"

export interface Options extends ReservationOptions {
  readonly limits: Limits
  /** Closed when the response was sent, or its client has gone: until then the bytes count. */
  readonly scope: Scope.Scope
}

const bodyHeaders = ["content-type", "content-length", "transfer-encoding"] as const

/** A request that does not come from a socket can have a body without these headers. */
const hasBody = ({ headers, source }: HttpServerRequest.HttpServerRequest): boolean =>
  bodyHeaders.some((name) => headers[name] !== undefined) || (source instanceof Request && source.body !== null)

const responseOf = (refused: Refused) =>
  refused._tag === "Invalid"
    ? invalidResponse(refused.errors)
    : errorResponse(statuses[refused._tag], refused.error_code, refused.detail)

const statuses = { BadRequest: 400, PayloadTooLarge: 413, UnsupportedMediaType: 415, TooManyRequests: 429 } as const

const decoder = new TextDecoder()

const check = (text: string, { jsonValues }: Limits): Effect.Effect<string, Refused> => {
  if (JsonValues.exceed(text, jsonValues)) {
    return Effect.fail(Errors.payloadTooLarge(JsonValues.tooMany("The body", jsonValues)))
  }
  const refused = Json.refusalOfText(text)
  return refused === undefined ? Effect.succeed(text) : Effect.fail(Errors.invalid([{ loc: ["body"], ...refused }]))
}

/** The request with this text. One without a body stays as it is. */
export const of = (request: HttpServerRequest.HttpServerRequest, { limits, scope, ...room }: Options) => {
  if (!hasBody(request)) return request
  const reading = Effect.withFiber((fiber) => {
    const own = fiber.getRef(HttpIncomingMessage.MaxBodySize)
    const limit = own === undefined ? limits.jsonBody : Number(own)
    const { arriving, release, reserve } = reservation(room)
    return Scope.addFinalizer(scope, release).pipe(
      Effect.andThen(
        collect({
          request,
          limit,
          setting: limit === limits.jsonBody ? "MAX_JSON_BYTES" : undefined,
          arriving,
          reserve
        })
      ),
      Effect.flatMap((bytes) => isUtf8(bytes) ? check(decoder.decode(bytes), limits) : Effect.fail(notJson)),
      // the readers of the text have no such errors
      Effect.catch((refused) => Effect.die(responseOf(refused)))
    )
  })
  // MCP reads it once to know what it is, and its library again
  let known: string | undefined
  const text = Effect.suspend(() =>
    known === undefined ? Effect.tap(reading, (text) => Effect.sync(() => void (known = text))) : Effect.succeed(known)
  )
  return Object.defineProperty(request.modify({}), "text", { value: text })
}
