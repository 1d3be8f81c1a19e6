// A WebSocket server on the server of a platform. It does not write compressed frames.
import { WebSocketServer } from "@effect/platform-node/NodeWS"
import type * as Http from "node:http"

export interface Connection {
  readonly path: string
  readonly query: URLSearchParams
  readonly send: (message: unknown) => void
  /** A text as it is. */
  readonly write: (text: string) => void
  readonly ping: () => void
  /** Without a farewell. */
  readonly cut: () => void
  readonly close: (code?: number, reason?: string) => void
  /** Each whole text of the client. */
  onText: (text: string) => void
  onClose: (code: number) => void
}

/** A connection that is not admitted is answered with 401. */
export const accept = (
  server: Http.Server,
  admits: (path: string, query: URLSearchParams) => boolean,
  onConnection: (connection: Connection) => void
): void => {
  const sockets = new WebSocketServer({ noServer: true })
  server.on("upgrade", (request, stream, head) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
    if (!admits(pathname, searchParams)) return void stream.end("HTTP/1.1 401 Unauthorized\r\n\r\n")
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const connection: Connection = {
        path: pathname,
        query: searchParams,
        send: (message) => socket.send(JSON.stringify(message)),
        write: (text) => socket.send(text),
        ping: () => socket.ping("ping"),
        cut: () => socket.terminate(),
        close: (code = 1000, reason = "") => socket.close(code, reason),
        onText: () => undefined,
        onClose: () => undefined
      }
      socket.on("message", (data: Buffer, isBinary: boolean) => {
        if (!isBinary) connection.onText(data.toString("utf8"))
      })
      socket.on("close", (code: number) => connection.onClose(code))
      onConnection(connection)
    })
  })
}
