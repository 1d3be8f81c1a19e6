// The config file of a client: reads, inserts and removes entries. A file that cannot be parsed is rejected for
// writing, and treated as empty for reading.
import { Data, Effect, FileSystem, Path, type PlatformError, Result, Schedule } from "effect"
import { CommandFailed } from "../CliError.ts"
import { inWords, isFull } from "../FileError.ts"
import * as AtomicFile from "./AtomicFile.ts"
import { type EditRejected, type Entries, type EntryFormat, type EntryLocation, malformed } from "./text/EntryFormat.ts"

/** A table of entries in a file. */
export interface Table {
  readonly file: string
  readonly place: EntryLocation
  readonly format: Effect.Effect<EntryFormat>
}

const noEntries: Entries = {}
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()
const byteOrderMark = "\uFEFF"

/** The text, and the byte order mark before it. */
interface Content {
  readonly mark: string
  readonly text: string
}

const decode = (bytes: Uint8Array): Result.Result<Content, string> =>
  Result.try({
    try: () => {
      const text = decoder.decode(bytes)
      return text.startsWith(byteOrderMark)
        ? { mark: byteOrderMark, text: text.slice(1) }
        : { mark: "", text }
    },
    catch: () => "it is not UTF-8"
  })

const refused = (file: string, { problem, why }: EditRejected, isRemoval: boolean): CommandFailed => {
  if (why === "malformed") {
    return new CommandFailed({
      message: `Refusing to modify ${file}: ${problem}`,
      hint: "Mend the file or move it away, then run this again."
    })
  }
  return isRemoval
    ? new CommandFailed({ message: `${file} has an unsupported TOML layout`, hint: "Remove the entry in an editor." })
    : new CommandFailed({
      message: `Refusing to write ${file}: ${problem}`,
      hint: "Its entries cannot be edited safely in this layout: give each one a table of its own."
    })
}

const unreadable = (file: string) => (error: PlatformError.PlatformError) =>
  new CommandFailed({ message: `Refusing to modify ${file}: it cannot be read (${inWords(error)})` })

const unwritable = (file: string) => (error: PlatformError.PlatformError) =>
  new CommandFailed({
    message: `Could not write ${file}: ${inWords(error)}`,
    hint: isFull(error)
      ? "Make room on the disk, then run this again."
      : "See whether its directory exists and may be written to."
  })

/** The entries of a table. Fails if the file cannot be parsed. */
export const read = Effect.fn("ConfigFile.read")(function*({ file, format, place }: Table) {
  const bytes = yield* Effect.mapError(AtomicFile.current(file), unreadable(file))
  if (bytes === undefined) return noEntries
  const { entries: entriesOf } = yield* format
  const entries = Result.flatMap(decode(bytes), ({ text }) => entriesOf(text, place))
  return yield* Effect.fromResult(Result.mapError(entries, (problem) => refused(file, malformed(problem), false)))
})

/** The entries of a table; none if the file cannot be parsed. */
export const peek = (table: Table) => Effect.catch(read(table), () => Effect.succeed(noEntries))

interface Edit {
  readonly table: Table
  readonly change: (text: string) => Result.Result<string, EditRejected>
  /** The text of a missing file; undefined without an entry to write. */
  readonly fresh: string | undefined
  readonly isSecret: boolean
}

/** The new bytes of a file; undefined if it need not exist. */
const changed = Effect.fnUntraced(function*({ change, fresh, table: { file } }: Edit, bytes: Uint8Array | undefined) {
  if (bytes === undefined) return fresh === undefined ? undefined : encoder.encode(fresh)
  const refuse = (refusal: EditRejected) => refused(file, refusal, fresh === undefined)
  const { mark, text } = yield* Effect.fromResult(
    Result.mapError(decode(bytes), (problem) => refuse(malformed(problem)))
  )
  const edited = yield* Effect.fromResult(Result.mapError(change(text), refuse))
  return encoder.encode(`${mark}${edited}`)
})

