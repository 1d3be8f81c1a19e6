// Counts the tokens that were refused, by where they came from, so that guessing is slowed down. Only refusals are held
// up: a token that is good is never counted, and never blocked.
import * as BoundedCache from "./BoundedCache.ts"

/** As many refusals as are answered as such, within any so many milliseconds. */
const most = 20
const windowMillis = 60_000
const mostAddresses = 10_000

export interface FailedAttempts {
  /** Counts one more and tells whether it was one too many. `now` is in milliseconds. */
  readonly isTooMany: (address: string | undefined, now: number) => boolean
}

export const make = (): FailedAttempts => {
  /** The moments of the last refusals, those that were too many among them. */
  const refused = BoundedCache.make<string, ReadonlyArray<number>>(mostAddresses)
  return {
    isTooMany: (address = "", now) => {
      const recent = (refused.get(address) ?? []).filter((moment) => now - moment < windowMillis)
      refused.set(address, [...recent, now].slice(-most))
      return recent.length >= most
    }
  }
}
