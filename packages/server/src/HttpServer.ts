// The HTTP server. The responses of node:http itself (to an incomplete request, to headers that are too large) have the
// error shape of the contract too.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { ServiceApi } from "@svc-runtime/api"
import { pace, RecordedResponse } from "@svc-runtime/http/logging/RecordedResponse"
import * as RequestLog from "@svc-runtime/http/logging/RequestLog"
import * as RequestRecord from "@svc-runtime/http/logging/RequestRecord"
import { type Budgets, budgetsOf } from "@svc-runtime/http/middleware/RequestReadLimiter"
import * as EarlyResponses from "@svc-runtime/http/requests/EarlyResponses"
import * as PipelinedRequests from "@svc-runtime/http/requests/PipelinedRequests"
import * as SlowReaders from "@svc-runtime/http/requests/SlowReaders"
import type { Limits } from "@svc-runtime/http/Settings"
import { type Duration, Effect, Layer } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as HalfClosed from "./HalfClosed.ts"
import * as WorkflowSocket from "./ws/WorkflowSocket.ts"

export interface Options {
  readonly host: string
  readonly port: number
  /** Names the routes of requests that no handler got. */
  readonly api: ServiceApi.AnyApi
  readonly limits: Limits
  /** Of the responses of all requests. Default: what waits on connections counts alone. */
  readonly responses?: Budgets | undefined
  /** How long requests may continue when the server is closed. */
  readonly shutdownTimeout: Duration.Input
  /** Epoch milliseconds, for responses before the routes exist. */
  readonly startedAt?: number | undefined
  readonly earlyRoutes?: EarlyResponses.EarlyRoutes | undefined
  /** Whether other processes serve on the port: requests wait for the routes. */
  readonly joins?: boolean | undefined
}

const refusals: Readonly<Record<string, readonly [status: string, code: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "BAD_REQUEST", "The request was not received in time"],
  HPE_HEADER_OVERFLOW: ["413 Payload Too Large", "PAYLOAD_TOO_LARGE", "The headers of the request are too large"]
}

const noProxy = ["405 Method Not Allowed", "METHOD_NOT_ALLOWED", "This service is no proxy"] as const

const unmetExpectation = ["417 Expectation Failed", "BAD_REQUEST", "Only Expect: 100-continue is known"] as const

const malformed = ["400 Bad Request", "BAD_REQUEST", "The request is not HTTP"] as const

/** The state of a connection. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: RecordedResponse
  readonly record: RequestRecord.RequestRecord
}

/**
 * The body of such a request may continue or break off: a second response would be taken for that of the next one.
 */
const hasResponse = (exchange: Exchange | undefined): boolean =>
  exchange !== undefined && !exchange.request.complete && exchange.response.headersSent

type Refusal = readonly [status: string, code: string, detail: string]

const statusOf = ([status]: Refusal): number => Number.parseInt(status, 10)

