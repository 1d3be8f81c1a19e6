// A port of the loopback interface on which nothing listens now. It is below the ports that systems give to connections
// and to servers without a port of their own, so that a server that stops finds it free again.
import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

const candidate = Effect.callback<number, Error>((resume) => {
  const port = randomInt(20_000, 32_768)
  const server = createServer()
  server.once("error", (error) => resume(Effect.fail(error)))
  server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(port))))
})

export const freePort = Effect.orDie(Effect.retry(candidate, { times: 100 }))
