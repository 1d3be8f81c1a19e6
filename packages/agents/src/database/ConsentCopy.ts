// A database that is added to a service does not know who has switched memory off. The service's own database does.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import { now } from "@svc-runtime/engine/now"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { Context, Effect } from "effect"

type Settings = MemorySettingsStore["Service"]

const atOnce = 1000

/** Switches memory off in a database for the users who have switched it off in another one. */
const copy = Effect.fn("ConsentCopy.copy")(function*(from: Settings, to: Settings) {
  let last: Ids.UserId | undefined
  for (;;) {
    const users = yield* from.listDisabled(last, atOnce)
    if (users.length > 0) yield* to.disable(users, yield* now)
    if (users.length < atOnce) return
    last = users.at(-1)
  }
})

/** Between the stores of two databases. */
export const between = (own: Context.Context<StoreServices>, other: Context.Context<StoreServices>) =>
  copy(Context.getUnsafe(own, MemorySettingsStore), Context.getUnsafe(other, MemorySettingsStore))