/** Gives the size of the body. */
const end = (socket: Duplex, [status, error_code, detail]: Refusal, header = ""): number => {
  const body = JSON.stringify({ detail, error_code })
  const bytes = Buffer.byteLength(body)
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${bytes}\r\n${header}\r\n${body}`
  )
  return bytes
}

/** Responds to a request to which no handler will respond. */
const endRequest = (socket: Duplex, refusal: Refusal, record: RequestRecord.RequestRecord | undefined): void => {
  const bytes = end(socket, refusal, record === undefined ? "" : `x-request-id: ${record.id}\r\n`)
  if (record === undefined) return
  record.refusal = statusOf(refusal)
  record.responseBytes = bytes
}

interface Rejected {
  readonly error: NodeJS.ErrnoException
  readonly socket: Socket
  readonly exchange: Exchange | undefined
  readonly onEnd: RequestLog.OnEnd
}

const refuse = ({ error, exchange, onEnd, socket }: Rejected): void => {
  if (error.code === "ECONNRESET" || !socket.writable || hasResponse(exchange)) {
    socket.destroy()
    return
  }
  const refusal = refusals[error.code ?? ""] ?? malformed
  if (exchange !== undefined && !exchange.request.complete) {
    // a client that ends its connection inside of a request has disconnected, and may still read
    if (error.code === "HPE_INVALID_EOF_STATE") end(socket, refusal)
    else endRequest(socket, refusal, exchange.record)
    return
  }
  // a connection on which nothing was sent has no request
  if (socket.bytesRead === 0) return void end(socket, refusal)
  const unreadable = RequestLog.unreadable(socket, statusOf(refusal))
  endRequest(socket, refusal, unreadable.record)
  onEnd(unreadable)
}

const awaitsResponse = ({ request, response }: Exchange): boolean => request.complete && !response.writableEnded

const refusedLater = new WeakSet<Exchange>()

/** Refuses what follows a request when that has its response. Each chunk of bytes that are not HTTP is an error. */
const refuseLater = (rejected: Rejected, exchange: Exchange): void => {
  if (refusedLater.has(exchange)) return
  refusedLater.add(exchange)
  exchange.response.once("close", () => refuse(rejected))
}

/**
 * Nothing reads a connection whose upgrade was refused: it would stay open until the client closes it. One that flows
 * without a reader is no better.
 */
const closeUnread = (socket: Duplex): void => {
  socket.once("finish", () => {
    if (socket.listenerCount("data") === 0) socket.destroy()
  })
}

/** The interval at which node checks for slow requests. */
const checkMillis = (limits: Limits) => Math.min(1000, Math.max(50, Math.floor(limits.receiveMillis / 4)))

/** Node closes idle connections with the server, and does not count those on which no request was ever sent. */
const endSilentConnections = (server: Server): void => {
  const connections = new Set<Socket>()
  server.on("connection", (socket) => {
    connections.add(socket)
    socket.once("close", () => connections.delete(socket))
  })
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdle()
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
}

/**
 * An error of a connection ends no more than the connection. Node no longer listens to the sockets of upgrades and of
 * CONNECT, and an error without a listener ends the process.
 */
const tolerateErrors = (server: Server): void => {
  const ignore = () => {}
  server.on("connection", (socket) => socket.on("error", ignore))
}

/** What node knows of the bytes that the system has not taken of a connection. */
interface Handle {
  readonly bytesWritten?: number
  readonly writeQueueSize?: number
}

/** A large chunk is taken in parts, which only the handle of the connection knows. */
const takenOf = (socket: Socket): number => {
  const { bytesWritten, writeQueueSize } = (Reflect.get(socket, "_handle") ?? {}) as Handle
  return bytesWritten === undefined || writeQueueSize === undefined
    ? socket.bytesWritten - socket.writableLength
    : bytesWritten - writeQueueSize
}

/** All connections, those of WebSockets too. A request that waits for a run is left alone: nothing waits for it. */
const endSlowReaders = (
  server: Server,
  { limits, responses = budgetsOf(limits) }: Pick<Options, "limits" | "responses">,
  exchanges: WeakMap<Duplex, Exchange>
): void => {
  const inSystem = SlowReaders.systemQueues()
  const readers = SlowReaders.make({ millis: limits.responseMillis, budget: responses.bytes })
  server.on("connection", (socket) => {
    const connection: SlowReaders.Connection = {
      key: socket,
      taken: () => takenOf(socket),
      waiting: () => socket.writableLength === 0 ? 0 : socket.bytesWritten - takenOf(socket),
      inSystem: () => inSystem(socket),
      held: () => exchanges.get(socket)?.response.isShared === true ? 0 : socket.writableLength,
      // otherwise the system keeps what the client does not read for minutes, and does not tell the client
      end: () => socket.resetAndDestroy()
    }
    readers.add(connection)
    socket.on("drain", () => readers.drained(connection))
    socket.once("close", () => readers.remove(connection))
  })
  const interval = Math.max(50, Math.min(1000, limits.responseMillis / 10))
  server.on("listening", () => {
    // @effect-diagnostics-next-line globalTimers:off because it belongs to the server of node, outside of any fiber
    const timer = setInterval(() => readers.check(performance.now()), interval).unref()
    server.once("close", () => clearInterval(timer))
  })
}

/** Node would not respond on a connection whose client has closed its half. */
const followHalfClosed = (server: Server, exchanges: WeakMap<Duplex, Exchange>): void => {
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on("connection", (socket) => HalfClosed.follow(socket, () => exchanges.get(socket)?.response))
}

const make = (
  { earlyRoutes = { handle: undefined }, joins, limits, responses, startedAt = 0 }: Options,
  onEnd: RequestLog.OnEnd
): Server => {
  const server = createServer({
    IncomingMessage: RequestRecord.RecordedRequest as typeof IncomingMessage,
    ServerResponse: RecordedResponse as typeof ServerResponse,
    maxHeaderSize: limits.headers,
    // node would respond to a request without Host with an empty body; access control refuses it in the error shape
    requireHostHeader: false,
    // Node would keep the first of two headers, and a proxy may have checked the second: two credentials count as none.
    joinDuplicateHeaders: true,
    requestTimeout: limits.receiveMillis,
    headersTimeout: limits.receiveMillis,
    connectionsCheckingInterval: checkMillis(limits),
    keepAliveTimeout: 65_000
  })
  const exchanges = new WeakMap<Duplex, Exchange>()
  followHalfClosed(server, exchanges)
  tolerateErrors(server)
  endSilentConnections(server)
  endSlowReaders(server, { limits, responses }, exchanges)
  const pipelined = PipelinedRequests.make(server)
  for (const begins of ["request", "checkContinue", "checkExpectation"]) {
    server.on(begins, (request: IncomingMessage, response: RecordedResponse) => {
      const record = RequestRecord.begin(request)
      exchanges.set(request.socket, { request, response, record })
      response.on("close", () => {
        // its listeners keep all that was sent, and the connection can be idle for long
        if (request.complete && exchanges.get(request.socket)?.response === response) exchanges.delete(request.socket)
        onEnd(RequestLog.endOf(record, request, response))
        // A connection that was busy when the server was closed is idle afterwards, and would be kept for the next
        // request.
        if (!server.listening) setImmediate(() => server.closeIdleConnections())
      })
    })
  }
  server.on("upgrade", (request: IncomingMessage, socket) => {
    pace(socket)
    closeUnread(socket)
    RequestLog.followSocket(RequestRecord.begin(request), request, socket, onEnd)
  })
  server.on("connect", (request: IncomingMessage, socket) => {
    closeUnread(socket)
    RequestLog.followSocket(RequestRecord.begin(request), request, socket, onEnd)
    end(socket, noProxy)
  })
  server.on("checkExpectation", ({ socket }: IncomingMessage) => {
    endRequest(socket, unmetExpectation, exchanges.get(socket)?.record)
  })
  server.on("clientError", (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket
    const exchange = exchanges.get(socket)
    const rejected = { error, exchange, onEnd, socket }
    // a response now would be taken for that to a request that waits
    if (pipelined.areWaiting(socket)) socket.destroy()
    else if (exchange !== undefined && awaitsResponse(exchange)) refuseLater(rejected, exchange)
    else refuse(rejected)
  })
  EarlyResponses.untilServed(server, startedAt, earlyRoutes, joins)
  return server
}

export const layer = (options: Options) =>
  Layer.unwrap(
    Effect.map(RequestLog.make(options.api), (onEnd) =>
      NodeHttpServer.layerServer(() => make(options, onEnd), {
        host: options.host,
        port: options.port,
        gracefulShutdownTimeout: options.shutdownTimeout,
        websocket: {
          // a message is no larger than any other JSON may be
          maxPayload: options.limits.jsonBody,
          // the routes have refused a client that asks for others only
          handleProtocols: (protocols) => protocols.has(WorkflowSocket.subprotocol) && WorkflowSocket.subprotocol
        }
      }))
  )
