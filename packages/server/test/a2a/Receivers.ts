// Servers that get the changes of tasks.
import { Effect, Queue } from "effect"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { at } from "../Wire.ts"

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** Responds with 204, after as many failures as given. */
export const receiver = Effect.fnUntraced(function*(failures = 0) {
  const received = yield* Queue.unbounded<Received>()
  let left = failures
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (chunk) => (text += chunk))
    request.on("end", () => {
      const isFailing = left-- > 0
      if (!isFailing) Queue.offerUnsafe(received, { headers: request.headers, body: JSON.parse(text) })
      response.writeHead(isFailing ? 503 : 204).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close())
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook?secret=1`, next: Queue.take(received) }
})

/** Does not respond until it is released. */
export const holdingReceiver = Effect.gen(function*() {
  const received = yield* Queue.unbounded<unknown>()
  const held: Array<() => void> = []
  let isHolding = true
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (chunk) => (text += chunk))
    request.on("end", () => {
      Queue.offerUnsafe(received, at(JSON.parse(text), "statusUpdate"))
      if (isHolding) held.push(() => response.end())
      else response.end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
  const release = Effect.sync(() => {
    isHolding = false
    for (const answer of held) answer()
  })
  const releaseOne = Effect.sync(() => held.shift()?.())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, next: Queue.take(received), release, releaseOne }
})

export const silentReceiver = Effect.gen(function*() {
  const server = createServer(() => {})
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
})
