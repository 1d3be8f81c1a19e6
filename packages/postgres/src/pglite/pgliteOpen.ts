// Opens the embedded database from a directory that holds one, or from the files of a new one in memory. It imports no
// Effect, because the thread of the database loads it.
// @effect-diagnostics asyncFunction:off newPromise:off -- the thread of the database does not load Effect
import type { Extensions, PGlite } from "@electric-sql/pglite"
import { existsSync } from "node:fs"
import { open as openFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import * as ShortPlans from "../sql/ShortPlans.ts"
import { collectGarbage } from "./collectGarbage.ts"
import { drive, type Engine } from "./pgliteEngine.ts"
import { filesInMemory, filesOnDisk } from "./pgliteFiles.ts"
import { type Module, moduleOf, moduleOptionsOf, type PgliteFiles, type WasmImports } from "./pgliteModule.ts"
import type { Entry } from "./PgliteTemplate.ts"

interface Options {
  /** Whether pgvector is loaded. */
  readonly hasVectors: boolean
}

export interface OnDisk extends Options {
  readonly directory: string
  /** Whether a commit is flushed to the disk before the reply. */
  readonly durable: boolean
  /** Whether the files were written just now. */
  readonly isNew: boolean
}

export interface InMemory extends Options {
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

// The package of pgvector may be missing, and a bundle of a service may lack its file: the database opens without.
const extensions = async ({ hasVectors }: Options): Promise<Extensions> => {
  if (!hasVectors) return {}
  try {
    const { vector } = await import("@electric-sql/pglite-pgvector")
    const { bundlePath } = await vector.setup({} as never, {})
    return bundlePath !== undefined && existsSync(bundlePath) ? { vector } : {}
  } catch {
    return {}
  }
}

const settings = ({ durable, isInMemory }: Kind) => [
  // clearing the 128 MB that are the default takes a fifth of a start, and the operating system caches the files.
  // Files in memory need no cache.
  `shared_buffers=${isInMemory ? "8MB" : "16MB"}`,
  // with more, a recursive statement overflows the stack of JavaScript, which is a crash
  "max_stack_depth=200kB",
  "timezone=UTC",
  "jit=off",
  ...Object.entries(ShortPlans.settings).map(([name, value]) => `${name}=${value}`),
  // the only sync method that the module passes on
  ...durable ? ["wal_sync_method=fsync"] : []
]

/** While the filter is set, only the function of this index is optimized of what is compiled. */
const optimizeOnly = (index: number) => setFlagsFromString(`--wasm-tier-up-filter=${index}`)
/** An import, which is never compiled. */
const none = 0
const all = -1

/**
 * Parses an empty text while no function is optimized, which keeps the code that V8's first compiler makes of the
 * parser. For this one large function, the optimizing compiler takes 600 MB and a second of a core. The parser only
 * reads statements that are not prepared.
 */
const compileParser = (module: Module) => {
  const stack = module.___stack_pointer
  const depth = stack.value
  stack.value -= 16
  module.HEAPU8[stack.value] = 0
  // it would be compiled again, without the filter
  setFlagsFromString("--no-flush-liftoff-code")
  optimizeOnly(none)
  try {
    module._raw_parser(stack.value, 0)
  } finally {
    stack.value = depth
  }
}

/** The parser allocates, so it works from when PostgreSQL has started. `isSettled`: the rest is optimized from then. */
const compileParserAtStart = (module: Module, isSettled: boolean) => {
  const start = module._pgl_startPGlite
  module._pgl_startPGlite = () => {
    start()
    compileParser(module)
    if (isSettled) optimizeOnly(all)
  }
}

/**
 * Ends a start in which nothing was optimized. The code of the start is dropped with the garbage, so functions are
 * compiled again when they are called, and optimized when they are called often.
 */
const optimizeFromNow = (module: Module) => {
  try {
    setFlagsFromString("--flush-liftoff-code")
    collectGarbage()
    // what the parser calls is compiled before it, because it shall be optimized
    optimizeOnly(all)
    module._pfree(module._repalloc(module._palloc(8), 4096))
    compileParser(module)
  } finally {
    optimizeOnly(all)
  }
}

/** Keeps the last lines of PostgreSQL's log: if it does not start, its exit code does not give a reason. */
const prepare = (files: PgliteFiles, { isInMemory }: Kind): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const init = files.init.bind(files)
  const printErr = (line: string) => {
    if (lines.push(line) > 20) lines.shift()
  }
  files.init = (pglite, options) =>
    init(pglite, {
      ...options,
      printErr,
      preRun: [...options.preRun ?? [], (module) => compileParserAtStart(moduleOf(module), isInMemory)]
    })
  return lines
}

/** The type of a clock in the interface of WebAssembly to its system. */
const realtime = 0

/** PostgreSQL reads all times of statements from here. */
const setTime = (files: PgliteFiles, now: () => number): void => {
  const init = files.init.bind(files)
  files.init = (pglite, options) =>
    init(pglite, options).then(({ emscriptenOpts }) => {
      const { instantiateWasm, wasmMemory } = moduleOptionsOf(emscriptenOpts)
      const withClock = (calls: WasmImports["env"]): WasmImports["env"] => {
        const read = calls["clock_time_get"] as (clock: number, precision: bigint, result: number) => number
        const clock_time_get = (clock: number, precision: bigint, result: number) => {
          if (clock !== realtime) return read(clock, precision, result)
          new DataView(wasmMemory.buffer).setBigInt64(result, BigInt(Math.round(now() * 1000)) * 1000n, true)
          return 0
        }
        // a timer of PostgreSQL would end by this time, and is set by the time of this machine
        const own: WasmImports["env"] = { clock_time_get, emscripten_date_now: now, _setitimer_js: () => 0 }
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

const create = async (files: PgliteFiles, kind: Kind, options: Options): Promise<PGlite> => {
  const { PGlite } = await import("@electric-sql/pglite")
  const log = prepare(files, kind)
  const startParams = [
    ...PGlite.defaultStartParams.filter((parameter) => !(kind.durable && parameter === "-F")),
    ...settings(kind).flatMap((setting) => ["-c", setting])
  ]
  try {
    return await PGlite.create({ fs: files, startParams, extensions: await extensions(options) })
  } catch (cause) {
    throw new Error(log.join("; ") || String(cause), { cause })
  }
}

/** Flushes all files of a directory to the disk, many at a time: in sequence it takes several times as long. */
const flush = async (directory: string) => {
  const paths = [".", ...await readdir(directory, { recursive: true })]
  const flushSome = async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const file = await openFile(join(directory, path), "r")
      await file.sync().finally(() => file.close())
    }
  }
  await Promise.all(Array.from({ length: 32 }, flushSome))
}

export const openInMemory = ({ entries, keep, now, ...options }: InMemory): Promise<Engine> => {
  const files = filesInMemory(entries, keep)
  if (now !== undefined) setTime(files, now)
  return create(files, { durable: false, isInMemory: true }, options).then(drive)
}

export interface EngineOnDisk extends Engine {
  /** Called once, when the start is over. Before it statements are not optimized: most of a start are executed once. */
  readonly settle: () => void
}

export const openOnDisk = async ({ directory, durable, isNew, ...options }: OnDisk): Promise<EngineOnDisk> => {
  // PostgreSQL would flush a thousand new files one after the other
  const sync = { isOn: durable && !isNew }
  optimizeOnly(none)
  try {
    const pglite = await create(await filesOnDisk(directory, sync), { durable, isInMemory: false }, options)
    if (durable && isNew) await flush(directory)
    sync.isOn = durable
    const engine = drive(pglite)
    // the filter is one of the whole process, which can have other modules of WebAssembly
    const end = (how: () => Promise<void>) => () => {
      optimizeOnly(all)
      return how()
    }
    return {
      ...engine,
      close: end(engine.close),
      discard: end(engine.discard),
      settle: () => optimizeFromNow(moduleOf(pglite.Module))
    }
  } catch (cause) {
    optimizeOnly(all)
    throw cause
  }
}
