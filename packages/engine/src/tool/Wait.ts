// The result of a tool that waits for a time. The run pauses, no node holds it, and the service answers the call when
// the time has come.
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import { Data, DateTime, Effect, type Result } from "effect"
import { now } from "../now.ts"
import type { ToolFailed } from "./Tool.ts"

export class Wait extends Data.Class<{
  /** By the time of the call, which is the same if the call is repeated after a crash. */
  readonly until: (calledAt: EpochSeconds) => Result.Result<EpochSeconds, ToolFailed>
}> {}

/** A wait that is not over. */
export class Waiting extends Data.Class<{ readonly until: EpochSeconds }> {}

/** For the model. */
export const resultOf = (until: EpochSeconds): string =>
  `Waited until ${DateTime.formatIso(DateTime.makeUnsafe(until * 1000))}`

/** Results that are no waits stay as they are. */
export const begun = (returned: unknown, calledAt: EpochSeconds): Effect.Effect<unknown, ToolFailed> =>
  returned instanceof Wait
    ? Effect.flatMap(
      Effect.fromResult(returned.until(calledAt)),
      (until) => Effect.map(now, (time) => until <= time ? resultOf(until) : new Waiting({ until }))
    )
    : Effect.succeed(returned)
