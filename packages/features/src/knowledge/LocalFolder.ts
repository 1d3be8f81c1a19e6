// Reads the files of a folder on the disk of this node: the option `folder` of a knowledge base. Hidden files are left
// out, and so are links to places outside of the folder.
import { Effect } from "effect"
import type { Dirent } from "node:fs"
import { readdir, readFile, realpath, stat } from "node:fs/promises"
import { join, relative, sep } from "node:path"

/** Of a folder. */
export const limits = { files: 1000, bytes: 512 * 1024 ** 2, fileBytes: 64 * 1024 ** 2 } as const

export interface LocalFile {
  /** From the folder, with `/`. It names the content. */
  readonly path: string
  /** Where it really is. */
  readonly place: string
  readonly size: number
  /** When it was changed last. */
  readonly mtimeMs: number
}

export interface Scan {
  /** In the order of their paths. */
  readonly files: ReadonlyArray<LocalFile>
  /** Sentences about what is left out. */
  readonly skipped: ReadonlyArray<string>
  /** Why the folder cannot be used. */
  readonly problem: string | undefined
}

let report: (folder: string) => void = () => {}

/** Reports each folder that is scanned. */
export const onScanned = (call: typeof report): void => {
  report = call
}

const isInside = (folder: string, place: string): boolean => place.startsWith(folder + sep)

const reasonOf = (error: unknown): string => error instanceof Error && "code" in error ? String(error.code) : "unknown"

const tried = <A>(read: () => Promise<A>): Effect.Effect<A, string> => Effect.tryPromise({ try: read, catch: reasonOf })

export const scan = Effect.fnUntraced(
  function*(folder: string) {
    const [files, skipped]: [Array<LocalFile>, Array<string>] = [[], []]
    const unreadable = (reason: string) => `The folder ${folder} cannot be read (${reason})`
    const root = yield* Effect.mapError(tried(() => realpath(folder)), unreadable)
    const { isDirectory } = yield* Effect.mapError(
      tried(() => stat(root).then((stats) => ({ isDirectory: stats.isDirectory() }))),
      unreadable
    )
    if (!isDirectory) return yield* Effect.fail(`${folder} is not a folder`)
    const shown = (place: string) => relative(root, place).split(sep).join("/")

    const visit = Effect.fnUntraced(function*(at: string, entry: Dirent): Effect.fn.Return<void, string> {
      // a link to a folder could lead in a circle
      const real = entry.isSymbolicLink() ? yield* tried(() => realpath(at)) : at
      const stats = yield* tried(() => stat(real))
      if (real !== at && (!isInside(root, real) || stats.isDirectory())) {
        skipped.push(`${shown(at)} is a link to ${stats.isDirectory() ? "a folder" : "a file outside of the folder"}`)
      } else if (stats.isDirectory()) yield* each(at)
      else if (stats.isFile()) {
        files.push({ path: shown(at), place: real, size: stats.size, mtimeMs: stats.mtimeMs })
      }
    })

    const each = (place: string): Effect.Effect<void, string> =>
      Effect.flatMap(tried(() => readdir(place, { withFileTypes: true })), (entries) => {
        report(place)
        return Effect.forEach(entries, (entry) => {
          const at = join(place, entry.name)
          if (entry.name.startsWith(".") || files.length > limits.files) return Effect.void
          return Effect.catch(
            visit(at, entry),
            (reason) => Effect.sync(() => void skipped.push(`${shown(at)} cannot be read (${reason})`))
          )
        }, { discard: true })
      })

    yield* Effect.mapError(each(root), unreadable)
    if (files.length > limits.files) {
      return yield* Effect.fail(`The folder ${folder} has more than ${limits.files} files`)
    }
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    if (bytes > limits.bytes) {
      return yield* Effect.fail(`The files of ${folder} have ${bytes} bytes: at most ${limits.bytes}`)
    }
    const sorted = files.toSorted((one, other) => one.path < other.path ? -1 : 1)
    const found: Scan = { files: sorted, skipped, problem: undefined }
    return found
  },
  Effect.catch((problem) => Effect.succeed<Scan>({ files: [], skipped: [], problem }))
)

/** A sentence instead of the bytes: why the file cannot be read. */
export const read = ({ place, size }: LocalFile): Effect.Effect<Uint8Array<ArrayBuffer> | string> =>
  size > limits.fileBytes
    ? Effect.succeed(`The file has ${size} bytes: at most ${limits.fileBytes} are read`)
    : Effect.catch(
      tried(() => readFile(place)),
      (reason) => Effect.succeed(`The file cannot be read (${reason})`)
    )

interface Hashed extends Pick<LocalFile, "mtimeMs" | "size"> {
  readonly hash: string
}

/** Of files that this process has read. */
const known = new Map<string, Hashed>()
const maxKnown = 10_000

const encoder = new TextEncoder()

/** Of the bytes of the file. One whose size and time have not changed is not read again. */
export const hashOf = Effect.fnUntraced(function*(file: LocalFile) {
  const { mtimeMs, place, size } = file
  const before = known.get(place)
  if (before?.size === size && before.mtimeMs === mtimeMs) return before.hash
  const bytes = yield* read(file)
  const digest = yield* Effect.promise(() =>
    crypto.subtle.digest("SHA-256", typeof bytes === "string" ? encoder.encode(bytes) : bytes)
  )
  const hash = Buffer.from(digest).toString("hex")
  if (known.size >= maxKnown) known.clear()
  known.set(place, { mtimeMs, size, hash })
  return hash
})
