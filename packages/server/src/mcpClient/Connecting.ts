// A connection to an MCP server: over streamable HTTP, or to a process that is started for it. Both end with its scope.
import type {
  Client,
  FetchLike,
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Transport
} from "@modelcontextprotocol/client"
import type * as Json from "@svc-runtime/domain/Json"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { version } from "@svc-runtime/http/version"
import { Duration, Effect, Fiber, Predicate, Redacted } from "effect"
import { Stream } from "node:stream"
import * as McpFailure from "./McpFailure.ts"
import { type HttpEndpoint, isProcess, type McpServer, type ProcessEndpoint, type Secret } from "./McpServer.ts"
import { printable } from "./printable.ts"
import * as UnknownContent from "./UnknownContent.ts"

// What a process of an MCP server writes to its standard error, as lines for the log.

/** Of one process. Further lines are left out. */
const maxLines = 100

/** Characters of a line. */
const maxLineLength = 500

/** Everything is read, because a process waits while its output is not read. */
const watchOutput = (output: Stream, onLine: (line: string) => void): void => {
  const decoder = new TextDecoder()
  let [rest, count] = ["", 0]
  const line = (text: string) => {
    const shown = printable(text.slice(0, maxLineLength)).trim()
    if (shown === "" || count > maxLines) return
    count++
    onLine(count > maxLines ? "Further lines are left out" : shown)
  }
  output.on("data", (part: Uint8Array) => {
    if (count > maxLines) return
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n")
    rest = (lines.pop() ?? "").slice(0, maxLineLength)
    lines.forEach(line)
  })
  output.on("end", () => line(rest))
}

// Ends the connection of a server that sends messages without end: each is small, and all of them cost time.

/** Messages of the server between two requests of the client. */
export const maxMessages = 20_000

const isRequest = (message: JSONRPCMessage | ReadonlyArray<JSONRPCMessage>): boolean =>
  "method" in message && "id" in message

/** Before the client uses the transport. What cannot be read counts too. */
const limitMessages = (transport: Transport, onExceeded: () => void): void => {
  let count = 0
  const received = () => {
    count++
    if (count !== maxMessages) return
    onExceeded()
    void transport.close()
  }
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (isRequest(message)) count = 0
    return send(message, options)
  }
  transport.onmessage = received
  transport.onerror = received
}

/** Before the client reads a message. */
const readUnknownContent = (transport: Transport, isKnown: (part: unknown) => boolean): void => {
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra)
    UnknownContent.toTexts(message, isKnown)
  }
}

// loaded when an agent has an MCP server
const loadClient = Effect.promise(() => import("@modelcontextprotocol/client"))
const loadStdio = Effect.promise(() => import("@modelcontextprotocol/client/stdio"))

/** Of the messages that a process sends at once, in bytes. */
const maxBuffer = 16 * 1024 * 1024

const closing = Duration.seconds(5)

const valuesOf = (values: ReadonlyMap<string, Redacted.Redacted>) =>
  Object.fromEntries([...values].map(([name, value]) => [name, Redacted.value(value)]))

const textOf = (secret: Secret): string => Redacted.isRedacted(secret) ? Redacted.value(secret) : secret

const authOf = (server: string, { token }: HttpEndpoint) => {
  if (token === undefined) return undefined
  if (!Predicate.isFunction(token)) return { token: () => Promise.resolve(Redacted.value(token)) }
  const asking = Effect.mapBoth(UserCode.call<Secret>(token), {
    onSuccess: textOf,
    onFailure: (thrown) => {
      const message = `The token for the MCP server ${server} is missing: ${
        UserCode.messageOf(thrown, "it was not given")
      }`
      return new McpFailure.McpFailure({ kind: "refused", message })
    }
  })
  return {
    token: () => Effect.runPromise(asking),
    // the token is asked for again
    onUnauthorized: () => Promise.resolve()
  }
}

const overHttp = (server: string, endpoint: HttpEndpoint, fetch: FetchLike) =>
  Effect.map(loadClient, ({ StreamableHTTPClientTransport }) => {
    const authProvider = authOf(server, endpoint)
    return new StreamableHTTPClientTransport(new URL(endpoint.url), {
      fetch,
      requestInit: { headers: valuesOf(endpoint.headers) },
      ...(authProvider === undefined ? {} : { authProvider })
    })
  })

