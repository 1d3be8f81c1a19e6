// The result for several clients: success, failure, or partial success.
import type { Outcome } from "../Exit.ts"

/** Manual steps are not failures, and do not make up for one. */
export const endingOf = (statuses: ReadonlyArray<string>, isGood: (status: string) => boolean): Outcome => {
  if (statuses.every((status) => status === "manual" || isGood(status))) return "ok"
  return statuses.some(isGood) ? "partial" : "failed"
}
