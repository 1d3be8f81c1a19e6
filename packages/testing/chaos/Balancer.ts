// What stands in front of several nodes: each request goes to one of them, whichever the dice say. A node that does not
// take it is passed over; one that breaks off in the middle takes its client with it, as a balancer does.
import { Effect } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

/** From 0 to less than 1, the same each time for one seed. */
export const dice = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Balancer {
  readonly url: string
  /** Where the nodes are, by their names. One that is away is left out. */
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
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const balancer: Balancer = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, nodes }
  return balancer
})
