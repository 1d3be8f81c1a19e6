// The entry point of a worker thread: reads and chunks, one task at a time.
import { Effect, Queue, Result } from "effect"
import { parentPort } from "node:worker_threads"
import { chunkDocuments } from "./chunkers/chunkDocuments.ts"
import type { ReadDocument } from "./Document.ts"
import type { ReaderLimits } from "./ReaderLimits.ts"
import { readSource } from "./readers/readSource.ts"
import { Unreadable } from "./Unreadable.ts"
import { addBatch, toBatches } from "./workers/pieces.ts"
import type { Answer, FromWorker, Task, ToWorker } from "./workers/Protocol.ts"

interface Received {
  readonly task: Task
  readonly limits: ReaderLimits
  readonly bytes: Array<Uint8Array>
  readonly documents: Array<ReadDocument>
  text: string
}

const send = (message: FromWorker<Answer>) => Effect.sync(() => parentPort?.postMessage(message))

const receive = Effect.fnUntraced(function*(messages: Queue.Queue<ToWorker>) {
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
    ? readSource({ ...task, ...(task.isText ? { text } : { bytes: Buffer.concat(bytes) }) }, limits)
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

const execute = Effect.fnUntraced(function*(messages: Queue.Queue<ToWorker>) {
  const received = yield* receive(messages)
  const batches = toBatches(yield* answerOf(received))
  while (true) {
    const { done, value } = yield* nextOf(batches)
    if (done === true) return yield* send({ _tag: "Done" })
    yield* send({ _tag: "Batch", batch: value })
    yield* Queue.take(messages)
  }
}, Effect.catch(({ message, reason }) => send({ _tag: "Failed", reason, message })))

const main = Effect.gen(function*() {
  const messages = yield* Queue.unbounded<ToWorker>()
  parentPort?.on("message", (message: ToWorker) => Queue.offerUnsafe(messages, message))
  return yield* Effect.forever(execute(messages))
})

Effect.runFork(main)
