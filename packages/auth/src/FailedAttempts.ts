// Counts the tokens that were refused, by where they came from, so that guessing is slowed down. Only refusals are held
// up: a token that is good is never counted, and never blocked.
import * as BoundedCache from "./BoundedCache.ts"

interface Window {
  readonly since: number
  readonly failures: number
}

/** As many refusals as are answered as such, within so many milliseconds. */
const most = 20
const windowMillis = 60_000
const mostAddresses = 10_000

export interface FailedAttempts {
  /** Counts one more and tells whether it was one too many. `now` is in milliseconds. */
  readonly isTooMany: (address: string | undefined, now: number) => boolean
}

export const make = (): FailedAttempts => {
  const windows = BoundedCache.make<string, Window>(mostAddresses)
  return {
    isTooMany: (address = "", now) => {
      const known = windows.get(address)
      const window = known === undefined || now - known.since >= windowMillis ? { since: now, failures: 0 } : known
      windows.set(address, { since: window.since, failures: window.failures + 1 })
      return window.failures >= most
    }
  }
}
