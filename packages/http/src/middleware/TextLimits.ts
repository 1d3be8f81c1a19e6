// Limits of the text of a request: of the length that it declares, for which no byte is awaited, and of its JSON
// values. A request that is modified has to get them again.
import * as JsonValues from "@svc-runtime/domain/JsonValues"
import { Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { errorResponse } from "./ErrorResponses.ts"

const tooLarge = (detail: string) => Effect.die(errorResponse(413, "PAYLOAD_TOO_LARGE", detail))

const bodyHeaders = ["content-type", "content-length", "transfer-encoding"] as const

/** The request with the limits. Small bodies need none. */
export const of = (request: HttpServerRequest.HttpServerRequest, maxValues: number) => {
  const { headers } = request
  const declared = Number(headers["content-length"])
  if (declared <= maxValues || bodyHeaders.every((name) => headers[name] === undefined)) return request
  const text = Effect.withFiber((fiber) => {
    const limit = fiber.getRef(HttpIncomingMessage.MaxBodySize)
    return limit !== undefined && declared > limit ? tooLarge("The body of the request is too large") : Effect.tap(
      request.text,
      (text) => JsonValues.exceed(text, maxValues) ? tooLarge(JsonValues.tooMany("The body", maxValues)) : Effect.void
    )
  })
  return Object.defineProperty(request.modify({}), "text", { value: text })
}
