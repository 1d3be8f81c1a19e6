// Open streams of remote tasks. The call that sends a message opens one, from which its answer is read.
import { Effect, Exit, Pull, Scope, Stream } from "effect"
import type { CallFailed } from "./CallFailed.ts"
import type { Replied } from "./RemoteRequests.ts"

export interface Connection {
  /** Undefined at its end. */
  readonly next: Effect.Effect<ReadonlyArray<Replied> | undefined, CallFailed>
  readonly close: Effect.Effect<void>
}

/** How long one is kept for its reader. A run that was cancelled in between has none. */
const waiting = "30 seconds"

/** A part of a stream is read at a time: nothing is buffered here. */
export const open = (
  opening: Effect.Effect<Stream.Stream<ReadonlyArray<Replied>, CallFailed>, CallFailed, Scope.Scope>
): Effect.Effect<Connection, CallFailed> =>
  Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
    const scope = yield* Scope.make()
    const close = Scope.close(scope, Exit.void)
    const pull = yield* restore(Effect.flatMap(opening, Stream.toPull)).pipe(
      Scope.provide(scope),
      Effect.onExit((exit) => exit._tag === "Failure" ? close : Effect.void)
    )
    const connection: Connection = {
      next: pull.pipe(
        Effect.map((parts): ReadonlyArray<Replied> | undefined => parts.flat()),
        Pull.catchDone(() => Effect.undefined)
      ),
      close
    }
    return connection
  }))

/** Connections between the call that opened them and their readers. */
export const make = Effect.gen(function*() {
  const kept = new Map<string, Connection>()
  const scope = yield* Effect.scope

  const take = (key: string): Connection | undefined => {
    const connection = kept.get(key)
    kept.delete(key)
    return connection
  }

  return {
    keep: Effect.fnUntraced(function*(key: string, connection: Connection) {
      kept.set(key, connection)
      const expire = Effect.suspend(() => {
        if (kept.get(key) !== connection) return Effect.void
        kept.delete(key)
        return connection.close
      })
      yield* Effect.forkIn(Effect.andThen(Effect.sleep(waiting), expire), scope)
    }),
    take
  }
})

export type Connections = Effect.Success<typeof make>
