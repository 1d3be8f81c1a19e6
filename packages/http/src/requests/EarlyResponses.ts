// The responses of a service before its routes exist, while it migrates the database and builds its components: alive,
// and not ready. A worker that starts beside others responds later instead: its port serves already.
// @effect-diagnostics globalTimers:off -- requests wait outside of fibers
import * as Time from "@svc-runtime/domain/Time"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

const json = (response: ServerResponse, status: number, body: object): void => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(status === 503 ? { "retry-after": "1" } : {})
  })
  response.end(text)
}

/** A browser asks again by itself. */
const page = "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"1\">" +
  "<title>Starting</title><p>The service is starting. This page opens when it has started.</p>"

const html = (response: ServerResponse): void => {
  response.writeHead(503, {
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(page),
    "cache-control": "no-store",
    "retry-after": "1"
  })
  response.end(page)
}

const starting = { detail: "The service is starting. Try again shortly.", error_code: "SERVICE_UNAVAILABLE" }

/** What responds to requests while a service waits for its migrations. */
export interface EarlyRoutes {
  handle: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Then they are refused. */
const maxHeldMillis = 10_000

/** Requests that wait for the routes. */
const holding = (refuse: Handle) => {
  const held = new Map<ServerResponse, (handle: Handle) => void>()
  return {
    add: (request: IncomingMessage, response: ServerResponse): void => {
      const late = setTimeout(() => release(refuse), maxHeldMillis)
      const release = (handle: Handle) => {
        clearTimeout(late)
        if (held.delete(response) && request.socket.writable) handle(request, response)
      }
      held.set(response, release)
    },
    release: (handle: Handle): void => held.forEach((release) => release(handle))
  }
}

const respond =
  (startedAt: number, routes: EarlyRoutes, hold?: Handle) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const path = (request.url ?? "").split("?")[0]
    const isRead = request.method === "GET" || request.method === "HEAD"
    const isHealth = isRead && path === "/health"
    const isReady = isRead && path === "/ready"
    if (!isHealth && !isReady && routes.handle !== undefined) return routes.handle(request, response)
    if (!isHealth && hold !== undefined) return hold(request, response)
    // discards a body that nothing reads
    request.resume()
    if (isHealth) return json(response, 200, { status: "ok", instantiated_at: Time.formatMillis(startedAt) })
    const unready = { ...starting, detail: "Not ready: migrations", reasons: ["migrations"] }
    if (isRead && !isReady && request.headers.accept?.includes("text/html") === true) return html(response)
    json(response, 503, isReady ? unready : starting)
  }

/** Responds until the routes handle the server's requests, or lets them wait if `joins`. */
export const untilServed = (server: Server, startedAt: number, routes: EarlyRoutes, joins = false): void => {
  const held = holding(respond(startedAt, routes))
  const early = respond(startedAt, routes, joins ? held.add : undefined)
  const refuse = (_: IncomingMessage, socket: Duplex) => {
    const body = JSON.stringify(starting)
    socket.end(
      "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-type: application/json\r\n" +
        `content-length: ${Buffer.byteLength(body)}\r\nretry-after: 1\r\n\r\n${body}`
    )
  }
  const step = (event: string | symbol, routed: Handle) => {
    if (event !== "request") return
    server.off("newListener", step).off("request", early).off("upgrade", refuse)
    setImmediate(() => held.release(routed))
  }
  server.on("request", early)
  server.on("upgrade", refuse)
  server.on("newListener", step)
}
