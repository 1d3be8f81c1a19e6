// Bytes of request bodies that may be in memory at once. A request that does not fit waits for its turn, in order of
// arrival, and is refused when its turn does not come in time.
import { type Duration, Effect } from "effect"

interface Waiter {
  readonly bytes: number
  readonly grant: () => void
}

export interface ByteBudget {
  /** How many bytes are taken. */
  readonly taken: () => number
  /** Takes bytes. Fails with `late` when they are not free in time. One request never takes more than there are. */
  readonly take: <E>(bytes: number, late: () => Effect.Effect<never, E>) => Effect.Effect<void, E>
  /** Takes bytes that are in memory already, even if there are not so many. Others wait until they are released. */
  readonly occupy: (bytes: number) => void
  readonly release: (bytes: number) => void
}

export const make = (total: number, patience: Duration.Input): ByteBudget => {
  let taken = 0
  const queue: Array<Waiter> = []
  const within = (bytes: number) => Math.min(bytes, total)

  const grantNext = () => {
    for (let next = queue[0]; next !== undefined && taken + next.bytes <= total; next = queue[0]) {
      queue.shift()
      taken += next.bytes
      next.grant()
    }
  }

  const release = (bytes: number) => {
    taken -= within(bytes)
    grantNext()
  }

  const wait = (bytes: number) =>
    Effect.callback<void>((resume) => {
      let isGranted = false
      const waiter: Waiter = {
        bytes: within(bytes),
        grant: () => {
          isGranted = true
          resume(Effect.void)
        }
      }
      queue.push(waiter)
      grantNext()
      // Runs when the wait is interrupted, which may happen after the bytes were granted.
      return Effect.sync(() => {
        if (isGranted) return release(bytes)
        queue.splice(queue.indexOf(waiter), 1)
        grantNext()
      })
    })

  return {
    taken: () => taken,
    take: (bytes, late) => Effect.timeoutOrElse(wait(bytes), { duration: patience, orElse: late }),
    occupy: (bytes) => {
      taken += within(bytes)
    },
    release
  }
}
