// A reader process, as the service uses it. It is no thread: if a thread runs out of memory inside of a native call, V8
// ends the whole process.
import { Data, Duration, Effect, Queue, type Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Unreadable } from "../Unreadable.ts"
import { addBatch, lengthOf } from "./pieces.ts"
import { type FromReader, memorySignal, type ToReader } from "./Protocol.ts"

export interface ProcessLimits {
  /** The memory limit of the process, with the program itself. */
  readonly memoryBytes: number
  readonly timeout: Duration.Duration
  /** Of the annotations of a document, behind its text. */
  readonly annotationsTimeout: Duration.Duration
}

export interface ReaderProcess {
  /** Whether it uses so much memory that the next source could exceed the limit. */
  readonly isSpent: () => boolean
  readonly request: <Item extends { readonly text: string }>(
    messages: Iterable<ToReader>,
    /** About as many characters are taken over. */
    maxLength: number
  ) => Effect.Effect<ReadonlyArray<Item>, Unreadable>
}

/** A defect: the program of the process is missing or does not start. */
class ReaderStopped extends Data.Error<{ readonly message: string }> {}

type Event =
  | { readonly _tag: "Message"; readonly message: FromReader<never> }
  | { readonly _tag: "Stopped"; readonly code: number | null; readonly signal: NodeJS.Signals | null }

const mebi = 1024 * 1024

const open = (file: URL, { memoryBytes }: ProcessLimits): ChildProcess =>
  fork(fileURLToPath(file), [String(memoryBytes)], {
    serialization: "advanced",
    // it reads untrusted files: it gets no secrets, and can neither write files nor start processes
    env: {},
    execArgv: [
      "--permission",
      "--allow-fs-read=*",
      "--allow-worker",
      `--max-old-space-size=${Math.floor(memoryBytes / mebi)}`
    ],
    stdio: ["ignore", "ignore", "pipe", "ipc"]
  })

const send = (process: ChildProcess, message: ToReader) =>
  Effect.callback<void>((resume) => {
    // a process that stopped is reported by its end
    process.send(message, () => resume(Effect.void))
  })

/** Aborted by V8 at its limit, or ended by its own check of its memory. */
const isOutOfMemory = ({ code, signal }: { readonly code: number | null; readonly signal: string | null }) =>
  signal === memorySignal || signal === "SIGABRT" || signal === "SIGTRAP" || code === 134

interface Progress {
  /** Only annotations are left to read. */
  isInAnnotations: boolean
}

const tooManyAnnotations = Effect.fail(
  new Unreadable({ reason: "annotations", message: "The annotations need too much time or memory" })
)

const collect = <Item extends { readonly text: string }>(
  process: ChildProcess,
  events: Queue.Queue<Event>,
  { annotationsTimeout, memoryBytes }: ProcessLimits,
  errors: () => string,
  maxLength: number,
  progress: Progress
) =>
  Effect.gen(function*() {
    const items: Array<Item> = []
    let length = 0
    while (true) {
      const event: Event = yield* progress.isInAnnotations
        ? Effect.timeoutOrElse(Queue.take(events), { duration: annotationsTimeout, orElse: () => tooManyAnnotations })
        : Queue.take(events)
      if (event._tag === "Stopped") {
        if (event.signal === "SIGKILL") {
          return yield* Effect.fail(new Unreadable({ reason: "killed", message: "A reader process was killed" }))
        }
        if (!isOutOfMemory(event)) {
          const end = event.signal ?? `the code ${event.code}`
          return yield* Effect.die(new ReaderStopped({ message: `A reader process ended with ${end}: ${errors()}` }))
        }
        if (progress.isInAnnotations) return yield* tooManyAnnotations
        return yield* Effect.fail(
          new Unreadable({
            reason: "out_of_memory",
            message: `The content needs more memory than a reader may use, ${
              Math.floor(memoryBytes / mebi)
            } MiB. The operator raises it with READER_MEMORY_BYTES`
          })
        )
      }
      const { message } = event
      progress.isInAnnotations = message._tag === "Annotations"
      if (message._tag === "Annotations") continue
      if (message._tag === "Failed") return yield* Effect.fail(new Unreadable(message))
      if (message._tag === "Done") return { items, memoryBytes: message.memoryBytes }
      length += lengthOf(message.batch)
      if (length > maxLength) {
        const message = `The content has more than ${maxLength} characters of text`
        return yield* Effect.fail(new Unreadable({ reason: "too_large", message }))
      }
      addBatch<Item>(items, message.batch)
      // the next batch comes in another turn of the event loop
      yield* send(process, { _tag: "Next" })
    }
  })

/** A process that ends with its scope. */
export const start = (
  limits: ProcessLimits,
  file: URL
): Effect.Effect<ReaderProcess, never, Scope.Scope> =>
  Effect.gen(function*() {
    const events = yield* Queue.unbounded<Event>()
    const process = yield* Effect.acquireRelease(
      Effect.sync(() => open(file, limits)),
      (process) => Effect.sync(() => void process.kill("SIGKILL"))
    )
    let [errors, used] = ["", 0]
    process.stderr?.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-2000)))
    process.on("message", (message: FromReader<never>) => Queue.offerUnsafe(events, { _tag: "Message", message }))
    process.on("error", ({ message }) => (errors = message))
    process.on("close", (code, signal) => Queue.offerUnsafe(events, { _tag: "Stopped", code, signal }))
    const timedOut = new Unreadable({
      reason: "timeout",
      message: `The content was not read within ${
        Duration.toSeconds(limits.timeout)
      } seconds. The operator raises it with READER_TIMEOUT`
    })
    return {
      isSpent: () => used > limits.memoryBytes / 2,
      request: <Item extends { readonly text: string }>(messages: Iterable<ToReader>, maxLength: number) => {
        const progress: Progress = { isInAnnotations: false }
        return Effect.forEach(messages, (message) => send(process, message), { discard: true }).pipe(
          Effect.andThen(collect<Item>(process, events, limits, () => errors, maxLength, progress)),
          Effect.map(({ items, memoryBytes }) => {
            used = memoryBytes
            return items
          }),
          Effect.timeoutOrElse({
            duration: limits.timeout,
            orElse: () => progress.isInAnnotations ? tooManyAnnotations : Effect.fail(timedOut)
          })
        )
      }
    }
  })
