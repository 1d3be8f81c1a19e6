// PGlite, driven one batch of protocol messages at a time through the functions that its WebAssembly module exports.
// `execProtocolRaw` is not used: each SQL error leaves its frames on the module's stack, which is full after some 1,700
// of them; a crash of the module is swallowed and looks like an empty answer; and an error in the middle of a batch is
// followed by one ReadyForQuery too many. Here the stack is put back, what is not PostgreSQL's own jump out of an error
// throws, and the surplus is taken out. A batch blocks the process while it runs.
import type { PGlite, PGliteOptions } from "@electric-sql/pglite"
import { Effect, Schema } from "effect"
import { Buffer } from "node:buffer"
import { closeSync, fdatasyncSync, fsyncSync, openSync } from "node:fs"
import { join } from "node:path"
import { flushTree } from "./flush.ts"
import type { Entry } from "./pglite-template.ts"

export class EngineFailed extends Schema.TaggedError<EngineFailed>()("EngineFailed", {
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
    /** Whether a commit is on the disk, and not only with the operating system, before it is answered. */
    readonly durable: boolean
    /** Whether the files were written just now. */
    readonly isNew: boolean
  }
  | { readonly entries: ReadonlyArray<Entry> }

export interface Engine {
  /**
   * Gives what PostgreSQL answers to whole messages, of which only the last may ask for a ReadyForQuery. It throws when
   * the module has crashed; then only `discard` may follow.
   */
  readonly run: (messages: Uint8Array, options: { readonly endsReady: boolean }) => Buffer
  readonly startup: (packet: Uint8Array) => Buffer
  /** Writes a last checkpoint and lets go of every file. */
  readonly close: () => Promise<void>
  /** Lets go of the files and leaves the rest to recovery at the next start. */
  readonly discard: () => Promise<void>
}

/** What is used of the module. Its published type depends on types of emscripten that are not published with it. */
interface Module {
  readonly HEAPU8: Uint8Array
  readonly FS: FileSystem
  readonly ___stack_pointer: { value: number }
  readonly addFunction: (callback: (pointer: number, length: number) => number, signature: string) => number
  readonly _pgl_set_rw_cbs: (read: number, write: number) => void
  readonly _PostgresMainLoopOnce: () => void
  readonly _PostgresMainLongJmp: () => void
  readonly _PostgresSendReadyForQueryIfNecessary: () => void
  readonly _pq_buffer_remaining_data: () => number
  readonly _pgl_pq_flush: () => void
  readonly _pgl_setPGliteExitStatus: (status: number) => number
  readonly _pgl_getMyProcPort: () => number
  readonly _ProcessStartupPacket: (port: number, tlsDone: boolean, gssDone: boolean) => number
  readonly _pgl_sendConnData: () => void
}

interface OpenFile {
  /** Undefined for a directory. */
  readonly nfd?: number
  readonly node: unknown
}

interface FileSystem {
  readonly mkdirTree: (path: string) => void
  readonly writeFile: (path: string, content: Uint8Array) => void
  readonly filesystems: {
    readonly NODEFS: {
      readonly realPath: (node: unknown) => string
      readonly stream_ops: { fsync?: (file: OpenFile) => number }
    }
  }
}

type PgliteFiles = NonNullable<PGliteOptions["fs"]>

/** Where the module expects its database. */
const root = "/pglite/data"

/** The module's exit status when PostgreSQL jumps out of an error, as it does on every one. */
const jumpedOut = 100

const settings = (durable: boolean) => [
  // half of the 300 ms that a start takes goes into 128 MB of buffers, and the operating system caches the files anyway
  "shared_buffers=32MB",
  // with more, a statement that recurses is stopped by the end of JavaScript's stack, which is a crash
  "max_stack_depth=200kB",
  "timezone=UTC",
  "jit=off",
  // the one way of syncing that the module passes on
  ...durable ? ["wal_sync_method=fsync"] : []
]

const engineFailed = (cause: unknown) => new EngineFailed({ problem: String(cause), cause })

const moduleOf = (pglite: PGlite) => pglite.Module as unknown as Module

/** The module knows no fsync for files of node: without this a commit is only as safe as the operating system. */
const passOnSync = ({ FS: { filesystems: { NODEFS } } }: Pick<Module, "FS">, when: { isOn: boolean }) => {
  NODEFS.stream_ops.fsync = ({ nfd, node }) => {
    if (!when.isOn) return 0
    if (nfd !== undefined) {
      fdatasyncSync(nfd)
      return 0
    }
    // Windows cannot sync a directory, and need not
    if (process.platform === "win32") return 0
    const directory = openSync(NODEFS.realPath(node), "r")
    fsyncSync(directory)
    closeSync(directory)
    return 0
  }
}

const filesOnDisk = (directory: string, sync: { isOn: boolean }): Promise<PgliteFiles> =>
  import("@electric-sql/pglite/nodefs").then(({ NodeFS }) => {
    const files = new NodeFS(directory)
    const init = files.init.bind(files)
    files.init = (pglite, options) =>
      init(pglite, options).then(({ emscriptenOpts }) => ({
        emscriptenOpts: {
          ...emscriptenOpts,
          preRun: [...emscriptenOpts.preRun ?? [], (module) => passOnSync(module as unknown as Module, sync)]
        }
      }))
    return files
  })

const filesInMemory = (entries: ReadonlyArray<Entry>): PgliteFiles => {
  let pglite: PGlite | undefined
  return {
    init: (instance, emscriptenOpts) => {
      pglite = instance
      return Promise.resolve({ emscriptenOpts })
    },
    initialSyncFs: () => {
      if (pglite === undefined) return Promise.resolve()
      const { FS } = moduleOf(pglite)
      for (const { content, path } of entries) {
        if (content === undefined) FS.mkdirTree(join(root, path))
        else FS.writeFile(join(root, path), content)
      }
      return Promise.resolve()
    },
    syncToFs: () => Promise.resolve(),
    closeFs: () => Promise.resolve(),
    dumpTar: () => Promise.reject(new Error("not supported"))
  }
}

const readyForQuery = "Z".charCodeAt(0)

/** In a batch that failed only the last may stay, and that only if it was asked for. */
const withoutSurplusReady = (answer: Buffer, endsReady: boolean): Buffer => {
  const kept: Array<Buffer> = []
  let start = 0
  while (start < answer.length) {
    const end = start + 1 + answer.readInt32BE(start + 1)
    const isLast = end === answer.length
    if (answer[start] !== readyForQuery || (isLast && endsReady)) kept.push(answer.subarray(start, end))
    start = end
  }
  return Buffer.concat(kept)
}

const drive = (pglite: PGlite): Engine => {
  const module = moduleOf(pglite)
  const stack = module.___stack_pointer
  let input: Uint8Array = Buffer.alloc(0)
  let consumed = 0
  let output: Array<Buffer> = []

  const read = module.addFunction((pointer, length) => {
    const part = input.subarray(consumed, consumed + length)
    module.HEAPU8.set(part, pointer)
    consumed += part.length
    return part.length
  }, "iii")
  const write = module.addFunction((pointer, length) => {
    // a copy: the memory is used again
    output.push(Buffer.from(module.HEAPU8.subarray(pointer, pointer + length)))
    return length
  }, "iii")
  module._pgl_set_rw_cbs(read, write)

  const exchange = (bytes: Uint8Array, work: () => void): Buffer => {
    const depth = stack.value
    input = bytes
    consumed = 0
    output = []
    try {
      work()
      module._pgl_pq_flush()
      const [first] = output
      return first !== undefined && output.length === 1 ? first : Buffer.concat(output)
    } finally {
      stack.value = depth
      output = []
    }
  }

  let failed = false
  const mainLoop = () => {
    failed = false
    while (consumed < input.length || module._pq_buffer_remaining_data() > 0) {
      try {
        module._PostgresMainLoopOnce()
      } catch (cause) {
        if (module._pgl_setPGliteExitStatus(0) !== jumpedOut) throw cause
        failed = true
        module._PostgresMainLongJmp()
      }
    }
    module._PostgresSendReadyForQueryIfNecessary()
  }

  return {
    run: (messages, { endsReady }) => {
      const answer = exchange(messages, mainLoop)
      return failed ? withoutSurplusReady(answer, endsReady) : answer
    },
    startup: (packet) =>
      exchange(packet, () => {
        if (module._ProcessStartupPacket(module._pgl_getMyProcPort(), true, true) !== 0) {
          throw new Error("The startup packet was refused")
        }
        module._pgl_sendConnData()
      }),
    close: () => pglite.close(),
    discard: () => pglite.fs?.closeFs() ?? Promise.resolve()
  }
}

/** Keeps the last lines that PostgreSQL logs, because when it does not start its exit says nothing. */
const keepLog = (files: PgliteFiles): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const init = files.init.bind(files)
  const printErr = (line: string) => {
    if (lines.push(line) > 20) lines.shift()
  }
  files.init = (pglite, options) => init(pglite, { ...options, printErr })
  return lines
}

const create = Effect.fnUntraced(function*(files: PgliteFiles, durable: boolean) {
  const { PGlite } = yield* Effect.promise(() => import("@electric-sql/pglite"))
  const log = keepLog(files)
  const startParams = [
    ...PGlite.defaultStartParams.filter((parameter) => !(durable && parameter === "-F")),
    ...settings(durable).flatMap((setting) => ["-c", setting])
  ]
  return yield* Effect.tryPromise({
    try: () => PGlite.create({ fs: files, startParams }).then(drive),
    catch: (cause) => new EngineFailed({ problem: log.join("; ") || String(cause), cause })
  })
})

export const open = Effect.fnUntraced(function*(source: Source) {
  if ("entries" in source) return yield* create(filesInMemory(source.entries), false)
  const { directory, durable, isNew } = source
  // PostgreSQL would flush a thousand new files one after the other
  const sync = { isOn: durable && !isNew }
  const engine = yield* create(yield* Effect.promise(() => filesOnDisk(directory, sync)), durable)
  if (durable && isNew) yield* flushTree(directory).pipe(Effect.mapError(engineFailed))
  sync.isOn = durable
  return engine
})
