// How many sockets are open: in all, and of one caller. A socket counts for its address until it has authenticated, and
// for its user from then on, so that users behind one proxy do not share a limit.
import { Data, Effect, type Scope } from "effect"

export interface PermitLimits {
  readonly sockets: number
  readonly socketsPerCaller: number
}

/** The setting of the reached limit. */
export class SocketsFull extends Data.TaggedError("SocketsFull")<{
  readonly setting: "MAX_SOCKETS" | "MAX_SOCKETS_PER_CALLER"
  readonly limit: number
}> {
  override get message() {
    return this.setting === "MAX_SOCKETS"
      ? `The service has ${this.limit} open sockets, and MAX_SOCKETS allows no more. Try again later`
      : `The caller has ${this.limit} open sockets, and MAX_SOCKETS_PER_CALLER allows no more. Close one first`
  }
}

export interface Permit {
  /** For whom the socket counts. */
  readonly caller: () => string
  /** From now on the socket counts for this caller. */
  readonly countFor: (caller: string) => Effect.Effect<void, SocketsFull>
}

export interface SocketPermits {
  /** Held until the scope is closed. */
  readonly acquire: (caller: string) => Effect.Effect<Permit, SocketsFull, Scope.Scope>
}

export const make = ({ sockets, socketsPerCaller }: PermitLimits): SocketPermits => {
  const counts = new Map<string, number>()
  let total = 0

  const leave = (caller: string) => {
    const rest = (counts.get(caller) ?? 1) - 1
    if (rest === 0) counts.delete(caller)
    else counts.set(caller, rest)
  }

  const enter = (caller: string): SocketsFull | undefined => {
    const count = counts.get(caller) ?? 0
    if (count >= socketsPerCaller) {
      return new SocketsFull({ setting: "MAX_SOCKETS_PER_CALLER", limit: socketsPerCaller })
    }
    counts.set(caller, count + 1)
    return undefined
  }

  const open = (first: string) =>
    Effect.suspend(() => {
      if (total >= sockets) return Effect.fail(new SocketsFull({ setting: "MAX_SOCKETS", limit: sockets }))
      const full = enter(first)
      if (full !== undefined) return Effect.fail(full)
      total += 1
      const held = { caller: first }
      const countFor = (caller: string) =>
        Effect.suspend(() => {
          if (caller === held.caller) return Effect.void
          const full = enter(caller)
          if (full !== undefined) return Effect.fail(full)
          leave(held.caller)
          held.caller = caller
          return Effect.void
        })
      return Effect.succeed({ held, caller: () => held.caller, countFor })
    })

  return {
    acquire: (caller) =>
      Effect.acquireRelease(open(caller), ({ held }) =>
        Effect.sync(() => {
          total -= 1
          leave(held.caller)
        }))
  }
}