/** The content of a file before and after an edit. */
interface Edited {
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
}

const attempt = Effect.fnUntraced(function*(edit: Edit) {
  const { isSecret, table: { file } } = edit
  const before = yield* Effect.mapError(AtomicFile.current(file), unreadable(file))
  const after = yield* changed(edit, before)
  if (after !== undefined) {
    yield* Effect.catchTag(
      AtomicFile.replace({ path: file, bytes: after, expected: before, isSecret }),
      "PlatformError",
      (error) => Effect.fail(unwritable(file)(error))
    )
  }
  return { before, after } satisfies Edited
})

/** Clients write these files too: an edit with a concurrent change is repeated on the new content. */
const edit = (wanted: Edit) =>
  attempt(wanted).pipe(
    Effect.retry({
      schedule: Schedule.exponential("10 millis").pipe(Schedule.jittered),
      times: 6,
      while: (error) => error._tag === "FileChanged"
    }),
    Effect.catchTag("FileChanged", ({ path }) =>
      Effect.fail(
        new CommandFailed({
          message: `Could not write ${path}: another program keeps writing it`,
          hint: "Close the client that it belongs to and run this again."
        })
      ))
  )

export const remove = Effect.fn("ConfigFile.remove")(function*(
  table: Table,
  ...names: ReadonlyArray<string>
) {
  const format = yield* table.format
  yield* edit({
    table,
    change: (text) => format.remove(text, table.place, ...names),
    fresh: undefined,
    isSecret: false
  })
})

interface SetOptions {
  readonly isSecret: boolean
  readonly makesFolder: boolean
}

const settingOf = (table: Table, name: string, entry: Entries, { isSecret }: SetOptions) =>
  Effect.map(table.format, (format): Edit => ({
    table,
    change: (text) => format.set(text, table.place, name, entry),
    fresh: format.create(table.place, name, entry),
    isSecret
  }))

/** The nearest directory of a path that exists. */
const existing = Effect.fnUntraced(function*(given: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  let directory = given
  while (
    !(yield* Effect.orElseSucceed(files.exists(directory), () => false)) && path.dirname(directory) !== directory
  ) {
    directory = path.dirname(directory)
  }
  return directory
})

/** Fails as `set` would, and leaves everything as it was. */
export const rehearse = Effect.fn("ConfigFile.rehearse")(function*(
  table: Table,
  name: string,
  entry: Entries,
  options: SetOptions
) {
  const { file } = table
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const before = yield* Effect.mapError(AtomicFile.current(file), unreadable(file))
  const bytes = yield* changed(yield* settingOf(table, name, entry, options), before)
  const directory = path.dirname(yield* AtomicFile.destination(file))
  const target = options.makesFolder ? yield* existing(directory) : directory
  yield* Effect.mapError(files.access(target, { writable: true }), unwritable(file))
  if (bytes === undefined) return
  yield* Effect.mapError(
    AtomicFile.rehearse(target, { path: file, bytes, expected: before, isSecret: true }),
    unwritable(file)
  )
})

export class NotUndone extends Data.TaggedError("NotUndone")<{ readonly file: string }> {}

/** Writes an entry. Returns how it is undone, unless the file was changed since. */
export const set = Effect.fn("ConfigFile.set")(function*(
  table: Table,
  name: string,
  entry: Entries,
  options: SetOptions
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (options.makesFolder) {
    yield* Effect.mapError(
      files.makeDirectory(path.dirname(table.file), { recursive: true }),
      unwritable(table.file)
    )
  }
  const { after, before } = yield* Effect.flatMap(settingOf(table, name, entry, options), edit)
  const notUndone = Effect.mapError(() => new NotUndone({ file: table.file }))
  return {
    undo: before === undefined
      ? notUndone(remove(table, name))
      : notUndone(AtomicFile.replace({ path: table.file, bytes: before, expected: after, isSecret: false }))
  }
})
