// One process at a time uses a data directory. The lock is an exclusive transaction on an empty SQLite file, the only
// lock of the operating system that Node can take. It ends with its process, however that died. A reused process id
// cannot keep it, it holds between containers that share a volume, and only one of two concurrent starts gets it. The
// file beside it names the holder for the error message.
import { Cause, Effect, Result, Schedule, Schema } from "effect"
import { accessSync, constants, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { dirname, join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"

export class DataDirectoryInUse extends Schema.TaggedError<DataDirectoryInUse>()("DataDirectoryInUse", {
  directory: Schema.String,
  pid: Schema.NullOr(Schema.Int),
  host: Schema.NullOr(Schema.String)
}) {
  override get message() {
    if (this.pid === process.pid && this.host === hostname()) {
      return `DATA_DIR ${this.directory} is in use by this program itself: run() of a component has opened it, or ` +
        "another service. Close the first one before the second one starts, as await Local.close() does, or leave it out"
    }
    const where = this.host === hostname() ? "" : ` on ${this.host}`
    const holder = this.pid === null ? "another process" : `process ${this.pid}${where}`
    return `DATA_DIR ${this.directory} is in use by ${holder}. Stop it, set another DATA_DIR, ` +
      "or set DATABASE_URL to share one PostgreSQL"
  }
}

export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()("DataDirectoryUnusable", {
  directory: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `DATA_DIR ${this.directory} cannot be used: ${this.problem}`
  }
  /** `Effect.try` wraps the reason. */
  static readonly because = (directory: string) => (reason: unknown) => {
    const cause = Cause.isUnknownError(reason) ? reason.cause : reason
    return new DataDirectoryUnusable({ directory, problem: cause instanceof Error ? cause.message : String(cause) })
  }
}

const lockFile = "svc.lock"
const holderFile = "svc.pid"

/** SQLite's code: another process has the lock. */
const busy = 5

const unknownHolder: { readonly pid: number | null; readonly host: string | null } = { pid: null, host: null }

/** Two concurrent starts can reject each other, so only a lasting rejection counts. */
const lockRetry = { schedule: Schedule.spaced("25 millis").pipe(Schedule.jittered), times: 12 }

const isBusy = ({ cause }: Cause.UnknownError) => cause instanceof Error && "errcode" in cause && cause.errcode === busy

const holderOf = (directory: string) =>
  Effect.try(() => readFileSync(join(directory, holderFile), "utf8").split("\n")).pipe(
    Effect.map(([pid = "", host = ""]) => /^\d+$/.test(pid) ? { pid: Number(pid), host } : unknownHolder),
    Effect.orElseSucceed(() => unknownHolder)
  )

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Node's own recursive creation does not end where a parent accepts no directories, as in /proc. */
const makeDirectory = (directory: string): void => {
  if (isDirectory(directory)) return
  const parent = dirname(directory)
  if (parent !== directory) makeDirectory(parent)
  const made = Result.try(() => mkdirSync(directory, { mode: 0o700 }))
  // a process that starts at the same time may have created it
  if (Result.isFailure(made) && !isDirectory(directory)) throw made.failure
}

/**
 * Creates the directory (readable by its owner only) and holds the lock until the scope closes. Returns its absolute
 * path.
 */
export const claim = Effect.fn("DataDirectory.claim")(function*(path: string) {
  const directory = resolve(path)
  const unusable = DataDirectoryUnusable.because(directory)
  const attempt = <A>(run: () => A) => Effect.try({ try: run, catch: unusable })

  yield* attempt(() => {
    makeDirectory(directory)
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  })
  const lock = yield* Effect.acquireRelease(
    attempt(() => new DatabaseSync(join(directory, lockFile), { timeout: 0 })),
    (lock) => Effect.sync(() => lock.close())
  )
  yield* Effect.try(() => lock.exec("BEGIN EXCLUSIVE")).pipe(
    Effect.retry({ ...lockRetry, while: isBusy }),
    Effect.catch(Effect.fnUntraced(function*(error) {
      if (!isBusy(error)) return yield* unusable(error)
      return yield* new DataDirectoryInUse({ directory, ...yield* holderOf(directory) })
    }))
  )
  yield* Effect.acquireRelease(
    attempt(() => writeFileSync(join(directory, holderFile), `${process.pid}\n${hostname()}\n`, { mode: 0o600 })),
    () => Effect.sync(() => rmSync(join(directory, holderFile), { force: true }))
  )
  return directory
})
