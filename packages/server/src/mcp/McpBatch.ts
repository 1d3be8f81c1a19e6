// Batches of JSON-RPC messages, of the protocol revision 2025-03-26. Each message is handled on its own, so that none
// delays, hides or breaks the responses to the others.
import * as Json from "@svc-runtime/domain/Json"
import { Effect, Option, Schema, Stream } from "effect"
import { Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import { refusal } from "./McpResponses.ts"

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

const isResponse = (message: Schema.Json): boolean =>
  typeof message === "object" && message !== null && !("method" in message) &&
  ("result" in message || "error" in message)

/** The message in a response: its one JSON body, or the last message of its stream. A batch has no progress. */
const messageIn = (text: string): ReadonlyArray<Schema.Json> =>
  text.split("\n")
    .map((line) => line.startsWith("data: ") ? line.slice("data: ".length) : line)
    .flatMap((line) => line === "" ? [] : Option.toArray(Json.parse(line)))
    .filter(isResponse)
    .slice(-1)

const textOf = ({ body }: HttpServerResponse.HttpServerResponse): Effect.Effect<string> =>
  body._tag === "Stream"
    // @effect-diagnostics-next-line anyUnknownInErrorContext:off
    ? Effect.orDie(Stream.mkString(Stream.decodeText(body.stream)))
    : Effect.succeed(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "")

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
    return refusal(413, -32600, text)
  }
  const headers = Headers.remove(request.headers, "content-length")
  const one = Effect.fnUntraced(function*(message: Schema.Json) {
    if (!isMessage(message)) return [failed(message)]
    if (isInitialize(message)) return [failed(message, "initialize is sent alone")]
    const body = JSON.stringify(message)
    const alone = HttpServerRequest.fromWeb(new Request("http://localhost/mcp", { method: "POST", headers, body }))
    const found = messageIn(yield* Effect.flatMap(ask(alone), textOf))
    return found.length > 0 || !isIdentified(message) || message.method === undefined ? found : [failed(message)]
  })
  const responses = (yield* Effect.forEach(messages, one, { concurrency: maxAtOnce })).flat()
  return responses.length === 0 ? HttpServerResponse.empty({ status: 202 }) : HttpServerResponse.jsonUnsafe(responses)
})
