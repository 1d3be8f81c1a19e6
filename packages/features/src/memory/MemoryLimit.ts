// How many memories the service keeps of one user (MAX_MEMORIES_PER_USER).
import { Context } from "effect"

export const defaultMemoryLimit = 1000

export const MemoryLimit = Context.Reference<number>("@svc-runtime/features/memory/MemoryLimit", {
  defaultValue: () => defaultMemoryLimit
})
