// The result of a command and its presentation. A command returns a document and a text; this module prints one of
// them. Failures are printed in the same way.
import { Cause, Data, Effect, type Schema } from "effect"
import { type CliError, CommandFailed } from "./CliError.ts"
import { endingOf, type Outcome } from "./Exit.ts"
import { Mode } from "./Mode.ts"
import { Output } from "./terminal/Output.ts"

export interface Answer {
  /** A command that has printed its events has no document. */
  readonly document: Schema.Json | undefined
  /** The text for people at the end. */
  readonly human: Effect.Effect<void>
  /** Default: `ok`. */
  readonly ending?: Outcome | undefined
  /** Runs if the output could not be written, and returns what it did. For results that are shown once. */
  readonly whenLost?: Effect.Effect<string> | undefined
}

/** The command has ended and its output is complete. */
export class Ended extends Data.TaggedError("Ended")<{ readonly ending: Exclude<Outcome, "ok"> }> {}

/** The document of an error. */
export const documentOf = ({ hint, message }: CommandFailed): { readonly error: string; readonly hint?: string } =>
  hint === undefined ? { error: message } : { error: message, hint }

/** The error for people. */
export const showError = Effect.fnUntraced(function*({ hint, message }: CommandFailed) {
  const output = yield* Output
  yield* output.error(message)
  if (hint !== undefined) yield* output.warn(hint)
})

const failure = Effect.fnUntraced(function*(error: CliError) {
  const output = yield* Output
  switch (error._tag) {
    case "CommandFailed": {
      if ((yield* Mode) === "json") yield* output.jsonLine({ ...documentOf(error) })
      yield* showError(error)
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

const success = Effect.fnUntraced(function*({ document, ending = "ok", human, whenLost }: Answer) {
  const output = yield* Output
  if ((yield* Mode) === "human") yield* human
  else if (document !== undefined) yield* output.print(document)
  if (whenLost !== undefined && (yield* Effect.isFailure(output.delivered))) {
    yield* output.usageError(yield* whenLost)
    return yield* new Ended({ ending: "failed" })
  }
  if (ending !== "ok") return yield* new Ended({ ending })
})

/** An unexpected error. It is a document with --json too, without details. */
const unforeseen = (cause: Cause.Cause<CliError>): CommandFailed => {
  const defect = Cause.squash(cause)
  return new CommandFailed({
    message: `Unexpected error: ${defect instanceof Error ? defect.message : String(defect)}`
  })
}

/** Runs a command for people or for a script. An interruption passes through: Ctrl-C needs no output. */
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
