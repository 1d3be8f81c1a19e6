// Whether what is idle keeps the process: connections, and processes that wait for their next use.
import { Context } from "effect"

/** A service does. A program that only runs its components ends with its last line. */
export const KeepsProcess = Context.Reference<boolean>("@svc-runtime/engine/node/KeepsProcess", {
  defaultValue: () => true
})
