// Caches the compiled code for the next start. Node executes what it finds in its cache, so the directory must belong
// to the user alone: the default is in the shared directory for temporary files, where another user can make it first.
import { lstat, mkdir, type Stats } from "node:fs"
import { enableCompileCache } from "node:module"
import { dirname, isAbsolute, join } from "node:path"
import process from "node:process"

/** Undefined without a home. */
const directoryOf = (): string | undefined => {
  const { HOME: home, LOCALAPPDATA: windows, XDG_CACHE_HOME: standard } = process.env
  if (process.platform === "win32") return windows && join(windows, "svc")
  if (standard && isAbsolute(standard)) return join(standard, "svc")
  return home && isAbsolute(home) ? join(home, ".cache", "svc") : undefined
}

/** Windows has no owners and modes, and the directory is in the user's profile. */
const isPrivate = (found: Stats): boolean =>
  found.isDirectory() &&
  (process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0))

/** Calls `start` with or without a cache. */
export const cacheCompiledCode = (start: () => void): void => {
  const directory = directoryOf()
  if (directory === undefined) return start()
  const mode = 0o700
  // not recursive: a home that does not exist is not made
  mkdir(dirname(directory), { mode }, () =>
    mkdir(directory, { mode }, () =>
      lstat(directory, (error, found) => {
        if (error === null && isPrivate(found)) enableCompileCache(directory)
        start()
      })))
}
