// The background job that makes the vectors of memories. What it has to do is in the store: memories without a vector
// of the embedder of the service. A write makes it due, and it polls each minute, so no write waits and none is lost.
import { type Embedder, EmbedderCatalog } from "@svc-runtime/agents/Models"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Jobs } from "@svc-runtime/engine/jobs/Jobs"
import * as BackgroundLoops from "@svc-runtime/engine/node/BackgroundLoops"
import { Effect, Latch, Schema } from "effect"
import type { AiError } from "effect/ai"
import { embedAll } from "../vectors/embedAll.ts"
import { MemoryStore } from "./MemoryStore.ts"
import { type MadeVector, MemoryVectorStore, type Missing } from "./MemoryVectorStore.ts"
import * as VectorModel from "./VectorModel.ts"

const shape = { name: "memory-vectors", every: "1 minute", timeout: "15 minutes", retryDelay: "2 seconds" } as const

/** Read and embedded at a time. What was stored of a large number stays if the rest fails. */
const batch = { maxBytes: 256 * 1024, maxCount: 100 }

/** Of one attempt. The rest is left for the next one. */
const maxBatches = 500

/** A write that follows another one at once is in the same attempt. */
const pause = "100 millis"

/** A text that every embedder takes. */
const probe = "The user likes tea."

class VectorsUnusable extends Schema.TaggedError<VectorsUnusable>()("VectorsUnusable", { model: Schema.String }) {
  override get message() {
    return `The embedder ${this.model} did not give one vector for each text`
  }
}

/** The answer of the provider can repeat texts of users: it is in the log, and not stored with the job. */
class VectorsNotMade extends Schema.TaggedError<VectorsNotMade>()("VectorsNotMade", {
  model: Schema.String,
  reason: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `The embedder ${this.model} made no vectors of memories (${this.reason})`
  }
}

/** Whether another text could succeed. */
const isOfText = ({ reason: { _tag } }: AiError.AiError): boolean =>
  _tag === "ContentPolicyError" || _tag === "InvalidOutputError" || _tag === "InvalidRequestError" ||
  _tag === "InvalidResponseError"

/** A text that the model refuses is found by halving, and gets no vector: the others do not wait for it. */
const embed = Effect.fnUntraced(function*(
  embedder: Embedder.Embedder,
  missing: ReadonlyArray<Missing>
): Effect.fn.Return<ReadonlyArray<MadeVector>, AiError.AiError | VectorsUnusable> {
  const made = yield* Effect.result(embedAll(embedder, missing.map(({ memory }) => memory)))
  if (made._tag === "Success") {
    const vectors = made.success
    if (vectors.length !== missing.length) return yield* new VectorsUnusable({ model: embedder.id })
    return missing.map(({ memory_id, version }, place) => {
      const vector = vectors[place]
      return { memory_id, version, vector: VectorModel.isUsable(embedder, vector) ? vector : undefined }
    })
  }
  if (!isOfText(made.failure)) return yield* Effect.fail(made.failure)
  const half = Math.ceil(missing.length / 2)
  if (missing.length > 1) {
    return [...yield* embed(embedder, missing.slice(0, half)), ...yield* embed(embedder, missing.slice(half))]
  }
  // the model refuses every text if it is not set up as it should be
  yield* embedAll(embedder, [probe])
  yield* Effect.logWarning("The embedder makes no vector of a memory. It is found by its words only", made.failure)
  return missing.map(({ memory_id, version }) => ({ memory_id, version, vector: undefined }))
})

/** None without an embedder. */
export const kinds = Effect.gen(function*() {
  const embedders = yield* EmbedderCatalog
  const store = yield* MemoryVectorStore
  const ref = embedders.defaultEmbedder
  if (ref === undefined) return []
  const handle = Effect.fnUntraced(function*({ guard }: JobKind.JobContext) {
    const embedder = yield* embedders.resolve(ref)
    const model = VectorModel.nameOf(embedder)
    for (let batches = 0; batches < maxBatches; batches++) {
      const missing = yield* store.missing(model, batch)
      if (missing.length === 0) return
      const made = yield* Effect.catchTag(
        embed(embedder, missing),
        "AiError",
        (cause) => Effect.fail(new VectorsNotMade({ model: embedder.id, reason: cause.reason._tag, cause }))
      )
      yield* guard(store.put(model, made))
    }
  })
  return [JobKind.repeating({ ...shape, handle })]
})

/** Without its handler, for enqueueing. */
const enqueued = JobKind.repeating({ ...shape, handle: () => Effect.void })

/** Makes the job due after each write of a memory. */
export const enqueueOnWrites = Effect.gen(function*() {
  const [embedders, jobs, memories] = [yield* EmbedderCatalog, yield* Jobs, yield* MemoryStore]
  if (embedders.defaultEmbedder === undefined) return
  const isWritten = Latch.makeUnsafe(false)
  yield* memories.follow(() => isWritten.openUnsafe())
  const enqueue = Effect.suspend(() => {
    isWritten.closeUnsafe()
    return Effect.catchTag(jobs.enqueue(enqueued, null, { key: shape.name }), "JobInvalid", Effect.die)
  })
  yield* BackgroundLoops.fork({}, { memoryVectors: { when: isWritten.await, task: enqueue, every: pause } })
})