const toProcess = ({ args, command, cwd, env }: ProcessEndpoint) =>
  Effect.map(loadStdio, ({ StdioClientTransport }) =>
    new StdioClientTransport({
      command,
      args: [...args],
      env: valuesOf(env),
      stderr: "pipe",
      maxBufferSize: maxBuffer,
      ...(cwd === undefined ? {} : { cwd })
    }))

const hasSession = (transport: Transport): transport is StreamableHTTPClientTransport =>
  Predicate.hasProperty(transport, "terminateSession")

/** Tells the server that the session is over, and closes. The scope may close because of an interruption. */
const close = (client: Client, transport: Transport) =>
  Effect.promise(() => hasSession(transport) ? transport.terminateSession() : Promise.resolve()).pipe(
    Effect.ignoreCause,
    Effect.timeoutOption(closing),
    Effect.andThen(Effect.ignoreCause(Effect.promise(() => client.close()))),
    Effect.interruptible,
    Effect.forkDetach,
    Effect.flatMap(Fiber.await)
  )

/** What a process writes to its standard error is logged. */
const logged = Effect.fnUntraced(function*({ name }: McpServer, transport: Transport) {
  if (!Predicate.hasProperty(transport, "stderr") || !(transport.stderr instanceof Stream)) return
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  watchOutput(transport.stderr, (line) => {
    fork(Effect.annotateLogs(Effect.logInfo(`The MCP server ${name} wrote: ${line}`), { tool_source: name }))
  })
})

const flooded = ({ name }: McpServer) => {
  const message = `The MCP server ${name} sent ${maxMessages} messages and no response, ` +
    "so its connection was closed"
  return new McpFailure.McpFailure({ kind: "refused", message })
}

export interface Listener {
  /** Gets what connects. */
  readonly connecting: <A>(f: () => A) => A
  readonly onClose: () => void
  /** The list of tools has changed. */
  readonly onChange: () => void
  /** The connection was closed because of what the server sent. */
  readonly onFailure: (failure: McpFailure.McpFailure) => void
  /** A server of an older revision asks in an open call. */
  readonly onRequest: (request: ServerRequest, signal: AbortSignal) => Promise<Json.Object>
}

export interface ServerRequest {
  readonly method: string
  readonly params?: unknown
}

/** What the server may ask for. */
export const capabilities = ({ elicitation, sampling }: McpServer) => ({
  ...(elicitation ? { elicitation: { form: {} } } : {}),
  ...(sampling === undefined ? {} : { sampling: {} })
})

const questions = ["elicitation/create", "sampling/createMessage"]

const unknownMethod = () => Object.assign(new Error("Method not found"), { code: -32_601 })

const answersRequests = (client: Client, server: McpServer, { onRequest }: Listener) => {
  const answer = (
    request: ServerRequest,
    { mcpReq: { signal } }: { readonly mcpReq: { readonly signal: AbortSignal } }
  ) => onRequest(request, signal) as Promise<never>
  if (server.elicitation) client.setRequestHandler("elicitation/create", answer)
  if (server.sampling !== undefined) client.setRequestHandler("sampling/createMessage", answer)
  // what is off is refused with the reason
  client.fallbackRequestHandler = (request, context) =>
    questions.includes(request.method) ? answer(request, context) : Promise.reject(unknownMethod())
}

export const open = Effect.fnUntraced(function*(server: McpServer, fetch: FetchLike, listener: Listener) {
  const { connecting, onChange, onClose, onFailure } = listener
  const { Client, isSpecType } = yield* loadClient
  const { endpoint } = server
  const transport: Transport =
    yield* (isProcess(endpoint) ? toProcess(endpoint) : overHttp(server.name, endpoint, fetch))
  const client = new Client({ name: "svc", version }, {
    capabilities: capabilities(server),
    // a server of a process is asked once only, because the question starts another process
    versionNegotiation: { mode: isProcess(endpoint) ? "legacy" : "auto" },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onChange } },
    // results are checked here, without patterns of the server
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined })
    }
  })
  client.onclose = onClose
  answersRequests(client, server, listener)
  limitMessages(transport, () => onFailure(flooded(server)))
  readUnknownContent(transport, (part) => isSpecType.ContentBlock(part))
  yield* logged(server, transport)
  yield* Effect.addFinalizer(() => close(client, transport))
  yield* Effect.tryPromise({
    try: (signal) =>
      connecting(() => client.connect(transport, { signal, timeout: Duration.toMillis(server.connectTimeout) })),
    catch: (error) => McpFailure.of(server.name, error)
  })
  return client
})
