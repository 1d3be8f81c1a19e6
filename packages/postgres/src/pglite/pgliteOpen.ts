// Opens the embedded database from a directory that holds one, or from the files of a new one in memory.
import { Effect, Schema } from "effect"
import { flushTree } from "../runs/flush.ts"
import * as ShortPlans from "../sql/ShortPlans.ts"
import { drive } from "./pgliteEngine.ts"
import { extensions } from "./pgliteExtensions.ts"
import { filesInMemory, filesOnDisk } from "./pgliteFiles.ts"
import type { PgliteFiles } from "./pgliteModule.ts"
import type { Entry } from "./PgliteTemplate.ts"

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
    readonly keep?: ((entries: ReadonlyArray<Entry>) => void) | undefined
    /** The time of the database, in epoch milliseconds. That of this machine, when left out. */
    readonly now?: (() => number) | undefined
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

type SystemCalls = Readonly<Record<string, unknown>>

interface WasmImports {
  readonly env: SystemCalls
  readonly wasi_snapshot_preview1: SystemCalls
}

/** What PGlite passes to its module. */
interface ModuleOptions {
  readonly wasmMemory: WebAssembly.Memory
  readonly instantiateWasm: (imports: WasmImports, done: unknown) => unknown
}

/** The type of a clock in the interface of WebAssembly to its system. */
const realtime = 0

/** PostgreSQL reads all times of statements from here. */
const setTime = (files: PgliteFiles, now: () => number): void => {
  const init = files.init.bind(files)
  files.init = (pglite, options) =>
    init(pglite, options).then(({ emscriptenOpts }) => {
      const { instantiateWasm, wasmMemory } = emscriptenOpts as unknown as ModuleOptions
      const withClock = (calls: SystemCalls): SystemCalls => {
        const read = calls["clock_time_get"] as (clock: number, precision: bigint, result: number) => number
        const clock_time_get = (clock: number, precision: bigint, result: number) => {
          if (clock !== realtime) return read(clock, precision, result)
          new DataView(wasmMemory.buffer).setBigInt64(result, BigInt(Math.round(now() * 1000)) * 1000n, true)
          return 0
        }
        // a timer of PostgreSQL would end by this time, and is set by the time of this machine
        const own: SystemCalls = { clock_time_get, emscripten_date_now: now, _setitimer_js: () => 0 }
        // its functions are made when they are read
        return new Proxy(calls, { get: (target, name) => own[String(name)] ?? Reflect.get(target, name) })
      }
      return {
        emscriptenOpts: {
          ...emscriptenOpts,
          instantiateWasm: (imports: WasmImports, done: unknown) =>
            instantiateWasm({
              ...imports,
              env: withClock(imports.env),
              wasi_snapshot_preview1: withClock(imports.wasi_snapshot_preview1)
            }, done)
        }
      }
    })
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
    const files = filesInMemory(source.entries, source.keep)
    if (source.now !== undefined) setTime(files, source.now)
    return yield* create(files, { durable: false, isInMemory: true })
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
