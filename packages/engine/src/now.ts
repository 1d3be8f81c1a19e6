// The current time, for runs and sessions.
import * as Time from "@svc-runtime/domain/Time"
import { Clock, Effect } from "effect"

/** Epoch seconds. */
export const now: Effect.Effect<Time.EpochSeconds> = Effect.map(Clock.currentTimeMillis, Time.fromMillis)
