// Detects that standard output has no reader any more. A command that follows a run ends then.
import { Context, Effect } from "effect"
import { whenReaderGone } from "./WriteErrors.ts"

/** Resolves when output could not be written because its reader has gone, as `head` does. */
export const ReaderGone = Context.Reference<Effect.Effect<void>>("@svc-runtime/cli/terminal/ReaderGone", {
  defaultValue: () => Effect.never
})

export const ofProcess = Effect.callback<void>((resume) => {
  const takeBack = whenReaderGone(() => resume(Effect.void))
  return Effect.sync(takeBack)
})
