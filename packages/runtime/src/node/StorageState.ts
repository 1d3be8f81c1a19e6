// Whether the database answers the background loops. Its loss is logged once, when the first loop gets no answer, and
// its return once, when all loops get answers again.
import * as LogPart from "@svc/telemetry/LogPart"
import { type Cause, Clock, Effect } from "effect"

export interface StorageState {
  readonly failed: (loop: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly answered: (loop: string) => Effect.Effect<void>
  readonly isAway: () => boolean
}

const aboutDatabase = LogPart.inPart("database")

export const make = (): StorageState => {
  const unanswered = new Set<string>()
  let since = 0
  return {
    isAway: () => unanswered.size > 0,
    failed: (loop, cause) =>
      Effect.flatMap(Clock.currentTimeMillis, (time) => {
        const isKnown = unanswered.size > 0
        unanswered.add(loop)
        if (isKnown) return Effect.void
        since = time
        return aboutDatabase(Effect.logError(
          "The database does not answer. Runs wait until it is back, and new ones are refused",
          cause
        ))
      }),
    answered: (loop) =>
      Effect.suspend(() => {
        if (!unanswered.delete(loop) || unanswered.size > 0) return Effect.void
        return Effect.flatMap(
          Clock.currentTimeMillis,
          (time) =>
            aboutDatabase(Effect.logInfo(`The database answers again after ${Math.round((time - since) / 1000)} s`))
        )
      })
  }
}
