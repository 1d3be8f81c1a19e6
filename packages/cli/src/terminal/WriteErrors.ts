// What happens when standard output or standard error cannot be written. A reader that has read enough, such as `head`,
// is no error. A full disk is: the command must not end as if its result had been delivered.
import process from "node:process"

/** The first error of standard output. */
let failure: NodeJS.ErrnoException | undefined

export const watchOutput = (): void => {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (failure !== undefined) return
    failure = error
    if (error.code === "EPIPE") return
    process.exitCode = 1
    process.stderr.write(`svc: standard output could not be written: ${error.message}\n`)
  })
  // there is nowhere left to report it
  process.stderr.on("error", () => undefined)
}

/** Calls back when the reader of standard output has gone. Returns what takes the callback back. */
export const whenReaderGone = (done: () => void): () => void => {
  const onError = ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") done()
  }
  if (failure !== undefined) onError(failure)
  process.stdout.on("error", onError)
  return () => process.stdout.off("error", onError)
}

/** Calls back when all output was written, or failed to be. */
export const settleOutput = (done: (failure: NodeJS.ErrnoException | undefined) => void): void => {
  // the error of a stream is reported after the callbacks of its writes
  process.stdout.write("", () => setImmediate(() => done(failure)))
}
