// Counts the tokens that were refused, by where they came from, so that guessing is slowed down. Only refusals are held
// up: a token that is good is never counted, and never blocked.
import * as BoundedCache from "./BoundedCache.ts"

/** As many refusals as are answered as such, within any so many milliseconds. */
const maxAttempts = 20
const windowMillis = 60_000
const maxAddresses = 10_000

export interface FailedAttempts {
  /** Counts one more, unless it is one too many. `now` is in milliseconds. */
  readonly isTooMany: (address: string | undefined, now: number) => boolean
}

export const make = (): FailedAttempts => {
  /** The moments of the last refusals. Those that were too many are not among them, or they would never end. */
  const refused = BoundedCache.make<string, ReadonlyArray<number>>(maxAddresses)
  return {
    isTooMany: (address = "", now) => {
      const recent = (refused.get(address) ?? []).filter((moment) => now - moment < windowMillis)
      if (recent.length >= maxAttempts) return true
      refused.set(address, [...recent, now])
      return false
    }
  }
}
