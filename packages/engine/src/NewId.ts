// The source of new ids: version 4 UUIDs. A reference, so that a test can number its runs and messages.
import { Context } from "effect"

export const NewId = Context.Reference<() => string>("@svc-runtime/engine/NewId", {
  // @effect-diagnostics-next-line cryptoRandomUUID:off because each message needs an id: this is a hot path
  defaultValue: () => () => globalThis.crypto.randomUUID()
})
