// The errors of a command. Every command fails only with these: failures of HTTP, files or child processes are
// converted where they happen, with a hint.
import { Data } from "effect"

/** The command is valid and failed. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly message: string
  /** The next step, as a command or a setting if there is one. */
  readonly hint?: string | undefined
  /** The status of the HTTP response that caused the failure. */
  readonly status?: number | undefined
}> {}

/** The message and the hint as one text, for errors inside of a document. */
export const sentencesOf = ({ hint, message }: CommandFailed): string => {
  if (hint === undefined) return message
  return `${message}${/[.?!:]$/.test(message) ? "" : "."} ${hint}`
}

/** The command line is invalid. Reported on standard error, also with --json. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** The user left a prompt. */
export class Aborted extends Data.TaggedError("Aborted")<{}> {
  override readonly message = "Aborted."
}

export type CliError = CommandFailed | UsageError | Aborted
