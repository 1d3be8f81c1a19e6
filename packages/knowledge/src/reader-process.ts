// The program of a reader process: reads and chunks, one task at a time.
import { Effect, Queue, Result } from "effect"
import { Worker } from "node:worker_threads"
import { chunkDocuments } from "./chunkers/chunkDocuments.ts"
import type { ReadDocument } from "./Document.ts"
import { addBatch, toBatches } from "./processes/pieces.ts"
import { type Answer, type FromReader, memorySignal, type Task, type ToReader } from "./processes/Protocol.ts"
import type { ReaderLimits } from "./ReaderLimits.ts"
import { readSource } from "./readers/readSource.ts"
import { Unreadable } from "./Unreadable.ts"

interface Received {
  readonly task: Task
  readonly limits: ReaderLimits
  readonly bytes: Array<Uint8Array>
  readonly documents: Array<ReadDocument>
  text: string
}

const send = (message: FromReader<Answer>) => Effect.sync(() => process.send?.(message))

/**
 * The limit of V8 does not count buffers, and no timer fires while a file is read: a thread looks at the memory of the
 * process. It also ends a process whose service was killed. Its program is a text: a bundle has no file of it.
 * Nothing else sends the signal for memory, so the service knows the reason of the end.
 */
const watch = (limit: number) =>
  new Worker(
    `const service = process.ppid
    setInterval(() => {
      if (process.memoryUsage.rss() > ${limit}) process.kill(process.pid, "${memorySignal}")
      if (process.ppid !== service) process.kill(process.pid, "SIGKILL")
    }, 25)`,
    { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }
  ).unref()

const receive = Effect.fnUntraced(function*(messages: Queue.Queue<ToReader>) {
  let received: Received | undefined
  while (true) {
    const message = yield* Queue.take(messages)
    if (message._tag === "Begin") {
      const { limits, task } = message
      received = { task, limits, bytes: [], documents: [], text: "" }
    } else if (received === undefined) continue
    else if (message._tag === "Bytes") received.bytes.push(message.bytes)
    else if (message._tag === "Text") received.text += message.text
    else if (message._tag === "Documents") addBatch(received.documents, message.batch)
    else if (message._tag === "End") return received
  }
})

const answerOf = ({ bytes, documents, limits, task, text }: Received): Effect.Effect<Iterable<Answer>, Unreadable> =>
  task._tag === "Read"
    ? readSource(
      { ...task, ...(task.isText ? { text } : { bytes: Buffer.concat(bytes) }) },
      limits,
      send({ _tag: "Annotations" })
    )
    : Effect.succeed(chunkDocuments(documents, task.chunking, limits))

const nextOf = <A>(iterator: Iterator<A>): Effect.Effect<IteratorResult<A>, Unreadable> =>
  Effect.fromResult(Result.try({
    try: () => iterator.next(),
    catch: (error) =>
      error instanceof Unreadable ? error : new Unreadable({
        reason: "broken",
        message: `The content could not be processed: ${error instanceof Error ? error.message : String(error)}`
      })
  }))

const execute = Effect.fnUntraced(function*(messages: Queue.Queue<ToReader>) {
  const received = yield* receive(messages)
  const batches = toBatches(yield* answerOf(received))
  while (true) {
    const { done, value } = yield* nextOf(batches)
    if (done === true) return yield* send({ _tag: "Done", memoryBytes: process.memoryUsage.rss() })
    yield* send({ _tag: "Batch", batch: value })
    yield* Queue.take(messages)
  }
}, Effect.catch(({ message, reason }) => send({ _tag: "Failed", reason, message })))

const main = Effect.gen(function*() {
  const messages = yield* Queue.unbounded<ToReader>()
  process.on("message", (message: ToReader) => Queue.offerUnsafe(messages, message))
  process.on("disconnect", () => process.exit())
  return yield* Effect.forever(execute(messages))
})

watch(Number(process.argv[2]))
Effect.runFork(main)
