// Caches the compiled code for the next start. Node executes what it finds in its cache, so the directory must belong
// to the user alone: the default is in the shared directory for temporary files, where another user can make it first.
import { lstat, mkdir } from "node:fs/promises"
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import process from "node:process"

const directoryOf = (): string => {
  const { LOCALAPPDATA: windows, XDG_CACHE_HOME: standard } = process.env
  if (process.platform === "win32" && windows) return join(windows, "svc")
  return standard && isAbsolute(standard) ? join(standard, "svc") : join(homedir(), ".cache", "svc")
}

const isPrivate = (directory: string): Promise<boolean> =>
  lstat(directory).then((found) =>
    found.isDirectory() &&
    // Windows has no owners and modes, and the directory is in the user's profile
    (process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0))
  )

const make = (directory: string): Promise<unknown> => mkdir(directory, { mode: 0o700 }).catch(() => undefined)

export const cacheCompiledCode = (): Promise<void> =>
  Promise.resolve()
    .then(directoryOf)
    .then((directory) =>
      // not recursive: a home that does not exist is not made
      make(dirname(directory))
        .then(() => make(directory))
        .then(() => isPrivate(directory))
        .then((isPrivate) => {
          if (isPrivate) enableCompileCache(directory)
        })
    )
    // without a cache the tool starts too, only slower
    .catch(() => undefined)
