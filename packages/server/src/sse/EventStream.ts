// What every stream of server-sent events has in common: that nobody in between keeps what is said, or takes a stream that
// says nothing for a connection that is dead.
import { Stream } from "effect"

const encoder = new TextEncoder()

/** A comment: readers pass over it. */
export const heartbeat = encoder.encode(": heartbeat\n\n")

const beats = Stream.map(Stream.tick("15 seconds"), () => heartbeat).pipe(Stream.drop(1))

export const alive = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.merge(bytes, beats, { haltStrategy: "left" })

export const headers = { "cache-control": "no-cache", "x-accel-buffering": "no" }
