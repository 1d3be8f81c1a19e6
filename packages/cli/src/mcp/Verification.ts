// Verifies an entry with the handshake of its client, up to the list of tools, and with the token in the client's
// config. It never fails: an error is its result.
import { Effect, Option, type Redacted, Schema, Stream } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { reasonOf } from "../calls/Exchange.ts"
import { version } from "../version.ts"

// The response to one JSON-RPC request: one object, or one event of a stream, which can have other events before it and
// can stay open.
const Message = Schema.Record(Schema.String, Schema.Json)
type Message = typeof Message.Type

const decodeMessage = Schema.decodeUnknownOption(Schema.fromJsonString(Message))

/** Tells responses from requests and notifications of the server. */
const isResponse = (message: Message): boolean => "result" in message || "error" in message

const eventsOf = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<Option.Option<Message>, HttpClientError.HttpClientError> =>
  response.stream.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.filter((line) => line.startsWith("data:")),
    Stream.map((line) => decodeMessage(line.slice("data:".length))),
    Stream.filter(Option.isSome),
    Stream.map(({ value }) => value),
    Stream.takeUntil(isResponse),
    Stream.runCollect,
    Effect.map((messages) => Option.fromUndefinedOr(messages.find(isResponse) ?? messages[0]))
  )

/** The response in the body, if it has one. */
const messageOf = (response: HttpClientResponse.HttpClientResponse) =>
  response.headers["content-type"]?.includes("text/event-stream") === true
    ? eventsOf(response)
    : Effect.map(response.text, decodeMessage)

export type Verification = {
  readonly ok: boolean
  /** The number of tools. */
  readonly tools: number
  readonly status_code: number | null
  readonly error: string | null
  /** The server asks people to sign in, as expected. */
  readonly oauth_challenge: boolean
}

export interface Entry {
  readonly url: string
  readonly token: Redacted.Redacted | undefined
  /** A request to sign in is the expected response. */
  readonly expectsChallenge: boolean
}

const limit = "15 seconds"

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "svcctl", version } }
}
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
const listTools = { jsonrpc: "2.0", id: 2, method: "tools/list" }

const failed = (error: string, status: number | null): Verification => ({
  ok: false,
  tools: 0,
  status_code: status,
  error,
  oauth_challenge: false
})

const post = Effect.fnUntraced(function*(
  { token, url }: Entry,
  message: object,
  session: Readonly<Record<string, string>>
) {
  // a response that is not read to its end is cancelled with the handshake, else it would keep the process alive
  const client = HttpClient.withScope(yield* HttpClient.HttpClient)
  const request = HttpClientRequest.post(url).pipe(
    HttpClientRequest.setHeaders({ accept: "application/json, text/event-stream", ...session }),
    HttpClientRequest.bodyJsonUnsafe(message)
  )
  return yield* client
    .execute(token === undefined ? request : HttpClientRequest.bearerToken(request, token))
    .pipe(Effect.timeout(limit))
})

/** The `result` of the response; undefined if there is none. */
const resultOf = (response: HttpClientResponse.HttpClientResponse) =>
  messageOf(response).pipe(
    Effect.timeout(limit),
    Effect.map((message) => Option.getOrUndefined(message)?.["result"])
  )

/** The outcome of a refused first request. */
const refused = ({ headers, status }: HttpClientResponse.HttpClientResponse, { expectsChallenge }: Entry) => {
  if (status !== 401 && status !== 403) return failed(`The MCP endpoint responded with HTTP ${status}`, status)
  if (!expectsChallenge) return failed(`The MCP endpoint rejected the credential (HTTP ${status})`, status)
  return headers["www-authenticate"] === undefined
    ? failed(
      `The MCP endpoint responded with HTTP ${status} without a WWW-Authenticate header, so no client can sign in`,
      status
    )
    : { ok: true, tools: 0, status_code: status, error: null, oauth_challenge: true }
}

const unexpected = (status: number) => failed("The MCP endpoint responded with an unexpected payload", status)

const countOf = (result: unknown): number => {
  const tools = typeof result === "object" && result !== null && "tools" in result ? result.tools : undefined
  return Array.isArray(tools) ? tools.filter((tool) => typeof tool === "object" && tool !== null).length : 0
}

/** The session and the protocol version of the first response, which later requests repeat. */
const sessionOf = ({ headers }: HttpClientResponse.HttpClientResponse, result: unknown) => {
  const agreed = typeof result === "object" && result !== null && "protocolVersion" in result
    ? result.protocolVersion
    : undefined
  const id = headers["mcp-session-id"]
  return {
    ...(id !== undefined && { "mcp-session-id": id }),
    ...(typeof agreed === "string" && { "mcp-protocol-version": agreed })
  }
}

const handshake = Effect.fnUntraced(function*(entry: Entry) {
  const first = yield* post(entry, initialize, {})
  if (first.status >= 400) return refused(first, entry)
  const agreed = yield* resultOf(first)
  if (agreed === undefined) return unexpected(first.status)
  const session = sessionOf(first, agreed)
  yield* post(entry, initialized, session)
  const listed = yield* post(entry, listTools, session)
  if (listed.status >= 400) return failed(`Listing tools failed with HTTP ${listed.status}`, listed.status)
  const result = yield* resultOf(listed)
  if (result === undefined) return unexpected(listed.status)
  return { ok: true, tools: countOf(result), status_code: listed.status, error: null, oauth_challenge: false }
})

export const verify = Effect.fn("Verification.verify")(
  (entry: Entry): Effect.Effect<Verification, never, HttpClient.HttpClient> =>
    handshake(entry).pipe(
      Effect.scoped,
      Effect.catch((error) => Effect.succeed(failed(`Could not reach ${entry.url}: ${reasonOf(error, limit)}`, null))),
      Effect.catchDefect((defect) => Effect.succeed(failed(`Could not reach ${entry.url}: ${String(defect)}`, null)))
    )
)
