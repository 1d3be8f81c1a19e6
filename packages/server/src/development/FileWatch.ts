// Watches files. Their folders are watched, because editors replace a file by another one.
// @effect-diagnostics globalTimers:off newPromise:off asyncFunction:off -- this process has no Effect
import { type FSWatcher, readdirSync, statSync, watch } from "node:fs"
import { basename, dirname, join } from "node:path"

/** Milliseconds without a change. A file is written in several steps, and several files are saved at once. */
const quiet = 50

/** Of the content of a file. Undefined: there is no such file. */
export const versionOf = (file: string): string | undefined => {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? undefined : `${stats.mtimeMs} ${stats.size}`
}

export class FileWatch {
  readonly #versions = new Map<string, string | undefined>()
  readonly #folders = new Map<string, FSWatcher>()
  /** Folders whose files all count, also new ones. */
  readonly #whole = new Set<string>()
  readonly #changed = new Set<string>()
  readonly #report: (files: ReadonlyArray<string>) => void
  #timer: NodeJS.Timeout | undefined

  constructor(report: (files: ReadonlyArray<string>) => void) {
    this.#report = report
  }

  /** `version`: of what was loaded. The file can have been changed since then. */
  add(file: string, version = versionOf(file)): void {
    if (this.#versions.has(file)) return
    this.#versions.set(file, version)
    this.#watch(dirname(file))
    this.#look(file)
  }

  /** Its files, and not those of the folders in it. */
  addFolder(folder: string): void {
    if (this.#whole.has(folder)) return
    this.#whole.add(folder)
    this.#watch(folder)
    for (const name of readdirSync(folder)) {
      const file = join(folder, name)
      if (!this.#versions.has(file)) this.#versions.set(file, versionOf(file))
    }
  }

  #watch(folder: string) {
    if (this.#folders.has(folder)) return
    this.#folders.set(folder, watch(folder, (_, name) => name === null ? undefined : this.#look(join(folder, name))))
  }

  #look(file: string) {
    const isOfWhole = this.#whole.has(dirname(file)) && !basename(file).startsWith(".")
    if (!isOfWhole && !this.#versions.has(file)) return
    const version = versionOf(file)
    // a file that is replaced is away for a moment
    if ((version === undefined && !isOfWhole) || version === this.#versions.get(file)) return
    this.#versions.set(file, version)
    this.#changed.add(file)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const files = [...this.#changed]
      this.#changed.clear()
      this.#report(files)
    }, quiet)
  }
}
