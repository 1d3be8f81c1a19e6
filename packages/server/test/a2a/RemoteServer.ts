// A remote agent that a test writes: its card, and its response to each method.
import { Effect, type Scope } from "effect"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Dialect } from "./Sdk.ts"

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The method of JSON-RPC. */
  readonly method: string | undefined
  readonly params: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface RemoteServer {
  readonly url: string
  /** Without those of the card. */
  readonly received: ReadonlyArray<Received>
}

export type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => void

export const rpc = (response: ServerResponse, result: object): void =>
  void response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }))

export const rpcError = (response: ServerResponse, code: number, message: string): void =>
  void response.setHeader("content-type", "application/json")
    .end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message } }))

export const frame = (result: object): string => `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`

/** The beginning of a stream, which stays open. */
export const stream = (response: ServerResponse, ...results: ReadonlyArray<object>): void => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const result of results) response.write(frame(result))
}

const ids = { contextId: "context" }

export const task = (state: string, text?: string, id = "task"): object => ({
  task: {
    id,
    ...ids,
    status: { state: `TASK_STATE_${state}` },
    ...(text === undefined ? {} : { artifacts: [{ artifactId: "answer", parts: [{ text }] }] })
  }
})

export const status = (state: string, text?: string, taskId = "task"): object => ({
  statusUpdate: {
    taskId,
    ...ids,
    status: {
      state: `TASK_STATE_${state}`,
      ...(text === undefined ? {} : { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text }] } })
    }
  }
})

export const text = (delta: string, append = true): object => ({
  artifactUpdate: { taskId: "task", ...ids, artifact: { artifactId: "answer", parts: [{ text: delta }] }, append }
})

const listen = (
  serve: (request: IncomingMessage, response: ServerResponse, body: string) => void
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer((request, response) => {
            let body = ""
            request.on("data", (chunk) => (body += chunk))
            request.on("end", () => serve(request, response, body))
          })
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
      ),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

const cardPath = "/.well-known/agent-card.json"

const cardOf = (url: string, { binding, version }: Dialect): object =>
  version === "1.0"
    ? { supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: "1.0" }] }
    : { protocolVersion: "0.3.0", url, preferredTransport: binding }

/** A card that names one wire of an agent which is elsewhere. */
export const card = (address: string, dialect: Dialect, isStreaming = true) =>
  listen((_, response) =>
    response.setHeader("content-type", "application/json").end(
      JSON.stringify({ name: "far", ...cardOf(address, dialect), capabilities: { streaming: isStreaming } })
    )
  )

export interface Options {
  readonly isStreaming?: boolean
  /** More fields of its card, by its address. */
  readonly card?: (url: string) => object
  /** Called with each request for its card. */
  readonly onCard?: (headers: IncomingHttpHeaders) => void
}

/** Speaks JSON-RPC of 1.0, unless its card says otherwise. */
export const make = Effect.fnUntraced(
  function*(answer: Answer, { card = () => ({}), isStreaming = true, onCard = () => {} }: Options = {}) {
    const received: Array<Received> = []
    const url: string = yield* listen((request, response, body) => {
      if (request.url === cardPath) {
        onCard(request.headers)
        const dialect = { version: "1.0", binding: "JSONRPC" } as const
        const fields = { name: "far", ...cardOf(url, dialect), capabilities: { streaming: isStreaming }, ...card(url) }
        return void response.setHeader("content-type", "application/json").end(JSON.stringify(fields))
      }
      const { method, params } = body === "" ? {} as Record<string, never> : JSON.parse(body)
      const each: Received = { path: request.url ?? "", headers: request.headers, method, params: params ?? {}, body }
      received.push(each)
      answer(each, response, request)
    })
    const server: RemoteServer = { url, received }
    return server
  }
)
