// Turns to hold a whole content in memory and to work on it. Uploads and what URLs have share two turns of a node. One
// of them at most waits for another server: what was uploaded never waits for what has to be fetched.
import { Effect, type Scope, Semaphore } from "effect"

/** Contents that a node reads and embeds at a time. */
const turns = 2

/** That of one job. */
export interface Turn {
  /** Waits for a turn, unless the job has one. */
  readonly take: Effect.Effect<void>
  readonly give: Effect.Effect<void>
  /** Takes a turn for what another server has: a job of a node at a time, until `fetched`. */
  readonly fetching: Effect.Effect<void>
  readonly fetched: Effect.Effect<void>
}

/** A permit that can be taken twice, and is taken once. */
const permitOf = (semaphore: Semaphore.Semaphore) => {
  let isHeld = false
  const take = Effect.uninterruptibleMask((restore) =>
    isHeld ? Effect.void : Effect.map(restore(semaphore.take(1)), () => {
      isHeld = true
    })
  )
  const give = Effect.suspend(() => {
    if (!isHeld) return Effect.void
    isHeld = false
    return Effect.asVoid(semaphore.release(1))
  })
  return { give, take: Effect.suspend(() => take) }
}

/** Makes the turn of a job, which is given back with the scope. */
export const make = (): Effect.Effect<Turn, never, Scope.Scope> => {
  const [all, servers] = [Semaphore.makeUnsafe(turns), Semaphore.makeUnsafe(1)]
  return Effect.acquireRelease(
    Effect.sync((): Turn => {
      const [turn, server] = [permitOf(all), permitOf(servers)]
      return {
        take: turn.take,
        give: turn.give,
        fetching: Effect.andThen(server.take, turn.take),
        fetched: server.give
      }
    }),
    ({ fetched, give }) => Effect.andThen(fetched, give)
  )
}

/** For jobs of a kind with as many slots as there may be turns. */
export const always: Turn = { take: Effect.void, give: Effect.void, fetching: Effect.void, fetched: Effect.void }
