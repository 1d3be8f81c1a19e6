// A server that makes something at the first connection, for all processes of a run of vitest: the process of vitest
// listens on a port, and answers each connection with a text.
import { Effect } from "effect"
import { connect, createServer } from "node:net"

interface Answering {
  readonly port: number
  readonly close: () => void
}

/** Executes the effect at the first connection. An empty text says that it has failed. */
export const answer = Effect.fnUntraced(function*(text: Effect.Effect<string>): Effect.fn.Return<Answering> {
  const made = yield* Effect.cached(text)
  const server = createServer((socket) => {
    // a worker can end before it has read the answer
    socket.on("error", () => {})
    void Effect.runPromise(made).then((text) => socket.end(text))
  })
  yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => void server.close()
  }
})

/** Fails with the reason. */
export const ask = (port: number): Effect.Effect<string, string> =>
  Effect.callback((resume) => {
    let text = ""
    const socket = connect(port, "127.0.0.1").setEncoding("utf8")
    socket.on("data", (piece: string) => (text += piece))
    socket.once("error", ({ message }) => resume(Effect.fail(message)))
    socket.once("end", () => resume(text === "" ? Effect.fail("see the output of vitest") : Effect.succeed(text)))
    return Effect.sync(() => socket.destroy())
  })
