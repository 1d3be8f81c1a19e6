// Logs a line for each request when its response has ended, and counts it.
import type { ServiceApi } from "@svc-runtime/api"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import * as LogLine from "@svc-runtime/telemetry/LogLine"
import { Effect, type LogLevel } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as ScopeTable from "../authorization/ScopeTable.ts"
import { RequestLine } from "./RequestLine.ts"
import * as RequestRecord from "./RequestRecord.ts"

/** How a request has ended. */
export interface End {
  readonly request: IncomingMessage
  readonly record: RequestRecord.RequestRecord
  readonly status: number
  readonly isAborted: boolean
  readonly millis: number
}

export type OnEnd = (end: End) => void

/** Programs send these all the time. */
const quiet = new Set(["/health", "/ready", "/metrics/prometheus"])

const levelOf = ({ status }: End, route: string): LogLevel.Severity => {
  if (quiet.has(route)) return "Debug"
  return status >= 500 ? "Warn" : "Info"
}

const bodyBytes = ({ record, request: { headers, socket } }: End): number => {
  const declared = Number(headers["content-length"] ?? Number.NaN)
  if (Number.isFinite(declared)) return declared
  return headers["transfer-encoding"] === undefined && headers.upgrade === undefined
    ? 0
    : socket.bytesRead - record.bytesRead
}

const round = (millis: number): number => Math.round(millis * 10) / 10

/** Node reads methods as tokens, so a method needs no escaping, and neither does an id that was accepted. */
const lineOf = (end: End, route: string): RequestLine => {
  const { isAborted, millis, record: { responseBytes, bytesWritten, id, principal, tools, traceId }, request, status } =
    end
  return new RequestLine({
    method: request.method ?? "",
    route,
    status,
    time_ms: round(millis),
    request_bytes: bodyBytes(end),
    response_bytes: responseBytes ?? request.socket.bytesWritten - bytesWritten,
    user_id: principal?.user_id,
    request_id: id,
    trace_id: traceId,
    transport: request.headers.upgrade !== undefined ? "socket" : route === "/mcp" ? "mcp" : "rest",
    tool: tools,
    aborted: isAborted ? true : undefined
  })
}

/** The pattern of the path of a request that no handler got. */
const routeOf = (api: ServiceApi.AnyApi, { method = "", url = "" }: IncomingMessage): string => {
  const path = url.split("?", 1)[0] ?? ""
  if (quiet.has(path)) return path
  return ScopeTable.make(api, []).requirement(method, url)?.path ?? "unmatched"
}

/** Writes lines to the loggers of the fiber, without a fiber for each line. */
export const make = (api: ServiceApi.AnyApi): Effect.Effect<OnEnd> =>
  Effect.withFiber((fiber) => {
    const instruments = fiber.getRef(Instruments)
    // the fiber continues with other loggers before the first request ends
    const output = LogLine.outputOf(fiber)
    return Effect.succeed((end) => {
      const route = end.record.route ?? routeOf(api, end.request)
      const { millis, request: { method = "" }, status } = end
      instruments.request({ method, route, status, seconds: millis / 1000 })
      LogLine.writeTo(output, levelOf(end, route), () => lineOf(end, route))
    })
  })

/** The end of a request whose response is HTTP. */
export const endOf = (record: RequestRecord.RequestRecord, request: IncomingMessage, response: ServerResponse): End => {
  const { refusal } = record
  const isAborted = refusal === undefined && !response.writableFinished
  return {
    request,
    record,
    status: refusal !== undefined ? refusal : isAborted && !response.headersSent ? 499 : response.statusCode,
    isAborted,
    millis: performance.now() - record.startedAt
  }
}

/** The end of a request that cannot be read: neither its method nor its path is known. */
export const unreadable = (socket: Socket, status: number): End => {
  const request = Object.assign(new RequestRecord.RecordedRequest(socket), { method: "UNKNOWN", url: "" })
  return { request, record: RequestRecord.begin(request), status, isAborted: false, millis: 0 }
}

const statusLine = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n/

/** Of a request for a socket: the first bytes have the status of the response, and get the header with its id. */
export const followSocket = (
  record: RequestRecord.RequestRecord,
  request: IncomingMessage,
  socket: Duplex,
  onEnd: OnEnd
) => {
  const { end, write } = socket
  let status = 499
  const first = (chunk: unknown): unknown => {
    socket.write = write
    socket.end = end
    const found = typeof chunk === "string" ? statusLine.exec(chunk) : null
    if (found === null || typeof chunk !== "string") return chunk
    status = Number(found[1])
    return `${found[0]}x-request-id: ${record.id}\r\n${chunk.slice(found[0].length)}`
  }
  const withId = (send: typeof socket.write) => (...[chunk, ...rest]: Parameters<typeof socket.write>) =>
    send.apply(socket, [first(chunk), ...rest] as Parameters<typeof socket.write>)
  socket.write = withId(write) as typeof socket.write
  socket.end =
    ((...args: Parameters<typeof socket.write>) =>
      end.apply(socket, [first(args[0]), ...args.slice(1)] as Parameters<typeof socket.end>)) as typeof socket.end
  socket.once("close", () => {
    onEnd({ request, record, status, isAborted: status === 499, millis: performance.now() - record.startedAt })
  })
}
