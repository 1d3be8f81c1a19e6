// A port of the loopback interface on which nothing listens now.
import { Effect } from "effect"
import { createServer } from "node:net"

export const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(address === null || typeof address === "string" ? 0 : address.port)))
  })
})
