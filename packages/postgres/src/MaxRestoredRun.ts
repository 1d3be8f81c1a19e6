// The maximum size of a run that is read to be resumed: reading takes several times as much memory.
import { Context } from "effect"

export const MaxRestoredRun = Context.Reference<number>("@svc-runtime/postgres/MaxRestoredRun", {
  defaultValue: () => 256 * 1024 * 1024
})
