// Limits the bytes in memory, in total and for each caller. A request without room waits in order of arrival, and is
// refused after a time limit. A caller without room does not delay others.
import { type Duration, Effect } from "effect"

interface Waiter {
  readonly caller: string
  readonly bytes: number
  readonly already: number
  readonly grant: () => void
}

export interface Options {
  readonly total: number
  /**
   * Of one caller, by the bytes that all others hold. One request may take more when its caller holds nothing else.
   */
  readonly share: (others: number) => number
  /** How long a request waits. */
  readonly timeout: Duration.Input
}

/** What the requests of a connection hold. */
export interface Held {
  readonly caller: string
  readonly bytes: number
}

/** A request has its share, and waits because others hold the bytes. */
export interface Shortage {
  readonly caller: string
  /** What its caller holds. */
  readonly held: number
  /** What is missing. */
  readonly bytes: number
}

export interface ByteBudget {
  readonly total: number
  /** How many bytes are taken. */
  readonly taken: () => number
  readonly heldBy: (caller: string) => number
  /** Notes of which connection bytes are that are taken. A negative number takes the note back. */
  readonly note: (connection: object, caller: string, bytes: number) => void
  readonly heldFor: (connection: object) => Held | undefined
  readonly shortage: () => Shortage | undefined
  /** A request of this caller would wait now, however few bytes it takes. */
  readonly isFull: (caller: string) => boolean
  /** Takes bytes. Fails with `late` when they are not free in time. One request never takes more than there are. */
  readonly take: <E>(
    caller: string,
    bytes: number,
    late: () => Effect.Effect<never, E>,
    /** Bytes that the same request holds. */
    already?: number
  ) => Effect.Effect<void, E>
  /** Takes bytes that are in memory already, even above the limit. Other requests wait until they are released. */
  readonly occupy: (caller: string, bytes: number) => void
  readonly release: (caller: string, bytes: number) => void
}

export const make = ({ timeout, share, total }: Options): ByteBudget => {
  let taken = 0
  const held = new Map<string, number>()
  const connections = new WeakMap<object, Held>()
  const queue: Array<Waiter> = []
  const within = (bytes: number) => Math.min(bytes, total)
  const heldBy = (caller: string): number => held.get(caller) ?? 0

  const occupy = (caller: string, bytes: number) => {
    taken += within(bytes)
    held.set(caller, heldBy(caller) + within(bytes))
  }

  type Wanted = Omit<Waiter, "grant">

  const hasShare = ({ already, bytes, caller }: Wanted): boolean => {
    const own = heldBy(caller)
    return own <= within(already) || own + bytes <= share(taken - own)
  }

  /** One request alone never waits for more than there is. */
  const hasRoom = ({ already, bytes }: Wanted): boolean => taken <= within(already) || taken + bytes <= total

  const grantNext = () => {
    const isBlocked = new Set<string>()
    for (let place = 0; place < queue.length;) {
      const waiter = queue[place]
      if (waiter === undefined) return
      if (isBlocked.has(waiter.caller) || !hasShare(waiter)) {
        // later requests of this caller keep their order
        isBlocked.add(waiter.caller)
        place++
        continue
      }
      // a large request is next, so that small ones do not overtake it forever
      if (!hasRoom(waiter)) return
      queue.splice(place, 1)
      occupy(waiter.caller, waiter.bytes)
      waiter.grant()
    }
  }

  const release = (caller: string, bytes: number) => {
    taken -= within(bytes)
    const rest = heldBy(caller) - within(bytes)
    if (rest <= 0) held.delete(caller)
    else held.set(caller, rest)
    grantNext()
  }

  const wait = (caller: string, bytes: number, already: number) =>
    Effect.callback<void>((resume) => {
      let isGranted = false
      const waiter: Waiter = {
        caller,
        bytes: within(bytes),
        already,
        grant: () => {
          isGranted = true
          resume(Effect.void)
        }
      }
      queue.push(waiter)
      grantNext()
      // Runs when the wait is interrupted, which may happen after the bytes were granted.
      return Effect.sync(() => {
        if (isGranted) return release(caller, bytes)
        queue.splice(queue.indexOf(waiter), 1)
        grantNext()
      })
    })

  /** The queue gives bytes to requests as soon as they have them, so the first one with a share has no room. */
  const shortage = (): Shortage | undefined => {
    const waiter = queue.find(hasShare)
    return waiter === undefined
      ? undefined
      : { caller: waiter.caller, held: heldBy(waiter.caller), bytes: taken + waiter.bytes - total }
  }

  return {
    total,
    taken: () => taken,
    heldBy,
    note: (connection, caller, bytes) =>
      void connections.set(connection, { caller, bytes: (connections.get(connection)?.bytes ?? 0) + bytes }),
    heldFor: (connection) => connections.get(connection),
    shortage,
    isFull: (caller) => {
      const least = { caller, bytes: 0, already: 0 }
      return !hasShare(least) || !hasRoom(least)
    },
    take: (caller, bytes, late, already = 0) =>
      Effect.timeoutOrElse(wait(caller, bytes, already), { duration: timeout, orElse: late }),
    occupy,
    release
  }
}
