// The embedded database as a server to connect to. Its one session serves one connection at a time. The transaction,
// the prepared statements and the settings of a connection are removed at its end. If the module crashes, for example
// on a JSON value with 8,000 levels, the connection breaks, and the database is opened again from its files. As long as
// that fails, for example on a full disk, connections are refused, and it is tried again. A database in memory is lost.
import { Buffer } from "node:buffer"
import type { Duplex } from "node:stream"
import { setTimeout } from "node:timers/promises"
import type { Engine } from "./pgliteEngine.ts"
import { PgliteSession, type Turns } from "./pgliteSession.ts"

interface Waiting {
  readonly session: PgliteSession
  readonly begin: (engine: Engine) => void
}

const message = (letter: string, body: string): Buffer => {
  const bytes = Buffer.from(`${letter}....${body}`)
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}

/** Sync first: a connection may break off between two messages of a query. */
const clear = [message("S", ""), message("Q", "ROLLBACK\0"), message("Q", "DISCARD ALL\0")]

/** Milliseconds. */
export const reopenInterval = 5000

export class PgliteServer {
  private engine: Engine | undefined
  private closed: Error | undefined
  /** Why it could not be opened again the last time. */
  private refusal: Error | undefined
  private current: PgliteSession | undefined
  private waiting: ReadonlyArray<Waiting> = []
  /** Closes the crashed engine, and the engine that replaces it. */
  private recovery: Promise<void> = Promise.resolve()
  private readonly ending = new AbortController()
  private readonly reopen: ((cause: unknown) => Promise<Engine>) | undefined
  private readonly interval: number

  constructor(engine: Engine, reopen: ((cause: unknown) => Promise<Engine>) | undefined, interval = reopenInterval) {
    this.engine = engine
    this.reopen = reopen
    this.interval = interval
  }

  readonly connect = (): Duplex => new PgliteSession(this.turns)

  /** All connections must be closed before. */
  readonly close = (): Promise<void> => {
    const { engine } = this
    this.end(new Error("The embedded database is closed"))
    return engine === undefined ? this.recovery : engine.close()
  }

  private readonly turns: Turns = {
    enter: (session, begin) => {
      const refused = this.closed ?? this.refusal
      if (refused !== undefined) {
        session.destroy(refused)
        return
      }
      this.waiting = [...this.waiting, { session, begin }]
      this.next()
    },
    leave: (session) => {
      this.waiting = this.waiting.filter((waiting) => waiting.session !== session)
      if (this.current !== session) return
      this.current = undefined
      if (this.engine !== undefined) this.clear(this.engine)
      this.next()
    },
    crashed: (engine, cause) => this.crash(engine, cause)
  }

  private next(): void {
    const [first, ...rest] = this.waiting
    if (first === undefined || this.engine === undefined || this.current !== undefined) return
    this.waiting = rest
    this.current = first.session
    first.begin(this.engine)
  }

  private clear(engine: Engine): void {
    Promise.all(clear.map((message) => engine.run(message, { endsReady: true })))
      .catch((cause: unknown) => this.crash(engine, cause))
  }

  /** Of the calls that fail in a crash, the first one counts. */
  private crash(crashed: Engine, cause: unknown): void {
    const { current, engine, reopen } = this
    if (engine !== crashed) return
    this.engine = undefined
    this.current = undefined
    current?.destroy(new Error("The embedded database crashed", { cause }))
    if (reopen === undefined) {
      this.end(new Error("The embedded database crashed, and what was in its memory is lost", { cause }))
      return
    }
    // the files of a crashed thread are closed, whatever it says
    this.recovery = engine.discard().catch(() => undefined).then(() => this.recover(reopen, cause))
  }

  private recover(reopen: (cause: unknown) => Promise<Engine>, cause: unknown): Promise<void> {
    return reopen(cause).then((successor) => {
      if (this.closed !== undefined) return successor.close()
      this.refusal = undefined
      this.engine = successor
      this.next()
    }, (problem: unknown) => {
      if (this.closed !== undefined) return
      this.refusal = new Error("The embedded database could not be opened again", { cause: problem })
      this.refuse(this.refusal)
      return setTimeout(this.interval, undefined, { signal: this.ending.signal })
        .catch(() => undefined)
        .then(() => this.closed === undefined ? this.recover(reopen, problem) : undefined)
    })
  }

  private end(reason: Error): void {
    this.closed = reason
    this.engine = undefined
    this.ending.abort()
    this.refuse(reason)
    this.current?.destroy(reason)
  }

  private refuse(reason: Error): void {
    const left = this.waiting
    this.waiting = []
    for (const { session } of left) session.destroy(reason)
  }
}
