// Reads the files of a folder on the disk of this node: the option `folder` of a knowledge base. Hidden files are left
// out, and so are links to places outside of the folder.
import { Effect } from "effect"
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"

/** Of a folder. They are read while the service starts. */
export const limits = { files: 1000, bytes: 512 * 1024 ** 2, fileBytes: 64 * 1024 ** 2 } as const

export interface LocalFile {
  /** From the folder, with `/`. It names the content. */
  readonly path: string
  /** Where it really is. */
  readonly place: string
  readonly size: number
}

export interface Scan {
  /** In the order of their paths. */
  readonly files: ReadonlyArray<LocalFile>
  /** Sentences about what is left out. */
  readonly skipped: ReadonlyArray<string>
  /** Why the folder cannot be used. */
  readonly problem: string | undefined
}

const isInside = (folder: string, place: string): boolean => place.startsWith(folder + sep)

const reasonOf = (error: unknown): string => error instanceof Error && "code" in error ? String(error.code) : "unknown"

const scanned = (folder: string): Scan => {
  const [files, skipped]: [Array<LocalFile>, Array<string>] = [[], []]
  const unusable = (problem: string): Scan => ({ files: [], skipped, problem })
  let root: string
  try {
    root = realpathSync(folder)
    if (!statSync(root).isDirectory()) return unusable(`${folder} is not a folder`)
  } catch (error) {
    return unusable(`The folder ${folder} cannot be read (${reasonOf(error)})`)
  }
  const shown = (place: string) => relative(root, place).split(sep).join("/")
  const visit = (place: string, entry: Dirent) => {
    const at = join(place, entry.name)
    if (entry.name.startsWith(".")) return
    try {
      // a link to a folder could lead in a circle
      const real = entry.isSymbolicLink() ? realpathSync(at) : at
      const stat = statSync(real)
      if (real !== at && (!isInside(root, real) || stat.isDirectory())) {
        skipped.push(`${shown(at)} is a link to ${stat.isDirectory() ? "a folder" : "a file outside of the folder"}`)
      } else if (stat.isDirectory()) each(at)
      else if (stat.isFile()) files.push({ path: shown(at), place: real, size: stat.size })
    } catch (error) {
      skipped.push(`${shown(at)} cannot be read (${reasonOf(error)})`)
    }
  }
  const each = (place: string): void => {
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      if (files.length > limits.files) return
      visit(place, entry)
    }
  }
  each(root)
  if (files.length > limits.files) return unusable(`The folder ${folder} has more than ${limits.files} files`)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > limits.bytes) return unusable(`The files of ${folder} have ${bytes} bytes: at most ${limits.bytes}`)
  return { files: files.toSorted((one, other) => one.path < other.path ? -1 : 1), skipped, problem: undefined }
}

export const scan = (folder: string): Effect.Effect<Scan> => Effect.sync(() => scanned(folder))

/** A sentence instead of the bytes: why the file cannot be read. */
export const read = ({ place, size }: LocalFile): Effect.Effect<Uint8Array | string> =>
  Effect.sync(() => {
    if (size > limits.fileBytes) return `The file has ${size} bytes: at most ${limits.fileBytes} are read`
    try {
      return readFileSync(place)
    } catch (error) {
      return `The file cannot be read (${reasonOf(error)})`
    }
  })
