// Completes the responses of the MCP library: refusals get the texts of the contract, and long calls become a stream
// with heartbeats. The library sends nothing before the first output of a tool, so clients and proxies would disconnect
// during a slow run.
import * as Json from "@svc-runtime/domain/Json"
import * as EventStream from "@svc-runtime/http/sse/EventStream"
import { Array as Arr, Effect, Fiber, Option, Schema, type Scope, Stream } from "effect"
import { HttpServerResponse } from "effect/http"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The id of an error that belongs to no request, as in the contract. */
export const refusal = (status: number, code: number, message: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id: "server-error", error: { code, message } }, { status })

/** The last frame of a stream whose credential is no longer accepted. */
export const closingFrame = (id: Schema.Json) => (detail: string): string =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message: `The stream ends: ${detail}` } })}\n\n`

export const parseError = refusal(400, -32700, "Parse error: the body of the request is not JSON")

export const tooDeep = refusal(422, -32600, `Bad Request: a message is nested at most ${Json.maxDepth} levels deep`)

export const initializeTooLarge = refusal(413, -32600, "Bad Request: initialize request too large")

export const tooManySessions = refusal(503, -32600, "Session limit reached; try again later")

export const sessionNotFound = refusal(404, -32600, "Session not found. Send initialize to begin another")

export const notAcceptable = refusal(
  406,
  -32600,
  "Not Acceptable: Client must accept application/json, and text/event-stream for a subscription"
)

const refusals: Readonly<Record<number, HttpServerResponse.HttpServerResponse>> = {
  400: refusal(400, -32602, "Bad Request: a session takes one message at a time, and needs its mcp-session-id"),
  404: sessionNotFound,
  406: notAcceptable,
  415: refusal(400, -32600, "Bad Request: Content-Type must be application/json")
}

const isEmpty = ({ body }: HttpServerResponse.HttpServerResponse): boolean =>
  body._tag === "Empty" || (body._tag === "Uint8Array" && body.body.length === 0)

const ErrorBody = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])),
  error: Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optionalKey(Schema.Json) })
})
const decodeError = Schema.decodeUnknownOption(Schema.fromJsonString(ErrorBody))

/** No error of the library is longer. Longer responses are not parsed. */
const maxErrorBytes = 4096

/** For a request that is refused before it is handled, the library shows its own name of the error. */
const withoutTag = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body, status } = response
  if (body._tag !== "Uint8Array" || body.body.length > maxErrorBytes) return response
  const text = decoder.decode(body.body)
  if (!text.includes("\"_tag\"")) return response
  return Option.match(decodeError(text), {
    onNone: () => response,
    onSome: (error) => HttpServerResponse.jsonUnsafe(error, { status, headers: response.headers })
  })
}

export const normalizeErrors = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse =>
  response.status >= 400 && isEmpty(response)
    ? refusals[response.status] ?? refusal(response.status, -32603, "The service cannot respond to this request")
    : withoutTag(response)

const accepted = HttpServerResponse.empty({ status: 202 })

/** A notification has no response. It is accepted if the library reports no error. */
export const ofNotification = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse =>
  response.status < 400 || (response.body._tag === "Uint8Array" && !isEmpty(response)) ? response : accepted

const isResponse = (message: Schema.Json): boolean =>
  typeof message === "object" && message !== null && !("method" in message) &&
  ("result" in message || "error" in message)

const textOf = ({ body }: HttpServerResponse.HttpServerResponse): Effect.Effect<string> =>
  body._tag === "Stream"
    // @effect-diagnostics-next-line anyUnknownInErrorContext:off
    ? Effect.orDie(Stream.mkString(Stream.decodeText(body.stream)))
    : Effect.succeed(body._tag === "Uint8Array" ? decoder.decode(body.body) : "")

/** The JSON-RPC response: the JSON of a body, or the last message of a stream, without the progress before it. */
export const messageIn = (response: HttpServerResponse.HttpServerResponse): Effect.Effect<Option.Option<Schema.Json>> =>
  Effect.map(textOf(response), (text) =>
    Arr.last(
      text.split("\n")
        .map((line) => line.startsWith("data: ") ? line.slice("data: ".length) : line)
        .flatMap((line) => line === "" ? [] : Option.toArray(Json.parse(line)))
        .filter(isResponse)
    ))

/** For a client that accepts no streams. */
export const withoutStream = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.flatMap(app, (response) =>
    isStream(response)
      ? Effect.map(
        messageIn(response),
        Option.match({
          onNone: () => refusal(500, -32603, "The service cannot respond to this request"),
          onSome: (message) => HttpServerResponse.jsonUnsafe(message)
        })
      )
      : Effect.succeed(response))

const unbuffered = HttpServerResponse.setHeaders(EventStream.headers)

const stream = (bytes: Stream.Stream<Uint8Array, unknown>, headers = {}): HttpServerResponse.HttpServerResponse =>
  unbuffered(HttpServerResponse.stream(bytes, { contentType: "text/event-stream", headers }))

const isStream = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  headers["content-type"]?.startsWith("text/event-stream") ?? false

/** The content of a response, as the last frames of a stream. */
const framesOf = (response: HttpServerResponse.HttpServerResponse): Stream.Stream<Uint8Array, unknown> => {
  const { body } = response
  if (body._tag === "Stream") return body.stream
  if (body._tag !== "Uint8Array" || body.body.length === 0) return Stream.empty
  return Stream.succeed(
    isStream(response) ? body.body : encoder.encode(`data: ${decoder.decode(body.body).trimEnd()}\n\n`)
  )
}

/** How long a response may take before it becomes a stream. Refusals take less time. */
const responseTimeout = "10 seconds"

export const withKeepAlive = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | Scope.Scope> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkScoped(app, { startImmediately: true })
    const early = yield* Effect.timeoutOption(Fiber.join(fiber), responseTimeout)
    if (Option.isNone(early)) {
      const rest = Stream.unwrap(Effect.map(Fiber.join(fiber), framesOf))
      return stream(Stream.concat(Stream.succeed(EventStream.heartbeat), EventStream.alive(rest)))
    }
    const response = early.value
    if (!isStream(response)) return response
    return response.body._tag === "Stream"
      ? stream(EventStream.alive(response.body.stream), response.headers)
      : unbuffered(response)
  })
