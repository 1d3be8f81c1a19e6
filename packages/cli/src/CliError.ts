// Why a run ends without what was asked for. Every command fails with one of these and nothing else: what comes from HTTP,
// from files or from child processes is told in these words where it happens, with a hint that says what to do next.
import { Data } from "effect"

/** The command was understood and could not be done. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly message: string
  /** What to do next, as a command or a setting wherever there is one. */
  readonly hint?: string | undefined
}> {}

/** The command line itself is wrong. Said on standard error, even to a machine. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** Somebody left at a prompt. */
export class Aborted extends Data.TaggedError("Aborted")<{}> {
  override readonly message = "Aborted."
}

export type CliError = CommandFailed | UsageError | Aborted
