import { Effect } from "effect"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

/** Starts a server on a free loopback port and gives its URL. The server is closed with the scope. */
export const listening = (server: Server) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        // a process that was frozen must not send a request on a connection that was closed meanwhile
        server.keepAliveTimeout = 0
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )
