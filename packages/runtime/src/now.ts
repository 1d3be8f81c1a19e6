// The moment at which something happens to a run or a session.
import * as Time from "@svc/domain/Time"
import { Clock, Effect } from "effect"

/** Epoch seconds. */
export const now: Effect.Effect<Time.EpochSeconds> = Effect.map(Clock.currentTimeMillis, Time.fromMillis)
