// A database fresh from initdb, as the files of an archive: writing them takes a fraction of the time that initdb does.
// While they are written, a marker file exists beside them, so that the next start does not open an incomplete
// database. PostgreSQL flushes the files to the disk when it first opens them.
// @effect-diagnostics asyncFunction:off -- it awaits promises alone
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"

export interface Entry {
  /** Begins with a slash. */
  readonly path: string
  /** Undefined for a directory. */
  readonly content: Uint8Array<ArrayBuffer> | undefined
}

const block = 512

/** Reads the plain tar format: names are short here, and there are only files and directories. */
const entriesOf = (archive: Buffer<ArrayBuffer>): ReadonlyArray<Entry> => {
  const entries: Array<Entry> = []
  let start = 0
  while (archive[start] !== 0) {
    const text = (from: number, length: number) =>
      archive.toString("latin1", start + from, start + from + length).split("\0", 1).join()
    const size = Number.parseInt(text(124, 12), 8)
    // not a Buffer: the module copies by `slice`, and that of a Buffer shares its memory
    const content = new Uint8Array(archive.buffer, archive.byteOffset + start + block, size)
    entries.push({ path: text(0, 100), content: text(156, 1) === "5" ? undefined : content })
    start += block + Math.ceil(size / block) * block
  }
  return entries
}

/** All files share one piece of memory, which an archive states at its end: 40 MB. */
const load = async () => {
  const { dataDir } = await import("@electric-sql/pglite-prepopulatedfs")
  const packed = Buffer.from(await (await dataDir()).arrayBuffer())
  return entriesOf(gunzipSync(packed, { chunkSize: packed.readUInt32LE(packed.length - 4) + block }))
}

/** Returns the memory of loaded files at once. The garbage collector would keep it for minutes. */
const free = (entries: ReadonlyArray<Entry>) =>
  entries.find(({ content }) => content !== undefined)?.content?.buffer.transfer(0)

/** Cached: tests create many databases in memory in one process. */
export const loadOnce = Effect.runSync(Effect.cached(Effect.promise(load)))

const markOf = (directory: string) => `${directory}.unfinished`

const write = (directory: string, entries: ReadonlyArray<Entry>) => {
  writeFileSync(markOf(directory), "")
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { mode: 0o700 })
  for (const { content, path } of entries) {
    if (content === undefined) mkdirSync(join(directory, path), { recursive: true, mode: 0o700 })
    else writeFileSync(join(directory, path), content, { mode: 0o600 })
  }
}

/** Creates a new database if there is none, or only an incomplete one. Returns whether it did. */
export const install = Effect.fnUntraced(function*(directory: string, prepared?: ReadonlyArray<Entry>) {
  const isMissing = yield* Effect.try(() => existsSync(markOf(directory)) || !existsSync(directory))
  if (!isMissing) return false
  yield* Effect.logInfo(`Creating the embedded database in ${directory}`)
  const entries = prepared ?? (yield* Effect.tryPromise(load))
  yield* Effect.try(() => write(directory, entries))
  if (prepared === undefined) free(entries)
  return true
}, LogPart.inPart("database"))

/** Removes the marker: the database is complete. */
export const finish = (directory: string) => Effect.try(() => rmSync(markOf(directory), { force: true }))
