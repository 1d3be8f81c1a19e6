// Whether a client reads its messages. A WebSocket does not report this, but the connection under it does: its unsent
// bytes are memory of this process, which a client that never reads must not fill.
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Returns when there is room for more. */
export type HasRoom = Effect.Effect<void>

/** Unsent bytes of one client at which sending pauses. */
const maxWaiting = 256 * 1024

/** How long a client may take to read some of them. */
const drainTimeout = "30 seconds"

export const isFull = ({ writableLength }: { readonly writableLength: number }): boolean => writableLength >= maxWaiting

export const of = (request: HttpServerRequest.HttpServerRequest) => (close: Effect.Effect<void>): HasRoom => {
  const { socket } = NodeHttpServerRequest.toIncomingMessage(request)
  const drained = Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    socket.once("drain", done)
    socket.once("close", done)
    return Effect.sync(() => {
      socket.off("drain", done)
      socket.off("close", done)
    })
  })
  return Effect.suspend(() =>
    !isFull(socket) || socket.destroyed
      ? Effect.void
      : Effect.timeoutOrElse(drained, { duration: drainTimeout, orElse: () => close })
  )
}
