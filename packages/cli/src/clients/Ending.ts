// How a run over several clients ends: well, not at all, or for some of them.
import type { Outcome } from "../Exit.ts"

/** Steps that people have to take themselves are fine, and make up for nothing. */
export const endingOf = (statuses: ReadonlyArray<string>, isGood: (status: string) => boolean): Outcome => {
  if (statuses.every((status) => status === "manual" || isGood(status))) return "ok"
  return statuses.some(isGood) ? "partial" : "failed"
}
