// Runs that were executing when this process last stopped resume from their last finished step. They are restored
// beside the first requests: until then they are shown as stored, running.
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Cause, Effect, Layer } from "effect"

/** An unavailable database does not stop the start: the engine retries until it is back. */
const recover = Effect.gen(function*() {
  const engine = yield* RunEngine
  const count = yield* engine.recover
  if (count > 0) yield* Effect.logInfo(`${count} unfinished run(s) are resumed`)
}).pipe(
  Effect.catchCause((cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Effect.logError("Unfinished runs could not be acquired; retrying", cause)
  ),
  LogPart.inPart("runs")
)

/** Waits until the service responds to requests. */
const headStart = "250 millis"

export const layer = Layer.effectDiscard(Effect.forkScoped(Effect.delay(recover, headStart)))
