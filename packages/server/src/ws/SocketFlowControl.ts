// Limits the bytes that are read from a socket. Reading pauses while the client does not read its replies, including
// the pongs of the library, and while the service handles earlier messages. Before authentication only a little is
// read.
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Deferred, Effect, Latch } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Backpressure from "./Backpressure.ts"

/** Bytes that are read from a socket that has not authenticated. A token is shorter. */
const maxBeforeAuthentication = 64 * 1024

/** Bytes that are read while the service is busy with earlier messages. */
const maxUnread = 256 * 1024

export interface Options {
  readonly hasRoom: Backpressure.HasRoom
  readonly isAuthenticated: () => boolean
}

/** Counts and pauses. Other code reads `socket`. */
export const make = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  { hasRoom, isAuthenticated }: Options
) {
  const { socket } = NodeHttpServerRequest.toIncomingMessage(request)
  const flooded = Deferred.makeUnsafe<void>()
  const full = Latch.makeUnsafe(false)
  let received = 0
  let unread = 0
  let isBusy = false

  const onData = (chunk: Uint8Array) => {
    received += chunk.length
    unread += chunk.length
    if (received > maxBeforeAuthentication && !isAuthenticated()) {
      socket.pause()
      Deferred.doneUnsafe(flooded, Effect.void)
    } else if (Backpressure.isFull(socket)) {
      socket.pause()
      full.openUnsafe()
    } else if (isBusy && unread > maxUnread) socket.pause()
  }
  const drain = Effect.andThen(
    Effect.andThen(full.await, hasRoom),
    Effect.sync(() => {
      full.closeUnsafe()
      socket.resume()
    })
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => socket.on("data", onData)),
    () => Effect.sync(() => socket.off("data", onData).resume())
  )
  yield* Effect.forkScoped(Effect.forever(drain))

  const idle = Effect.sync(() => {
    isBusy = false
    unread = 0
    if (!full.isOpen()) socket.resume()
  })
  const busy = Effect.sync(() => {
    isBusy = true
  })
  return {
    /** Returns when a client that has not authenticated has sent more than a token needs. */
    flooded: Deferred.await(flooded),
    /** Waits for the next messages. The service handles them until it calls this again. */
    next: <A, E, R>(pull: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.tap(Effect.andThen(Effect.andThen(hasRoom, idle), pull), busy)
  }
})
