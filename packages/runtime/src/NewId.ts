// Where new ids come from: version 4 UUIDs. A reference, so that a test can number its runs and messages.
import { Context } from "effect"

export const NewId = Context.Reference<() => string>("@svc/runtime/NewId", {
  defaultValue: () => () => globalThis.crypto.randomUUID()
})
