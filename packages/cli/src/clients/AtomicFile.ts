// Replaces a file atomically: the new text is written to a temporary file, flushed and renamed. After a crash the file
// is the old one or the new one. The target of a symbolic link is replaced, and the link stays.
import { Data, Effect, FileSystem, Option, Path, type PlatformError, Random } from "effect"

/** The file was changed since it was read. */
export class FileChanged extends Data.TaggedError("FileChanged")<{ readonly path: string }> {}

export interface Replacement {
  readonly path: string
  readonly bytes: Uint8Array
  /** The content when the file was read; undefined if it did not exist. */
  readonly expected: Uint8Array | undefined
  /** Makes the file readable by its owner only. */
  readonly isSecret: boolean
}

const ownerOnly = 0o600
/** Minus the user's umask. */
const usual = 0o666
const permissions = 0o777

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.length === b.length && a.every((byte, at) => byte === b[at])

/** The content; undefined if the file does not exist. */
export const current = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* files.readFile(path).pipe(
    Effect.catchIf((error) => error.reason._tag === "NotFound", () => Effect.succeed(undefined))
  )
})

/** The real path of the file. A dangling link gives the path of its future target. */
export const destination = Effect.fnUntraced(function*(given: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const linked = Effect.map(files.readLink(given), (target) => path.resolve(path.dirname(given), target))
  return yield* files.realPath(given).pipe(
    Effect.catch(() => linked),
    Effect.catch(() => Effect.succeed(given))
  )
})

type Before = Option.Option<FileSystem.File.Info>

/** Keeps the owner of a file that another user edits. Best effort: not every system has owners. */
const keepOwner = Effect.fnUntraced(function*(path: string, before: Before) {
  const files = yield* FileSystem.FileSystem
  const owner = Option.flatMap(before, ({ gid, uid }) => Option.all({ gid, uid }))
  if (Option.isSome(owner)) yield* Effect.ignore(files.chown(path, owner.value.uid, owner.value.gid))
})

const write = Effect.fnUntraced(
  function*(temporary: string, { bytes, isSecret }: Replacement, before: Before) {
    const files = yield* FileSystem.FileSystem
    const isUsual = !isSecret && Option.isNone(before)
    const file = yield* files.open(temporary, { flag: "wx", mode: isUsual ? usual : ownerOnly })
    yield* keepOwner(temporary, before)
    if (!isUsual) {
      yield* files.chmod(temporary, isSecret || Option.isNone(before) ? ownerOnly : before.value.mode & permissions)
    }
    yield* file.writeAll(bytes)
    yield* file.sync
  },
  Effect.scoped
)

/** Flushes the rename to disk, if the system can open directories. */
const settle = Effect.fnUntraced(
  function*(directory: string) {
    const files = yield* FileSystem.FileSystem
    yield* (yield* files.open(directory, { flag: "r" })).sync
  },
  Effect.scoped,
  (settling) => Effect.ignore(settling)
)

const temporaryOf = Effect.fnUntraced(function*(directory: string, name: string) {
  const path = yield* Path.Path
  return path.join(directory, `.${name}.${(yield* Random.nextInt).toString(36)}.tmp`)
})

/** Fails as `replace` would where nothing can be written, as on a full disk. Nothing is left in the directory. */
export const rehearse = Effect.fn("AtomicFile.rehearse")(function*(directory: string, replacement: Replacement) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const temporary = yield* temporaryOf(directory, path.basename(replacement.path))
  yield* write(temporary, replacement, Option.none()).pipe(
    Effect.ensuring(Effect.ignore(files.remove(temporary, { force: true })))
  )
})

export const replace = Effect.fn("AtomicFile.replace")(function*(
  replacement: Replacement
): Effect.fn.Return<void, FileChanged | PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const target = yield* destination(replacement.path)
  const directory = path.dirname(target)
  const before = yield* Effect.option(files.stat(target))
  const temporary = yield* temporaryOf(directory, path.basename(target))
  yield* Effect.gen(function*() {
    yield* write(temporary, replacement, before)
    if (!isSame(yield* current(target), replacement.expected)) {
      return yield* new FileChanged({ path: replacement.path })
    }
    yield* files.rename(temporary, target)
  }).pipe(
    Effect.onExit((exit) =>
      exit._tag === "Success" ? Effect.void : Effect.ignore(files.remove(temporary, { force: true }))
    )
  )
  yield* settle(directory)
})
