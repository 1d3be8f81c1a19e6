// The maximum size of a run that is read to be resumed: reading takes several times as much memory.
import { Context } from "effect"

export const LargestRun = Context.Reference<number>("@svc/storage/LargestRun", {
  defaultValue: () => 256 * 1024 * 1024
})
