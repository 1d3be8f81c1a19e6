// Cancel requests. A request for an unknown run is kept for a while: a client that chose the run's id can cancel before
// its first request arrives.
import type * as Run from "@svc-runtime/domain/Run"

export interface Cancellation {
  /**
   * Undefined without a cancel request. It is set before the run is interrupted, so that the run can give the reason.
   */
  reason: string | undefined
  /** A time limit cancels the run: its request to a model is an error then. */
  isLate?: boolean
}

/** The cancellation of a part of the run. The part is also cancelled with the run. */
export const inside = (outer: Cancellation): Cancellation => {
  let own: string | undefined
  return {
    get reason() {
      return outer.reason ?? own
    },
    set reason(reason) {
      own = reason
    }
  }
}

export const reasonOf = (run: Run.Id): string => `Run ${run} was cancelled`

/** More than any client needs. Above it the oldest requests are dropped. */
const maxEarlyCancels = 1000

export interface EarlyCancels {
  readonly add: (run: Run.Id) => void
  /** Whether there was a request. It is removed. */
  readonly take: (run: Run.Id) => boolean
}

export const makeEarlyCancels = (): EarlyCancels => {
  const wanted = new Set<Run.Id>()
  return {
    add: (run) => {
      wanted.delete(run)
      wanted.add(run)
      if (wanted.size <= maxEarlyCancels) return
      for (const oldest of wanted) {
        wanted.delete(oldest)
        return
      }
    },
    take: (run) => wanted.delete(run)
  }
}
