// The socket. What node:http answers by itself (a request that never ends, headers that are too large) leaves in the
// error shape of the contract too.
import { NodeHttpServer } from "@effect/platform-node"
import type { Duration } from "effect"
import { createServer, type Server } from "node:http"
import type { Socket } from "node:net"
import type { Limits } from "./Settings.ts"

export interface Options {
  readonly host: string
  readonly port: number
  readonly limits: Limits
  /** How long requests may go on when the server is closed. */
  readonly shutdownTimeout: Duration.Input
}

const refusals: Readonly<Record<string, readonly [status: string, code: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "BAD_REQUEST", "The request was not received in time"],
  HPE_HEADER_OVERFLOW: ["413 Payload Too Large", "PAYLOAD_TOO_LARGE", "The headers of the request are too large"]
}

const malformed = ["400 Bad Request", "BAD_REQUEST", "The request is not HTTP"] as const

const refuse = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, error_code, detail] = refusals[error.code ?? ""] ?? malformed
  const body = JSON.stringify({ detail, error_code })
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

/** How often node looks for requests that take too long. */
const checkMillis = (limits: Limits) => Math.min(1000, Math.max(50, Math.floor(limits.receiveMillis / 4)))

const make = (limits: Limits): Server => {
  const server = createServer({
    maxHeaderSize: limits.headers,
    requestTimeout: limits.receiveMillis,
    headersTimeout: limits.receiveMillis,
    connectionsCheckingInterval: checkMillis(limits),
    keepAliveTimeout: 65_000
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error, socket as Socket))
  return server
}

export const layer = (options: Options) =>
  NodeHttpServer.layer(() => make(options.limits), {
    host: options.host,
    port: options.port,
    gracefulShutdownTimeout: options.shutdownTimeout
  })
