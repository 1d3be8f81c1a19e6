// What a command gives back, and how it is shown. A command neither knows nor cares whether a person or a machine reads its
// answer: it says its document and what people are shown, and this writes the one or the other. Failures go the same way.
import { Cause, Data, Effect, type Schema } from "effect"
import { type CliError, CommandFailed } from "./CliError.ts"
import { endingOf, type Outcome } from "./Exit.ts"
import { Mode } from "./Mode.ts"
import { Output } from "./Output.ts"

export interface Answer {
  readonly document: Schema.Json
  /** What people see at the end, beside what they saw meanwhile. */
  readonly human: Effect.Effect<void>
  /** `ok` when left out. */
  readonly ending?: Outcome | undefined
}

/** The run is over and everything about it has been said. */
export class Ended extends Data.TaggedError("Ended")<{ readonly ending: Exclude<Outcome, "ok"> }> {}

const documentOf = ({ hint, message }: CommandFailed): Schema.Json =>
  hint === undefined ? { error: message } : { error: message, hint }

const failure = Effect.fnUntraced(function*(error: CliError) {
  const output = yield* Output
  switch (error._tag) {
    case "CommandFailed": {
      if ((yield* Mode) === "json") yield* output.print(documentOf(error))
      yield* output.error(error.message)
      if (error.hint !== undefined) yield* output.warn(error.hint)
      break
    }
    case "Aborted":
      yield* output.usageError(error.message)
      break
    case "UsageError":
      yield* output.usageError(`${error.message}\nRun the command with --help to see how it is used.`)
  }
  const ending = endingOf(error)
  if (ending !== "ok") return yield* new Ended({ ending })
})

const success = Effect.fnUntraced(function*({ document, ending = "ok", human }: Answer) {
  const output = yield* Output
  yield* (yield* Mode) === "json" ? output.print(document) : human
  if (ending !== "ok") return yield* new Ended({ ending })
})

/** What nobody thought of. It is an error for a machine too, and the details stay out of its document. */
const unforeseen = (cause: Cause.Cause<CliError>): CommandFailed => {
  const defect = Cause.squash(cause)
  return new CommandFailed({
    message: `Something went wrong that should not: ${defect instanceof Error ? defect.message : String(defect)}`
  })
}

/** Runs a command for people or for a machine. Interruption passes: whoever presses Ctrl-C wants no answer. */
export const present = <R>(
  json: boolean,
  command: Effect.Effect<Answer, CliError, R>
): Effect.Effect<void, Ended, R | Output> =>
  command.pipe(
    Effect.catchCauseIf(Cause.hasDies, (cause) => Effect.fail(unforeseen(cause))),
    Effect.flatMap(success),
    Effect.catchTags({ CommandFailed: failure, UsageError: failure, Aborted: failure }),
    Effect.provideService(Mode, json ? "json" : "human")
  )
