// Opens the embedded database from a directory that holds one, or from the files of a new one in memory.
import type { Extensions } from "@electric-sql/pglite"
import { Effect, Schema } from "effect"
import { existsSync } from "node:fs"
import { Pgvector } from "../Pgvector.ts"
import { flushTree } from "../runs/flush.ts"
import * as ShortPlans from "../sql/ShortPlans.ts"
import { drive } from "./pgliteEngine.ts"
import { filesInMemory, filesOnDisk } from "./pgliteFiles.ts"
import type { PgliteFiles } from "./pgliteModule.ts"
import type { Entry } from "./PgliteTemplate.ts"

// The extensions of the embedded database. The package of pgvector may be missing, and a bundle of a service may lack
// its file: the database opens without.
const loadExtensions = Effect.gen(function*() {
  const { vector } = yield* Effect.tryPromise(() => import("@electric-sql/pglite-pgvector"))
  const { bundlePath } = yield* Effect.tryPromise(() => vector.setup({} as never, {}))
  return bundlePath !== undefined && existsSync(bundlePath) ? { vector } : {}
})

const extensions: Effect.Effect<Extensions> = Effect.flatMap(
  Pgvector,
  ({ isUsed }) => isUsed ? Effect.catch(loadExtensions, () => Effect.succeed({})) : Effect.succeed({})
)

export class EmbeddedDatabaseFailed extends Schema.TaggedError<EmbeddedDatabaseFailed>()("EmbeddedDatabaseFailed", {
  problem: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `The embedded database did not start: ${this.problem}`
  }
}

export type Source =
  | {
    readonly directory: string
    /** Whether a commit is flushed to the disk before the reply. */
    readonly durable: boolean
    /** Whether the files were written just now. */
    readonly isNew: boolean
  }
  | {
    readonly entries: ReadonlyArray<Entry>
    /** Gets the files when the database is closed. */
    readonly keep?: (entries: ReadonlyArray<Entry>) => void
  }

interface Kind {
  readonly durable: boolean
  readonly isInMemory: boolean
}

const settings = ({ durable, isInMemory }: Kind) => [
  // clearing the 128 MB that are the default takes a fifth of a start, and the operating system caches the files.
  // Files in memory need no cache.
  `shared_buffers=${isInMemory ? "8MB" : "32MB"}`,
  // with more, a recursive statement overflows the stack of JavaScript, which is a crash
  "max_stack_depth=200kB",
  "timezone=UTC",
  "jit=off",
  ...Object.entries(ShortPlans.settings).map(([name, value]) => `${name}=${value}`),
  // the only sync method that the module passes on
  ...durable ? ["wal_sync_method=fsync"] : []
]

/** Its packages are optional: a service with a PostgreSQL leaves them out. */
export const installed = Effect.tryPromise({
  try: () => import("@electric-sql/pglite"),
  catch: (cause) =>
    new EmbeddedDatabaseFailed({
      problem: "its packages are not installed. Set DATABASE_URL to a PostgreSQL, or install with optional packages",
      cause
    })
})

const failure = (cause: unknown) => new EmbeddedDatabaseFailed({ problem: String(cause), cause })

/** Keeps the last lines of PostgreSQL's log: if it does not start, its exit code does not give a reason. */
const keepLog = (files: PgliteFiles): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const init = files.init.bind(files)
  const printErr = (line: string) => {
    if (lines.push(line) > 20) lines.shift()
  }
  files.init = (pglite, options) => init(pglite, { ...options, printErr })
  return lines
}

const create = Effect.fnUntraced(function*(files: PgliteFiles, kind: Kind) {
  const { PGlite } = yield* installed
  const log = keepLog(files)
  const loaded = yield* extensions
  const startParams = [
    ...PGlite.defaultStartParams.filter((parameter) => !(kind.durable && parameter === "-F")),
    ...settings(kind).flatMap((setting) => ["-c", setting])
  ]
  return yield* Effect.tryPromise({
    try: () => PGlite.create({ fs: files, startParams, extensions: loaded }).then(drive),
    catch: (cause) => new EmbeddedDatabaseFailed({ problem: log.join("; ") || String(cause), cause })
  })
})

export const open = Effect.fnUntraced(function*(source: Source) {
  if ("entries" in source) {
    return yield* create(filesInMemory(source.entries, source.keep), { durable: false, isInMemory: true })
  }
  const { directory, durable, isNew } = source
  // PostgreSQL would flush a thousand new files one after the other
  const sync = { isOn: durable && !isNew }
  const engine = yield* create(yield* Effect.promise(() => filesOnDisk(directory, sync)), {
    durable,
    isInMemory: false
  })
  if (durable && isNew) yield* flushTree(directory).pipe(Effect.mapError(failure))
  sync.isOn = durable
  return engine
})
