// Limits the bytes that are read from a socket. Reading pauses while the client does not read its replies, including
// the pongs of the library, and while the service handles earlier messages. Before authentication only a little is
// read. A large message needs room among all bodies, and has as long to end as the body of a request.
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as BodyBytes from "@svc-runtime/http/forms/BodyBytes"
import { Clock, Deferred, Effect, Latch } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Backpressure from "./Backpressure.ts"

/** Bytes that are read from a socket that has not authenticated. A token is shorter. */
const maxBeforeAuthentication = 64 * 1024

/** Bytes that are read while the service is busy with earlier messages. */
const maxUnread = 256 * 1024

/** Bytes of a message that has not ended, and need no room. */
const maxUnfinished = 64 * 1024

/** Bytes in a millisecond that do not count as those of a message: a client may send a ping each second for days. */
const pings = 0.25

export interface Options {
  readonly hasRoom: Backpressure.HasRoom
  readonly isAuthenticated: () => boolean
  /** Room for the bytes of a message among those of all bodies. */
  readonly room: () => Pick<BodyBytes.Reservation, "arriving" | "release" | "reserve">
  /** The largest message, in bytes. */
  readonly largest: number
  /** How long a large message may take, in milliseconds. */
  readonly receiveMillis: number
}

/** Counts and pauses. Other code reads `socket`. */
export const make = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  { hasRoom, isAuthenticated, largest, receiveMillis, room }: Options
) {
  const { socket } = NodeHttpServerRequest.toIncomingMessage(request)
  const flooded = Deferred.makeUnsafe<void>()
  const full = Latch.makeUnsafe(false)
  const clock = yield* Clock.Clock
  let received = 0
  let unread = 0
  let idleSince = clock.currentTimeMillisUnsafe()
  let isBusy = false
  const isLarge = Latch.makeUnsafe(false)
  const hasEnded = Latch.makeUnsafe(false)

  const waitedFor = () => clock.currentTimeMillisUnsafe() - idleSince

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
    else if (!isBusy && !isLarge.isOpen() && unread > maxUnfinished + pings * waitedFor()) {
      socket.pause()
      hasEnded.closeUnsafe()
      isLarge.openUnsafe()
    }
  }
  /** Fails when a large message has no room, or does not end in time. */
  const large = Effect.suspend(() => {
    const { arriving, release, reserve } = room()
    return reserve(largest).pipe(
      Effect.tap(() => Effect.sync(() => socket.resume())),
      Effect.andThen(Effect.raceFirst(hasEnded.await, arriving(() => unread))),
      Effect.timeout(receiveMillis),
      Effect.ensuring(release)
    )
  })
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
    idleSince = clock.currentTimeMillisUnsafe()
    if (!full.isOpen()) socket.resume()
  })
  const busy = Effect.sync(() => {
    isBusy = true
    isLarge.closeUnsafe()
    hasEnded.openUnsafe()
  })
  return {
    /** Returns when a client that has not authenticated has sent more than a token needs. */
    flooded: Deferred.await(flooded),
    /** Fails when the client sends a large message too slowly, or when too many do. */
    unfinished: Effect.forever(Effect.andThen(isLarge.await, large)),
    /** Waits for the next messages. The service handles them until it calls this again. */
    next: <A, E, R>(pull: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.tap(Effect.andThen(Effect.andThen(hasRoom, idle), pull), busy)
  }
})
