// Counts rejected tokens by address, to slow down guessing. A valid token is never counted and never blocked.
import { currentWorker, shareOf } from "@svc-runtime/domain/Worker"
import { Effect } from "effect"
import * as BoundedCache from "./BoundedCache.ts"

/** The number of normal rejections within a time window in milliseconds. */
const maxAttempts = 20
const windowMillis = 60_000
const maxAddresses = 10_000

export interface FailedAttempts {
  /** Whether the limit is reached. It counts nothing: for secrets that are refused then, though they are right. */
  readonly isBlocked: (address: string | undefined, now: number) => boolean
  /** Counts one more, unless the limit is reached. `now` is in milliseconds. */
  readonly isTooMany: (address: string | undefined, now: number) => boolean
}

/** The share of this process: an attacker can reach all workers, which count apart. */
export const share = (most = maxAttempts): Effect.Effect<FailedAttempts> =>
  Effect.map(currentWorker, (worker) => make(shareOf(worker, most)))

export const make = (most = maxAttempts): FailedAttempts => {
  /** The times of the last rejections. Those over the limit are not recorded, otherwise the block would never end. */
  const refused = BoundedCache.make<string, ReadonlyArray<number>>(maxAddresses)
  const recentOf = (address: string, now: number) =>
    (refused.get(address) ?? []).filter((moment) => now - moment < windowMillis)
  return {
    isBlocked: (address = "", now) => recentOf(address, now).length >= most,
    isTooMany: (address = "", now) => {
      const recent = recentOf(address, now)
      if (recent.length >= most) return true
      refused.set(address, [...recent, now])
      return false
    }
  }
}
