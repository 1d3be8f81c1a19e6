// Detects that standard output was not written. A command whose result is shown only once must report it.
import { Context, Data, Effect } from "effect"
import { settleOutput } from "./WriteErrors.ts"

export class NotDelivered extends Data.TaggedError("NotDelivered")<{}> {}

/** Fails if a part of the output so far could not be written. */
export const Delivered = Context.Reference<Effect.Effect<void, NotDelivered>>("@svc-runtime/cli/terminal/Delivered", {
  defaultValue: () => Effect.void
})

export const ofProcess = Effect.callback<void, NotDelivered>((resume) =>
  settleOutput((failure) => resume(failure === undefined ? Effect.void : Effect.fail(new NotDelivered())))
)
