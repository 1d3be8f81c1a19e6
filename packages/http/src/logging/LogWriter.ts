// Writes the lines of the process to standard error, many at once and without waiting: a reader that is slow or away
// does not stop the service. Lines for which there is no room are dropped and counted.
import { write, writeSync } from "node:fs"

/** Bytes of lines that wait for the reader. */
const maxWaiting = 8 * 1024 * 1024

/** Lines of this time are written at once. */
const delayMillis = 10

/** Between two tries of a descriptor that takes nothing now. */
const retryMillis = 20

/** The time for the last lines when the process ends. */
const lastMillis = 1000

export interface LogWriter {
  readonly add: (line: string) => void
  /** Writes what is waiting, and returns when it is written. */
  readonly flush: () => void
}

const isBusy = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "EAGAIN"

const sleeping = new Int32Array(new SharedArrayBuffer(4))

/** Where the bytes go. */
export interface Sink {
  readonly write: (bytes: Buffer, done: (error: Error | null, written: number) => void) => void
  /** Returns how many bytes were written. */
  readonly writeNow: (bytes: Buffer) => number
}

const sinkOf = (descriptor: number): Sink => ({
  write: (bytes, done) => write(descriptor, bytes, 0, bytes.length, null, done),
  writeNow: (bytes) => writeSync(descriptor, bytes)
})

export const make = (sink: Sink): LogWriter => {
  let lines: Array<string> = []
  let waiting = 0
  let dropped = 0
  let rest: Buffer = Buffer.alloc(0)
  let isWriting = false
  let isScheduled = false

  /** The next bytes to write. */
  const next = (): Buffer => {
    if (rest.length === 0 && lines.length > 0) {
      if (dropped > 0) lines.push(`${dropped} lines of the log were dropped: standard error is read too slowly\n`)
      rest = Buffer.from(lines.join(""))
      lines = []
      waiting = dropped = 0
    }
    return rest
  }

  const writeNext = (): void => {
    isScheduled = false
    if (isWriting) return
    const bytes = next()
    if (bytes.length === 0) return
    isWriting = true
    sink.write(bytes, (error, written) => {
      isWriting = false
      if (error !== null && isBusy(error)) return schedule(retryMillis)
      // the reader is gone: the lines are lost
      rest = error === null ? rest.subarray(written) : rest.subarray(rest.length)
      if (rest.length > 0 || lines.length > 0) writeNext()
    })
  }

  const schedule = (millis: number): void => {
    if (isScheduled) return
    isScheduled = true
    // @effect-diagnostics-next-line globalTimers:off because lines are written outside of fibers
    setTimeout(writeNext, millis).unref()
  }

  const flush = (): void => {
    const until = performance.now() + lastMillis
    // what is being written is not written again
    if (isWriting) rest = Buffer.alloc(0)
    while (next().length > 0) {
      try {
        rest = rest.subarray(sink.writeNow(rest))
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) return
        Atomics.wait(sleeping, 0, 0, retryMillis)
      }
    }
  }

  return {
    add: (line) => {
      if (waiting + line.length > maxWaiting) {
        dropped++
        return
      }
      waiting += line.length
      lines.push(line, "\n")
      schedule(delayMillis)
    },
    flush
  }
}

let ofProcess: LogWriter | undefined

/** That of standard error. The last lines are written before the process ends. */
export const standardError = (): LogWriter => {
  if (ofProcess === undefined) {
    ofProcess = make(sinkOf(2))
    process.on("exit", ofProcess.flush)
  }
  return ofProcess
}
