// A load balancer: each request goes to a random node. If the node does not accept the connection, the request goes to
// another one. If the node ends in the middle of its answer, the client is disconnected.
import { Effect } from "effect"
import * as Http from "node:http"
import { listening } from "./listening.ts"

interface Balancer {
  readonly url: string
  /** The URLs of the running nodes, by their names. */
  readonly nodes: Map<string, string>
}

const pass = (node: string, request: Http.IncomingMessage, body: Buffer, response: Http.ServerResponse) =>
  new Promise<boolean>((resolve) => {
    const { headers, method, url } = request
    const outgoing = Http.request(node + url, { method, headers, agent: false }, (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.headers)
      response.flushHeaders()
      incoming.on("error", () => response.destroy())
      incoming.on("aborted", () => response.destroy())
      incoming.pipe(response)
      resolve(true)
    })
    response.on("close", () => outgoing.destroy())
    outgoing.on("error", () => resolve(response.headersSent || response.destroyed))
    outgoing.end(body)
  })

export const make = Effect.fnUntraced(function*(random: () => number) {
  const nodes = new Map<string, string>()
  const server = Http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      const left = [...nodes.values()]
      while (left.length > 0) {
        const [node] = left.splice(Math.floor(random() * left.length), 1)
        if (await pass(node!, request, Buffer.concat(chunks), response)) return
      }
      response.writeHead(502).end()
    })
  })
  const balancer: Balancer = { url: yield* listening(server), nodes }
  return balancer
})
