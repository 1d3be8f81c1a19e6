// A client of a workflow socket.
import { Effect, Queue } from "effect"

/** A frame is JSON, or an event in the form of a server-sent one. */
const parse = (text: string): unknown => {
  const event = /^event: (\w+)\ndata: ([^\n]+)\n\n$/.exec(text)
  return event === null ? JSON.parse(text) : { live: event[1], ...JSON.parse(event[2]!) }
}

export interface Closed {
  readonly code: number
  readonly reason: string
}

/** A client that keeps its messages until the test reads them. */
export const open = Effect.fnUntraced(function*(
  url: string,
  path = "/workflows/ws",
  headers: Readonly<Record<string, string>> = {},
  protocols: ReadonlyArray<string> = []
) {
  const frames = yield* Queue.unbounded<unknown>()
  const ends = yield* Queue.unbounded<Closed>()
  const socket = yield* Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const socket = new WebSocket(url.replace("http", "ws") + path, { headers, protocols } as never)
      socket.addEventListener("message", ({ data }) => void Queue.offerUnsafe(frames, parse(String(data))))
      socket.addEventListener("close", ({ code, reason }) => void Queue.offerUnsafe(ends, { code, reason }))
      socket.addEventListener("open", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.close())
  )
  return {
    protocol: socket.protocol,
    next: Queue.take(frames),
    closed: Queue.take(ends),
    send: (message: unknown) =>
      Effect.sync(() => socket.send(typeof message === "string" ? message : JSON.stringify(message))),
    ask: (message: unknown) =>
      Effect.andThen(Effect.sync(() => socket.send(JSON.stringify(message))), Queue.take(frames))
  }
})
