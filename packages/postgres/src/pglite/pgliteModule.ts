// The part of PGlite's WebAssembly module that is used here. PGlite's own type of it needs types of emscripten that are
// not published.
import type { PGlite, PGliteOptions } from "@electric-sql/pglite"

export interface Module {
  readonly HEAPU8: Uint8Array
  readonly FS: FileSystem
  readonly ___stack_pointer: { value: number }
  readonly addFunction: (callback: (pointer: number, length: number) => number, signature: string) => number
  /** Starts PostgreSQL's session. */
  _pgl_startPGlite: () => void
  readonly _palloc: (size: number) => number
  readonly _repalloc: (pointer: number, size: number) => number
  readonly _pfree: (pointer: number) => void
  readonly _raw_parser: (text: number, mode: number) => number
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
  /** With `.` and `..`. */
  readonly readdir: (path: string) => ReadonlyArray<string>
  readonly stat: (path: string) => { readonly mode: number }
  readonly isDir: (mode: number) => boolean
  readonly readFile: (path: string) => Uint8Array<ArrayBuffer>
  readonly writeFile: (path: string, content: Uint8Array) => void
  readonly filesystems: {
    readonly NODEFS: {
      readonly realPath: (node: unknown) => string
      readonly stream_ops: { fsync?: (file: OpenFile) => number }
    }
  }
}

/** The file system that PGlite requires. */
export type PgliteFiles = NonNullable<PGliteOptions["fs"]>

type SystemCalls = Readonly<Record<string, unknown>>

export interface WasmImports {
  readonly env: SystemCalls
  readonly wasi_snapshot_preview1: SystemCalls
}

/** What PGlite passes to its module. */
interface ModuleOptions {
  readonly wasmMemory: WebAssembly.Memory
  readonly instantiateWasm: (imports: WasmImports, done: unknown) => unknown
}

/** The options that `PgliteFiles.init` returns. */
export const moduleOptionsOf = (options: object) => options as unknown as ModuleOptions

export const moduleOf = (module: PGlite["Module"]) => module as unknown as Module
