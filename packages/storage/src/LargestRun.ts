// The bytes of a run beyond which it is not read to go on with it: reading it would take several times as much memory.
import { Context } from "effect"

export const LargestRun = Context.Reference<number>("@svc/storage/LargestRun", {
  defaultValue: () => 256 * 1024 * 1024
})
