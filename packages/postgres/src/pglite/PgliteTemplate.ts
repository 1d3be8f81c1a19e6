// A database fresh from initdb, as the files of an archive: writing them takes a fraction of the time that initdb does.
// While they are written, a marker file exists beside them, so that the next start does not open an incomplete
// database. PostgreSQL flushes the files to the disk when it first opens them.
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"

export interface Entry {
  /** Begins with a slash. */
  readonly path: string
  /** Undefined for a directory. */
  readonly content: Uint8Array | undefined
}

const block = 512

/** With the small chunks that are the default, unpacking takes twice as long. */
const chunkSize = 4 * 1024 * 1024

/** Reads the plain tar format: names are short here, and there are only files and directories. */
const entriesOf = (archive: Buffer): ReadonlyArray<Entry> => {
  const entries: Array<Entry> = []
  let offset = 0
  while (offset < archive.length && archive[offset] !== 0) {
    const text = (from: number, length: number) =>
      archive.toString("latin1", offset + from, offset + from + length).split("\0", 1).join()
    const size = Number.parseInt(text(124, 12), 8)
    const isDirectory = text(156, 1) === "5"
    const start = offset + block
    // not a Buffer: the module copies by `slice`, and that of a Buffer shares its memory
    const content = isDirectory ? undefined : new Uint8Array(archive.buffer, archive.byteOffset + start, size)
    entries.push({ path: text(0, 100), content })
    offset = start + Math.ceil(size / block) * block
  }
  return entries
}

/** Forty megabytes. */
const load: Effect.Effect<ReadonlyArray<Entry>> = Effect.promise(() =>
  import("@electric-sql/pglite-prepopulatedfs")
    .then(({ dataDir }) => dataDir())
    .then((blob) => blob.arrayBuffer())
    .then((bytes) => promisify(gunzip)(Buffer.from(bytes), { chunkSize }))
    .then(entriesOf)
)

/** Cached: tests create many databases in memory in one process. */
export const loadOnce = Effect.runSync(Effect.cached(load))

const markOf = (directory: string) => `${directory}.unfinished`

/** Creates a new database if there is none, or only an incomplete one. Returns whether it did. */
export const install = Effect.fnUntraced(function*(
  directory: string,
  source: Effect.Effect<ReadonlyArray<Entry>> = load
) {
  const mark = markOf(directory)
  const isMissing = yield* Effect.try(() => existsSync(mark) || !existsSync(directory))
  if (!isMissing) return false
  const entries = yield* source
  yield* Effect.try(() => {
    writeFileSync(mark, "")
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { mode: 0o700 })
    for (const { content, path } of entries) {
      if (content === undefined) mkdirSync(join(directory, path), { recursive: true, mode: 0o700 })
      else writeFileSync(join(directory, path), content, { mode: 0o600 })
    }
  })
  return true
})

/** Removes the marker: the database is complete. */
export const finish = (directory: string) => Effect.try(() => rmSync(markOf(directory), { force: true }))
