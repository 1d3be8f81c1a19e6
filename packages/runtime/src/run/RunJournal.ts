// The steps that a run has finished, in their order: what it goes on from after the service that executed it has stopped,
// after a pause, and on another node. What an entry says is the business of the component that wrote it.
import type { Json } from "@svc/domain"
import type { Effect } from "effect"

export interface RunJournal {
  /** Raised each time that the run changes hands: an entry that says of itself in which attempt it was written can be told
   * from those of earlier ones. */
  readonly attempt: number
  /** What was written before. Empty at the start of a run. */
  readonly entries: ReadonlyArray<Json.Object>
  /**
   * Returns when the entry is stored, together with the events up to it. It does not return in a run that has been taken
   * over by another node: that one is interrupted.
   */
  readonly record: (entry: Json.Object) => Effect.Effect<void>
}
