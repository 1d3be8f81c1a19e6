// Batches of JSON-RPC messages, of the protocol revision 2025-03-26. Each message is handled on its own, so that none
// delays, hides or breaks the responses to the others.
import { Effect, Option, Schema } from "effect"
import { Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as McpResponses from "./McpResponses.ts"

/** Revisions that have batches. */
export const versions: ReadonlySet<string | undefined> = new Set(["2025-03-26"])

const maxMessages = 100
const maxAtOnce = 8

const Message = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Null])),
  method: Schema.optionalKey(Schema.String)
})
const isMessage = Schema.is(Message)
const isIdentified = Schema.is(Schema.Struct({ id: Schema.Union([Schema.String, Schema.Finite]) }))
const isInitialize = Schema.is(Schema.Struct({ method: Schema.Literal("initialize") }))

const failed = (message: Schema.Json, text = "Invalid Request"): Schema.Json => ({
  jsonrpc: "2.0",
  id: isIdentified(message) ? message.id : null,
  error: { code: -32600, message: text }
})

type Ask<E, R> = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** `ask` gives the response to a request with one message. */
export const respond = Effect.fnUntraced(function*<E, R>(
  messages: ReadonlyArray<Schema.Json>,
  request: HttpServerRequest.HttpServerRequest,
  ask: Ask<E, R>
) {
  if (messages.length > maxMessages) {
    const text = `A batch has at most ${maxMessages} messages, and this one has ${messages.length}`
    return McpResponses.refusal(413, -32600, text)
  }
  const headers = Headers.remove(request.headers, "content-length")
  const one = Effect.fnUntraced(function*(message: Schema.Json) {
    if (!isMessage(message)) return [failed(message)]
    if (isInitialize(message)) return [failed(message, "initialize is sent alone")]
    const body = JSON.stringify(message)
    const alone = HttpServerRequest.fromWeb(
      new Request(new URL(request.url, "http://localhost"), { method: "POST", headers, body })
    )
    const found = Option.toArray(yield* Effect.flatMap(ask(alone), McpResponses.messageIn))
    return found.length > 0 || !isIdentified(message) || message.method === undefined ? found : [failed(message)]
  })
  const responses = (yield* Effect.forEach(messages, one, { concurrency: maxAtOnce })).flat()
  return responses.length === 0 ? HttpServerResponse.empty({ status: 202 }) : HttpServerResponse.jsonUnsafe(responses)
})
