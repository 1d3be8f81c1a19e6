// The file of `--junit`. It is written before the evaluation too, which could be killed: CI would read the results of
// an earlier one in it.
import { Effect, FileSystem, Option, Path, type PlatformError } from "effect"
import { CommandFailed } from "../CliError.ts"
import { Environment } from "../Environment.ts"
import { inWords } from "../FileError.ts"

/** Enough to see what a file is. */
const headBytes = 64

const unwritable = (file: string, reason: string, hint?: string) =>
  new CommandFailed({ message: `Could not write ${file}: ${reason}`, hint })

/** Its beginning without white space; empty if it cannot be read. */
const headOf = Effect.fnUntraced(
  function*(path: string) {
    const files = yield* FileSystem.FileSystem
    const bytes = yield* (yield* files.open(path)).readAlloc(headBytes)
    return Option.match(bytes, { onNone: () => "", onSome: (bytes) => new TextDecoder().decode(bytes).trimStart() })
  },
  Effect.scoped,
  Effect.orElseSucceed(() => "")
)

export interface JUnitFile {
  readonly write: (text: string) => Effect.Effect<void, CommandFailed>
  /** Writes what is replaced later. */
  readonly writeForNow: (text: string) => Effect.Effect<void, CommandFailed>
}

/** Fails if the file cannot be written. */
export const open = Effect.fn("JUnitFile.open")(function*(file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Environment
  const target = path.resolve(cwd, file)
  const refused = (error: PlatformError.PlatformError) => unwritable(file, inWords(error))
  const write = (text: string) => Effect.mapError(files.writeFileString(target, text), refused)
  const type = Option.map(yield* Effect.option(files.stat(target)), ({ type }) => type)
  const isFile = Option.contains(type, "File")
  if (isFile && !/^(<|$)/.test(yield* headOf(target))) {
    return yield* unwritable(file, "it exists, and is not XML", "Name another file, or remove it.")
  }
  // a device or a pipe would get several documents
  const isReplaceable = Option.isNone(type) || isFile || Option.contains(type, "Directory")
  if (!isReplaceable) yield* Effect.mapError(files.access(target, { writable: true }), refused)
  const opened: JUnitFile = { write, writeForNow: isReplaceable ? write : () => Effect.void }
  return opened
})

/** The reports of an evaluation without a JUnit file. */
export const none: JUnitFile = { write: () => Effect.void, writeForNow: () => Effect.void }
