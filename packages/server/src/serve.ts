// The service in one call, for those who want no Layers: it runs until a signal stops it, says in one line why it could
// not start, and ends at once on a second signal.
import { NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Layer } from "effect"
import * as Application from "./Application.ts"
import * as Logging from "./Logging.ts"

const onSecondSignal = Effect.sync(() => {
  let signals = 0
  const count = () => {
    signals++
    if (signals > 1) process.exit(130)
  }
  process.on("SIGINT", count)
  process.on("SIGTERM", count)
})

const say = <E>(cause: Cause.Cause<E>) => {
  const error = Cause.findErrorOption(cause)
  const text = error._tag === "Some" && error.value instanceof Error ? error.value.message : Cause.pretty(cause)
  return Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logFatal(`The service stops: ${text}`)
}

/** Launches an application and gives it the process. */
export const run = <E>(application: Layer.Layer<never, E>): void => {
  Effect.andThen(onSecondSignal, Layer.launch(application)).pipe(
    Effect.tapCause(say),
    Effect.provide(Logging.layer("Info")),
    NodeRuntime.runMain({ disableErrorReporting: true })
  )
}

export const serve = (options: Application.Options): void => run(Application.make(options))
