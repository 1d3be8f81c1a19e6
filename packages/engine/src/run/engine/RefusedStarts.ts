// Counts the runs that are refused because of a limit.
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Effect } from "effect"
import type { LimitReached } from "../RunErrors.ts"
import { RunStore } from "../store/RunStore.ts"

/** The store, with refusals counted. */
export const counting = Effect.gen(function*() {
  const store = yield* RunStore
  const { runRefused } = yield* Instruments
  const count = ({ name, scope }: LimitReached) => Effect.sync(() => runRefused(scope, name))
  return RunStore.of({
    ...store,
    create: (newRun) => Effect.tapErrorTag(store.create(newRun), "LimitReached", count),
    resume: (resumption) => Effect.tapErrorTag(store.resume(resumption), "LimitReached", count)
  })
})
