// Detects the end of standard output. A command that follows a run ends when the reader of its output has gone, and a
// command whose result is shown only once must report that it was not written.
import { Context, Data, Effect, Layer } from "effect"
import { settleOutput, whenReaderGone } from "./WriteErrors.ts"

class NotDelivered extends Data.TaggedError("NotDelivered")<{}> {}

export interface OutputEnds {
  /** Resolves when output could not be written because its reader has gone, as `head` does. */
  readonly gone: Effect.Effect<void>
  /** Fails if a part of the output so far could not be written. */
  readonly delivered: Effect.Effect<void, NotDelivered>
}

export class OutputReader extends Context.Service<OutputReader, OutputEnds>()(
  "@svc-runtime/cli/terminal/OutputReader"
) {}

export const layer: Layer.Layer<OutputReader> = Layer.succeed(OutputReader, {
  gone: Effect.callback<void>((resume) => {
    const takeBack = whenReaderGone(() => resume(Effect.void))
    return Effect.sync(takeBack)
  }),
  delivered: Effect.callback<void, NotDelivered>((resume) =>
    settleOutput((failure) => resume(failure === undefined ? Effect.void : Effect.fail(new NotDelivered())))
  )
})
