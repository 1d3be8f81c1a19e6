// A database fresh from initdb, as the files of an archive: writing them takes a fraction of the time that initdb does.
// While they are written, a marker file exists beside them, so that the next start does not open an incomplete
// database. PostgreSQL flushes the files to the disk when it first opens them.
// @effect-diagnostics asyncFunction:off -- it reads and writes by async iteration
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { createGunzip } from "node:zlib"

export interface Entry {
  /** Begins with a slash. */
  readonly path: string
  /** Undefined for a directory. */
  readonly content: Uint8Array | undefined
}

const block = 512

/** With the small chunks that are the default, unpacking takes twice as long. */
const chunkSize = 1024 * 1024

/**
 * Reads the plain tar format: names are short here, and there are only files and directories. It holds one file at a
 * time, because all of them are 40 MB.
 */
const entriesOf = async function*(archive: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const chunks = archive[Symbol.asyncIterator]()
  let unread: Buffer = Buffer.alloc(0)
  const take = async (length: number): Promise<Uint8Array<ArrayBuffer>> => {
    // not a Buffer: the module copies by `slice`, and that of a Buffer shares its memory
    const bytes = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      if (unread.length === 0) {
        const { done, value } = await chunks.next()
        if (done === true) throw new Error("The archive of the embedded database is cut off")
        unread = value
      }
      const part = unread.subarray(0, length - filled)
      bytes.set(part, filled)
      filled += part.length
      unread = unread.subarray(part.length)
    }
    return bytes
  }
  while (true) {
    const header = Buffer.from(await take(block))
    if (header[0] === 0) break
    const text = (from: number, length: number) => header.toString("latin1", from, from + length).split("\0", 1).join()
    const size = Number.parseInt(text(124, 12), 8)
    const content = await take(size)
    await take((block - size % block) % block)
    yield { path: text(0, 100), content: text(156, 1) === "5" ? undefined : content }
  }
  await chunks.return?.()
}

const read = async function*(): AsyncGenerator<Entry> {
  const { dataDir } = await import("@electric-sql/pglite-prepopulatedfs")
  const archive = Buffer.from(await (await dataDir()).arrayBuffer())
  yield* entriesOf(Readable.from([archive]).pipe(createGunzip({ chunkSize })))
}

const load = async () => {
  const entries: Array<Entry> = []
  for await (const entry of read()) entries.push(entry)
  return entries
}

/** Cached: tests create many databases in memory in one process. */
export const loadOnce = Effect.runSync(Effect.cached(Effect.promise(load)))

const markOf = (directory: string) => `${directory}.unfinished`

const write = async (directory: string, entries: AsyncIterable<Entry> | Iterable<Entry>) => {
  writeFileSync(markOf(directory), "")
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { mode: 0o700 })
  for await (const { content, path } of entries) {
    if (content === undefined) mkdirSync(join(directory, path), { recursive: true, mode: 0o700 })
    else writeFileSync(join(directory, path), content, { mode: 0o600 })
  }
}

/** Creates a new database if there is none, or only an incomplete one. Returns whether it did. */
export const install = Effect.fnUntraced(function*(directory: string, entries?: ReadonlyArray<Entry>) {
  const isMissing = yield* Effect.try(() => existsSync(markOf(directory)) || !existsSync(directory))
  if (!isMissing) return false
  yield* Effect.tryPromise(() => write(directory, entries ?? read()))
  return true
})

/** Removes the marker: the database is complete. */
export const finish = (directory: string) => Effect.try(() => rmSync(markOf(directory), { force: true }))
