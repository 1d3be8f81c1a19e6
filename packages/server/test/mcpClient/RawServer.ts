// An MCP server that responds as a test says, byte by byte if needed.
import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Seen {
  readonly method: string
  readonly id: unknown
  readonly params: Record<string, unknown>
  readonly headers: IncomingMessage["headers"]
}

export type Answer = object | ((response: ServerResponse, seen: Seen) => void)

/** By the methods of JSON-RPC. A list is used up from its front, and its last response stays. */
export type Answers = Readonly<Record<string, Answer | ReadonlyArray<Answer>>>

export const status = (code: number): Answer => (response) => void response.writeHead(code).end("no")

export const jsonRpcError = (code: number, message: string): Answer => (response, { id }) =>
  json(response, { jsonrpc: "2.0", id, error: { code, message } })

export const destroy: Answer = (response) => void response.destroy()

const json = (response: ServerResponse, body: object) =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))

export const usual: Answers = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "raw", version: "1" }
  },
  "server/discover": jsonRpcError(-32601, "Method not found"),
  "tools/list": {
    tools: [{
      name: "echo",
      description: "Says it again",
      inputSchema: { type: "object", properties: { text: { type: "string" } } }
    }]
  },
  "tools/call": { content: [{ type: "text", text: "echoed" }] },
  delete: (response) => void response.writeHead(200).end(),
  get: (response) => void response.writeHead(405).end()
}

const bodyOf = (request: IncomingMessage, then: (text: string) => void) => {
  const parts: Array<Buffer> = []
  request.on("data", (part: Buffer) => parts.push(part)).on("end", () => then(Buffer.concat(parts).toString()))
}

export const listen = (given: Answers = {}) =>
  Effect.gen(function*() {
    const answers = new Map(Object.entries({ ...usual, ...given }))
    const seen: Array<Seen> = []
    const next = (method: string): Answer | undefined => {
      const found = answers.get(method)
      if (!Array.isArray(found)) return found as Answer | undefined
      return (found.length > 1 ? found.shift() : found[0]) as Answer
    }
    const answer = (response: ServerResponse, message: Seen) => {
      seen.push(message)
      const chosen = next(message.method)
      if (typeof chosen === "function") return chosen(response, message)
      if (message.id === undefined) return void response.writeHead(202).end()
      if (chosen === undefined) {
        return json(response, { jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "?" } })
      }
      json(response, { jsonrpc: "2.0", id: message.id, result: chosen })
    }
    const server = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const made = createServer((request, response) => {
          const { headers, method } = request
          if (method !== "POST") {
            return answer(response, { method: (method ?? "").toLowerCase(), id: undefined, params: {}, headers })
          }
          bodyOf(request, (text) => {
            const { id, method, params = {} } = JSON.parse(text)
            answer(response, { method, id, params, headers })
          })
        })
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.callback<void>((resume) => {
          made.close(() => resume(Effect.void))
          made.closeAllConnections()
        })
    )
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}/mcp`,
      seen,
      count: (method: string) => seen.filter((each) => each.method === method).length
    }
  })
