// Watches files. Their folders are watched, because editors replace a file by another one.
// @effect-diagnostics globalTimers:off newPromise:off asyncFunction:off -- this process has no Effect
import { type FSWatcher, statSync, watch } from "node:fs"
import { dirname, join } from "node:path"

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
    const folder = dirname(file)
    if (!this.#folders.has(folder)) {
      this.#folders.set(folder, watch(folder, (_, name) => name === null ? undefined : this.#look(join(folder, name))))
    }
    this.#look(file)
  }

  #look(file: string) {
    if (!this.#versions.has(file)) return
    const version = versionOf(file)
    // a file that is replaced is away for a moment
    if (version === undefined || version === this.#versions.get(file)) return
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
