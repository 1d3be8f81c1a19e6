// Whether the database replies to the background loops. Its loss is logged once, when the first loop gets no reply, and
// its return once, when all loops get replies again. The return is a warning too, so that LOG_LEVEL=warn shows it.
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { type Cause, Clock, Effect } from "effect"

export interface StorageState {
  readonly failed: (loop: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly replied: (loop: string) => Effect.Effect<void>
  readonly isAway: () => boolean
}

const aboutDatabase = LogPart.inPart("database")

export const make = (): StorageState => {
  const silent = new Set<string>()
  let since = 0
  return {
    isAway: () => silent.size > 0,
    failed: (loop, cause) =>
      Effect.flatMap(Clock.currentTimeMillis, (time) => {
        const isKnown = silent.size > 0
        silent.add(loop)
        if (isKnown) return Effect.void
        since = time
        return aboutDatabase(Effect.logError(
          "The database does not reply. Runs wait until it is back, and new ones are refused",
          cause
        ))
      }),
    replied: (loop) =>
      Effect.suspend(() => {
        if (!silent.delete(loop) || silent.size > 0) return Effect.void
        return Effect.flatMap(
          Clock.currentTimeMillis,
          (time) =>
            aboutDatabase(Effect.logWarning(`The database replies again after ${Math.round((time - since) / 1000)} s`))
        )
      })
  }
}
