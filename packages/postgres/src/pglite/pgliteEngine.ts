// PGlite, driven one batch of protocol messages at a time through the functions that its WebAssembly module exports.
// `execProtocolRaw` is not used: each SQL error leaves its frames on the module's stack, which is full after some 1,700
// of them; a crash of the module looks like an empty reply; and an error in the middle of a batch is followed by one
// ReadyForQuery too many. This engine restores the stack, throws at every exit that is not PostgreSQL's own jump out of
// an error, and removes the surplus message. A batch blocks the thread while it runs.
// @effect-diagnostics newPromise:off -- the thread of the database does not load Effect
import type { PGlite } from "@electric-sql/pglite"
import { Buffer } from "node:buffer"
import { isMainThread } from "node:worker_threads"
import { moduleOf } from "./pgliteModule.ts"

export interface Engine {
  /**
   * Returns PostgreSQL's replies to whole messages. Only the last message may request a ReadyForQuery. Calls are
   * executed in their order. It rejects if the module crashes; after that only `discard` can be called.
   */
  readonly run: (messages: Uint8Array, options: { readonly endsReady: boolean }) => Promise<Uint8Array>
  readonly startup: (packet: Uint8Array) => Promise<Uint8Array>
  /** Writes a last checkpoint and closes all files. */
  readonly close: () => Promise<void>
  /** Closes the files without a checkpoint. The next start recovers. */
  readonly discard: () => Promise<void>
}

/** The module's exit status when PostgreSQL jumps out of an error, as it does on every one. */
const jumpedOut = 100

const readyForQuery = "Z".charCodeAt(0)

/** A failed batch keeps at most its last ReadyForQuery, if one was requested. */
const withoutSurplusReady = (reply: Buffer, endsReady: boolean): Buffer => {
  const kept: Array<Buffer> = []
  let start = 0
  while (start < reply.length) {
    const end = start + 1 + reply.readInt32BE(start + 1)
    const isLast = end === reply.length
    if (reply[start] !== readyForQuery || (isLast && endsReady)) kept.push(reply.subarray(start, end))
    start = end
  }
  return Buffer.concat(kept)
}

/**
 * In a later turn of the event loop, so that a fiber with many statements does not block the others. A thread that only
 * executes statements has no others.
 */
const turn: (work: () => void) => void = isMainThread ? setImmediate : (work) => work()

export const drive = (pglite: PGlite): Engine => {
  const module = moduleOf(pglite.Module)
  const stack = module.___stack_pointer
  let input: Uint8Array = Buffer.alloc(0)
  let consumed = 0
  let output: Array<Buffer> = []
  let crash: { readonly cause: unknown } | undefined

  /** What waits when the module crashes is not executed: it would be part of the transaction of the crash. */
  const later = (work: () => Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) =>
      turn(() => {
        if (crash !== undefined) return reject(crash.cause)
        try {
          resolve(work())
        } catch (cause) {
          crash = { cause }
          reject(cause)
        }
      })
    )
  /** After what waits. */
  const afterAll = (work: () => Promise<void>): Promise<void> =>
    new Promise<void>((resolve) => setImmediate(resolve)).then(work)

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
    run: (messages, { endsReady }) =>
      later(() => {
        const reply = exchange(messages, mainLoop)
        return failed ? withoutSurplusReady(reply, endsReady) : reply
      }),
    startup: (packet) =>
      later(() =>
        exchange(packet, () => {
          if (module._ProcessStartupPacket(module._pgl_getMyProcPort(), true, true) !== 0) {
            throw new Error("The startup packet was refused")
          }
          module._pgl_sendConnData()
        })
      ),
    close: () => afterAll(() => pglite.close()),
    discard: () => afterAll(() => pglite.fs?.closeFs() ?? Promise.resolve())
  }
}
