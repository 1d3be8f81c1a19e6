// Turns to hold a whole content in memory and to work on it. A node has two, of different callers. One of them at most
// is for what another server has: what was uploaded never waits for what has to be fetched.
import { Effect, type Scope } from "effect"

/** Contents that a node reads and embeds at a time. */
const turns = 2

/** That of one job. */
export interface Turn {
  /** Waits for a turn, unless the job has one. */
  readonly take: Effect.Effect<void>
  readonly give: Effect.Effect<void>
  /** Takes the turn for what another server has, which it is until `fetched`. */
  readonly fetching: Effect.Effect<void>
  readonly fetched: Effect.Effect<void>
  /** Reads a part of what another server has in that turn, which is given back after it unless the job had one. */
  readonly reading: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** What a job has, or asks for: a turn, and that it is the one for servers. */
interface Held {
  turn: boolean
  server: boolean
}

interface Waiting {
  readonly caller: string
  readonly held: Held
  readonly isServer: boolean
  readonly resume: (granted: Effect.Effect<void>) => void
}

/** Makes the turn of a job of a caller, which is given back with the scope. */
export const make = (): (caller: string) => Effect.Effect<Turn, never, Scope.Scope> => {
  const busy = new Set<string>()
  let isServerTaken = false
  let waiting: ReadonlyArray<Waiting> = []

  /** Nothing is held while something else is awaited. */
  const grant = ({ caller, held, isServer }: Omit<Waiting, "resume">): boolean => {
    const isFree = held.turn || (busy.size < turns && !busy.has(caller))
    if (!isFree || (isServer && !held.server && isServerTaken)) return false
    busy.add(caller)
    held.turn = true
    if (isServer) isServerTaken = held.server = true
    return true
  }

  /** Uploads first: they do not wait for each other's servers. */
  const next = () => {
    for (
      const each of [
        ...waiting.filter(({ isServer }) => !isServer),
        ...waiting.filter(({ isServer }) => isServer)
      ]
    ) {
      if (!grant(each)) continue
      waiting = waiting.filter((other) => other !== each)
      each.resume(Effect.void)
    }
  }

  const turnOf = (caller: string): Turn => {
    const held: Held = { turn: false, server: false }
    const asking = (isServer: boolean) =>
      Effect.callback<void>((resume) => {
        const entry: Waiting = { caller, held, isServer, resume }
        waiting = [...waiting, entry]
        next()
        return Effect.sync(() => {
          waiting = waiting.filter((other) => other !== entry)
        })
      })
    const fetched = Effect.sync(() => {
      if (!held.server) return
      isServerTaken = held.server = false
      next()
    })
    const give = Effect.sync(() => {
      if (!held.turn) return
      held.turn = false
      busy.delete(caller)
      next()
    })
    const take = Effect.suspend(() => held.turn ? Effect.void : asking(false))
    const fetching = Effect.suspend(() => held.server ? Effect.void : asking(true))
    return {
      take,
      give,
      fetching,
      fetched,
      reading: (effect) =>
        Effect.suspend(() =>
          held.turn ? effect : Effect.andThen(fetching, effect).pipe(Effect.ensuring(Effect.andThen(fetched, give)))
        )
    }
  }

  return (caller) =>
    Effect.acquireRelease(
      Effect.sync(() => turnOf(caller)),
      ({ fetched, give }) => Effect.andThen(fetched, give)
    )
}

/** For jobs of a kind with as many slots as there may be turns. */
export const always: Turn = {
  take: Effect.void,
  give: Effect.void,
  fetching: Effect.void,
  fetched: Effect.void,
  reading: (effect) => effect
}
