// What was running when this process last stopped goes on, from the last step that was finished. It is in hand before the
// first request is answered, so that whoever asks for a run finds it as it is.
import { RunEngine } from "@svc/runtime"
import { Effect, Layer } from "effect"
import { hostname } from "node:os"
import type { Config } from "./Config.ts"

/** The same after a restart, and different for two processes that share a database. */
export const nodeName = (config: Config): string => config.node ?? `${hostname()}:${config.port}`

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const engine = yield* RunEngine
  const count = yield* engine.recover
  if (count > 0) yield* Effect.logInfo(`${count} run(s) had not finished when the service last stopped, and go on`)
}))
