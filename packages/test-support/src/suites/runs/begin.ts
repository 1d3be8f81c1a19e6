import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect } from "effect"
import { newRun } from "../Samples.ts"

/** Accepts a run, in a session of its own unless `fields` name one. */
export const begin = Effect.fnUntraced(function*(fields: Partial<NewRun> = {}) {
  const begun = newRun(fields)
  yield* RunStore.use((runs) => runs.create(begun))
  return begun
})
