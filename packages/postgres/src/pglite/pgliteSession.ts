// One connection to the embedded database, as the socket that a driver of PostgreSQL expects. It splits the written
// bytes into whole protocol messages, executes them, and returns the replies. Messages do not wait for the replies to
// those before them, so that the thread of the database does not wait for this one. It handles three messages itself:
// the request to encrypt (refused), the request to cancel (ignored: a statement cannot be interrupted) and the end of
// the connection.
import { Buffer } from "node:buffer"
import { Duplex } from "node:stream"
import type { Engine } from "./pgliteEngine.ts"

/** The connection that uses the engine: one at a time, in order of arrival. */
export interface Turns {
  readonly enter: (session: PgliteSession, begin: (engine: Engine) => void) => void
  readonly leave: (session: PgliteSession) => void
  readonly crashed: (engine: Engine, cause: unknown) => void
}

const code = { cancel: 80877102, tls: 80877103, gss: 80877104 } as const
const header = { first: 8, message: 5 } as const
const letter = (character: string) => character.charCodeAt(0)
const letters = { farewell: letter("X"), parse: letter("P"), query: letter("Q"), sync: letter("S") } as const

/** The module would wait for the rows in the middle of a batch, and block the process. */
const copyIn = /(?:^|\0)\s*copy\b[^\0]*\bfrom\s+stdin\b/i
const maxCopyBytes = 2000

const nothing = Buffer.alloc(0)

interface Batch {
  readonly messages: Buffer
  readonly endsReady: boolean
}

/**
 * Splits bytes into batches that end where PostgreSQL reports that it is ready, and the rest, an incomplete message.
 */
const cut = (bytes: Buffer) => {
  const batches: Array<Batch> = []
  let start = 0
  let end = 0
  let isLeaving = false
  while (bytes.length - end >= header.message) {
    const kind = bytes[end]
    isLeaving = kind === letters.farewell
    const next = end + 1 + bytes.readInt32BE(end + 1)
    if (isLeaving || next > bytes.length) break
    end = next
    if (kind === letters.sync || kind === letters.query) {
      batches.push({ messages: bytes.subarray(start, end), endsReady: true })
      start = end
    }
  }
  if (end > start) batches.push({ messages: bytes.subarray(start, end), endsReady: false })
  return { batches, isLeaving, rest: bytes.subarray(end) }
}

/** Drivers send a COPY alone, or as the first statement. */
const isCopyIn = (messages: Buffer) =>
  (messages[0] === letters.parse || messages[0] === letters.query) &&
  copyIn.test(messages.toString("latin1", header.message, maxCopyBytes))

export class PgliteSession extends Duplex {
  private readonly turns: Turns
  private engine: Engine | undefined
  /** The first bytes of an incomplete message. */
  private part: Buffer = nothing
  /** The last reply, which comes after all others. */
  private last: Promise<void> = Promise.resolve()

  constructor(turns: Turns) {
    super()
    this.turns = turns
  }

  override _read() {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    const bytes = this.part.length === 0 ? chunk : Buffer.concat([this.part, chunk])
    this.part = nothing
    if (this.engine === undefined) return this.start(bytes, done)
    this.serve(this.engine, bytes)
    done()
  }

  override _final(done: () => void) {
    this.last.then(() => {
      done()
      this.destroy()
    })
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    this.turns.leave(this)
    done(error)
  }

  /** The first message has no type byte, only its length and a code. */
  private start(bytes: Buffer, done: () => void): void {
    const length = bytes.length < header.first ? header.first : bytes.readInt32BE(0)
    if (bytes.length < length) {
      this.part = bytes
      return done()
    }
    const kind = bytes.readInt32BE(4)
    if (kind === code.cancel) {
      done()
      this.destroy()
      return
    }
    if (kind === code.tls || kind === code.gss) {
      this.push("N")
      return bytes.length > length ? this.start(bytes.subarray(length), done) : done()
    }
    this.turns.enter(this, (engine) => {
      this.engine = engine
      this.reply(engine, engine.startup(bytes.subarray(0, length)))
      this.serve(engine, bytes.subarray(length))
      done()
    })
  }

  private serve(engine: Engine, bytes: Buffer): void {
    const { batches, isLeaving, rest } = cut(bytes)
    if (!isLeaving) this.part = rest
    if (batches.some(({ messages }) => isCopyIn(messages))) {
      this.destroy(new Error("COPY ... FROM STDIN is not supported by the embedded database"))
      return
    }
    for (const batch of batches) this.reply(engine, engine.run(batch.messages, batch))
  }

  /** Replies come in their order. */
  private reply(engine: Engine, reply: Promise<Uint8Array>): void {
    this.last = reply.then((bytes) => {
      if (!this.destroyed && bytes.length > 0) this.push(bytes)
    }, (cause: unknown) => this.turns.crashed(engine, cause))
  }
}
