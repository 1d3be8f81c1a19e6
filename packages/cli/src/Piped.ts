// Standard input.
import { Effect, Stdio, Stream } from "effect"
import { CommandFailed } from "./CliError.ts"
import { inWords } from "./FileError.ts"

const decoder = new TextDecoder()

/** The text on standard input, unless it is a terminal. */
export const piped = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  if (yield* stdio.stdinIsTerminal) return ""
  const pieces = yield* Stream.runCollect(stdio.stdin)
  return pieces.map((bytes) => decoder.decode(bytes, { stream: true })).join("") + decoder.decode()
}).pipe(
  Effect.mapError((error) => new CommandFailed({ message: `Could not read standard input: ${inWords(error)}` }))
)
