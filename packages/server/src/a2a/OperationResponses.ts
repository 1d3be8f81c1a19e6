// The results of operations as HTTP responses: JSON-RPC, or JSON as it is.
import type * as Json from "@svc-runtime/domain/Json"
import { CurrentAccess } from "@svc-runtime/http/authorization/CurrentAccess"
import { alive, headers } from "@svc-runtime/http/sse/EventStream"
import * as StreamFailure from "@svc-runtime/http/sse/StreamFailure"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import type { Wire } from "@svc-runtime/protocols/a2a/Operation"
import * as Proto03 from "@svc-runtime/protocols/a2a/Proto03"
import type { Version } from "@svc-runtime/protocols/a2a/Version"
import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Outcome } from "./Operations.ts"
import type { Items } from "./TaskItems.ts"

/** The form of the responses to a request. */
export interface Writer {
  readonly wire: Wire
  readonly success: (result: Json.Value) => HttpServerResponse.HttpServerResponse
  readonly failure: (error: A2aError.A2aError) => HttpServerResponse.HttpServerResponse
  /** The data of one frame of a stream. */
  readonly frame: (item: Json.Object) => string
  readonly failureFrame: (error: A2aError.A2aError) => string
}

const data = (value: Json.Object): string => `data: ${JSON.stringify(value)}\n\n`

export const rpc = (id: Json.Value, wire: Wire): Writer => {
  const failed = (error: A2aError.A2aError): Json.Object => ({ jsonrpc: "2.0", id, error: A2aError.toRpc(error) })
  return {
    wire,
    success: (result) => JsonResponse.of({ jsonrpc: "2.0", id, result }),
    failure: (error) => HttpServerResponse.jsonUnsafe(failed(error), { status: error.status ?? 200 }),
    frame: (result) => data({ jsonrpc: "2.0", id, result }),
    failureFrame: (error) => data(failed(error))
  }
}

const ownType = "application/a2a+json"

/** The media type that the request used, or the only one that it accepts. */
const typeOf = ({ headers }: HttpServerRequest.HttpServerRequest): string => {
  const { accept = "", "content-type": sent = "" } = headers
  const isOwn = sent.startsWith(ownType) || (accept.includes(ownType) && !/application\/json|\*\/\*/.test(accept))
  return isOwn ? ownType : "application/json"
}

export const rest = (request: HttpServerRequest.HttpServerRequest, wire: Wire, version: Version): Writer => {
  const bodyOf = version === "1.0" ? A2aError.toStatus : Proto03.toError
  const typed = (response: HttpServerResponse.HttpServerResponse) =>
    version === "1.0" ? HttpServerResponse.setHeader(response, "content-type", typeOf(request)) : response
  return {
    wire,
    success: (result) => typed(JsonResponse.of(result as object)),
    failure: (error) => {
      const { allow } = error.metadata
      const headers = allow === undefined ? {} : { allow }
      return typed(HttpServerResponse.jsonUnsafe(bodyOf(error), { status: error.http, headers }))
    },
    frame: data,
    failureFrame: (error) => `event: error\n${data(bodyOf(error))}`
  }
}

const streamed = (items: Items, { failureFrame, frame, wire }: Writer) =>
  Effect.map(CurrentAccess, (access) => {
    const broken = (text: string) => failureFrame(A2aError.make("UNAVAILABLE", text))
    if (access !== undefined) access.closingFrame = (detail) => broken(`The stream ends: ${detail}`)
    const texts = items.pipe(
      Stream.map((items) => items.map((item) => frame(wire.item(item))).join("")),
      Stream.catchCause((cause) => Stream.fromEffect(Effect.map(StreamFailure.of(cause), ({ text }) => broken(text))))
    )
    return HttpServerResponse.stream(alive(Stream.map(texts, (text): Uint8Array => Buffer.from(text))), {
      contentType: "text/event-stream; charset=utf-8",
      headers
    })
  })

export const of = (outcome: Outcome, writer: Writer) =>
  outcome._tag === "Items"
    ? streamed(outcome.items, writer)
    : Effect.succeed(writer.success(writer.wire.reply(outcome)))
