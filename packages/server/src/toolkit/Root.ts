// Paths inside a directory. No path leads out of it: neither by `..`, nor by a symbolic link.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import { Data, Effect, Option, Result, type Scope } from "effect"
import { constants, realpathSync } from "node:fs"
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises"
import * as Path from "node:path"

export class PathRejected extends Data.TaggedError("PathRejected")<{ readonly message: string }> {}

export interface Root {
  /** The path of something that exists. */
  readonly resolve: (path: string) => Effect.Effect<string, PathRejected>
  /** Opens a regular file. It closes with the scope. */
  readonly open: (path: string) => Effect.Effect<FileHandle, PathRejected, Scope.Scope>
}

const refused = (message: string) => new PathRejected({ message })

/** Without the path of the machine, which is not for models. */
const reasonOf = (error: unknown, path: string): PathRejected => {
  const code = (error as NodeJS.ErrnoException).code
  if (code === "ENOENT" || code === "ENOTDIR") return refused(`There is no '${path}'`)
  if (code === "ELOOP") return refused(`'${path}' is a symbolic link`)
  return refused(`'${path}' cannot be read (${code ?? "unknown error"})`)
}

const attempt = <A>(path: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (error) => reasonOf(error, path) })

/** Links on the way of a path. Linux follows as many. */
const maxLinks = 40

/** Throws if the directory does not exist. */
export const make = (owner: string, directory: string): Root => {
  const found = Result.try(() => realpathSync(directory))
  if (Result.isFailure(found)) throw new Mistake(`${owner}: there is no directory '${directory}'`)
  const root = found.success
  const isInside = (path: string) => {
    const way = Path.relative(root, path)
    return way === "" || (!Path.isAbsolute(way) && way !== ".." && !way.startsWith(`..${Path.sep}`))
  }
  /** Whether a link on the way leads out of the directory, for a path that cannot be opened. */
  const leadsOut = Effect.fnUntraced(function*(path: string) {
    let wanted = path
    for (let links = 0; links < maxLinks; links++) {
      if (!isInside(wanted)) return true
      let [at, target]: [string, string | undefined] = [root, undefined]
      for (const name of Path.relative(root, wanted).split(Path.sep)) {
        at = Path.join(at, name)
        const stat = yield* Effect.option(Effect.tryPromise(() => lstat(at)))
        if (Option.isNone(stat)) return false
        if (!stat.value.isSymbolicLink()) continue
        target = yield* Effect.orElseSucceed(Effect.tryPromise(() => readlink(at)), () => Path.sep)
        break
      }
      if (target === undefined) return false
      wanted = Path.join(Path.resolve(Path.dirname(at), target), Path.relative(at, wanted))
    }
    return false
  })
  const resolve = Effect.fnUntraced(function*(path: string) {
    if (path.includes("\0")) return yield* refused("A path has no zero bytes")
    const outside = refused(`'${path}' is outside of the directory`)
    const wanted = Path.join(root, path)
    // without a look, which would tell whether it exists
    if (!isInside(wanted)) return yield* outside
    const real = yield* Effect.catch(
      attempt(path, () => realpath(wanted)),
      (error) => Effect.flatMap(leadsOut(wanted), (isOut) => Effect.fail(isOut ? outside : error))
    )
    return isInside(real) ? real : yield* outside
  })
  return {
    resolve,
    open: Effect.fnUntraced(function*(path) {
      const real = yield* resolve(path)
      // a link that replaced the file meanwhile is not followed, and a pipe is not waited for
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
      const file = yield* Effect.acquireRelease(
        attempt(path, () => open(real, flags)),
        (opened) => Effect.ignore(attempt(path, () => opened.close()))
      )
      const stat = yield* attempt(path, () => file.stat())
      if (!stat.isFile()) return yield* refused(`'${path}' is no file`)
      // a directory on the way can have been replaced by a link
      if ((yield* resolve(path)) !== real) return yield* refused(`'${path}' has changed`)
      return file
    })
  }
}
