// A worker thread, seen from the service. Its memory and its time are limited; one that exceeds them is terminated.
import { Duration, Effect, Queue, type Scope } from "effect"
import { Worker } from "node:worker_threads"
import { Unreadable } from "../Unreadable.ts"
import { addBatch } from "./pieces.ts"
import type { FromWorker, ToWorker } from "./Protocol.ts"

export interface WorkerLimits {
  /** Objects, texts and buffers of one worker. */
  readonly memoryBytes: number
  readonly timeout: Duration.Duration
}

export interface DocumentWorker {
  readonly request: <Item extends { readonly text: string }>(
    messages: Iterable<ToWorker>
  ) => Effect.Effect<ReadonlyArray<Item>, Unreadable>
}

type Event =
  | { readonly _tag: "Message"; readonly message: FromWorker<never> }
  | { readonly _tag: "Stopped"; readonly error: NodeJS.ErrnoException | undefined }

/** Beside this package's compiled modules, and beside a bundle when the bundle has it as a second entry. */
const defaultFile = import.meta.url.endsWith(".ts")
  ? new URL("../worker.ts", import.meta.url)
  : new URL("../worker.js", import.meta.url)

const mebi = 1024 * 1024

const outOfMemory = (limit: number) =>
  new Unreadable({
    reason: "out_of_memory",
    message: `The content needs more memory than a reader may use, ${Math.floor(limit / mebi)} MiB`
  })

const open = (file: URL, { memoryBytes }: WorkerLimits) =>
  new Worker(file, {
    name: "knowledge",
    // what reads the content of strangers needs no settings of the service, and none of its preloaded modules
    env: {},
    execArgv: [],
    // libraries print warnings about each odd file
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: Math.floor(memoryBytes / mebi),
      maxYoungGenerationSizeMb: 32,
      stackSizeMb: 4
    }
  })

/** The limit of the thread does not count buffers. */
const watchMemory = (worker: Worker, limit: number) =>
  Effect.gen(function*() {
    yield* Effect.sleep("100 millis")
    const { external_memory, used_heap_size } = yield* Effect.promise(() => worker.getHeapStatistics())
    if (external_memory + used_heap_size > limit) return yield* Effect.fail(outOfMemory(limit))
  }).pipe(Effect.forever, Effect.catchDefect(() => Effect.never))

/** Posts the messages of a request, and lets other work of the event loop in between. */
const post = (worker: Worker, messages: Iterable<ToWorker>) =>
  Effect.gen(function*() {
    for (const message of messages) {
      worker.postMessage(message, message._tag === "Bytes" ? [message.bytes.buffer] : [])
      yield* Effect.yieldNow
    }
  })

const collect = <Item extends { readonly text: string }>(worker: Worker, events: Queue.Queue<Event>, limit: number) =>
  Effect.gen(function*() {
    const items: Array<Item> = []
    while (true) {
      const event = yield* Queue.take(events)
      if (event._tag === "Stopped") {
        if (event.error?.code === "ERR_WORKER_OUT_OF_MEMORY") return yield* Effect.fail(outOfMemory(limit))
        return yield* Effect.die(
          event.error ?? new Error("The worker thread of readers stopped before its task was done")
        )
      }
      const { message } = event
      if (message._tag === "Failed") return yield* Effect.fail(new Unreadable(message))
      if (message._tag === "Done") return items
      addBatch<Item>(items, message.batch)
      // the next batch comes in another turn of the event loop
      worker.postMessage({ _tag: "Next" } satisfies ToWorker)
    }
  })

/** A thread that ends with its scope. */
export const start = (
  limits: WorkerLimits,
  file: URL = defaultFile
): Effect.Effect<DocumentWorker, never, Scope.Scope> =>
  Effect.gen(function*() {
    const events = yield* Queue.unbounded<Event>()
    const worker = yield* Effect.acquireRelease(
      Effect.sync(() => open(file, limits)),
      // not awaited: a thread inside of a long native call ends when the call ends
      (worker) => Effect.sync(() => void worker.terminate())
    )
    worker.stdout.resume()
    worker.stderr.resume()
    worker.unref()
    worker.on("message", (message: FromWorker<never>) => Queue.offerUnsafe(events, { _tag: "Message", message }))
    worker.on("error", (error) => Queue.offerUnsafe(events, { _tag: "Stopped", error }))
    worker.on("exit", () => Queue.offerUnsafe(events, { _tag: "Stopped", error: undefined }))
    return {
      request: <Item extends { readonly text: string }>(messages: Iterable<ToWorker>) =>
        post(worker, messages).pipe(
          Effect.andThen(collect<Item>(worker, events, limits.memoryBytes)),
          Effect.raceFirst(watchMemory(worker, limits.memoryBytes)),
          Effect.timeoutOrElse({
            duration: limits.timeout,
            orElse: () =>
              Effect.fail(
                new Unreadable({
                  reason: "timeout",
                  message: `The content was not read within ${Duration.toSeconds(limits.timeout)} seconds`
                })
              )
          })
        )
    }
  })
