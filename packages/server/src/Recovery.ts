// What was running when this process last stopped without a word has ended with it. Its runs are closed before the first
// request is answered, so that none of them is shown as running for ever.
import { now, RunStore } from "@svc/runtime"
import { Effect, Layer } from "effect"
import { hostname } from "node:os"
import type { Config } from "./Config.ts"

/** The same after a restart, and different for two processes that share a database. */
export const nodeName = (config: Config): string => config.node ?? `${hostname()}:${config.port}`

export const layer = (node: string) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const runs = yield* RunStore
    const ended = yield* runs.endAbandoned(node, yield* now)
    if (ended > 0) yield* Effect.logWarning(`${ended} run(s) had not finished when the service last stopped`)
  }))
