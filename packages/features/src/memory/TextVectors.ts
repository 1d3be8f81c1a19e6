// The vectors of the texts that callers and models search memories for. They are made by the embedder of the service,
// kept for the next search, and waited for only for a while: without one, texts are compared by their words.
import { type Embedder, EmbedderCatalog } from "@svc-runtime/agents/Models"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import { Cause, Context, type Duration, Effect, Fiber, Layer, Option, type Scope } from "effect"
import { QueryVectorCache } from "../vectors/QueryVectorCache.ts"
import type { TextVector } from "./MemoryVectorStore.ts"
import * as VectorModel from "./VectorModel.ts"

export class TextVectors extends Context.Service<TextVectors, {
  /** Whether the service has an embedder. */
  readonly isAvailable: boolean
  /** Undefined: there is none within this time. */
  readonly of: (text: string, within: Duration.Input) => Effect.Effect<TextVector | undefined>
}>()("@svc-runtime/features/memory/TextVectors") {}

const none: TextVectors["Service"] = { isAvailable: false, of: () => Effect.succeed(undefined) }

/** There is no embedder: memories are found by their words. */
export const layerNone: Layer.Layer<TextVectors> = Layer.succeed(TextVectors, none)

/** The characters of a text that are embedded. */
const maxLength = 8000

/** Calls of the embedder at the same time. */
const maxCalls = 32

const callTimeout = "10 seconds"

const remindMillis = 60_000

const make: Effect.Effect<TextVectors["Service"], never, EmbedderCatalog | QueryVectorCache | Scope.Scope> = Effect.gen(
  function*() {
    const embedders = yield* EmbedderCatalog
    const scope = yield* Effect.scope
    const ref = embedders.defaultEmbedder
    if (ref === undefined) return none
    const vectors = yield* QueryVectorCache
    const begun = new Map<string, Fiber.Fiber<TextVector | undefined>>()
    let loggedAt = Number.NEGATIVE_INFINITY

    const usable = (embedder: Embedder.Embedder, vector: Float32Array | undefined): TextVector | undefined =>
      VectorModel.isUsable(embedder, vector) ? { model: VectorModel.nameOf(embedder), vector } : undefined

    const embed = Effect.fnUntraced(function*(embedder: Embedder.Embedder, text: string) {
      return usable(embedder, Option.getOrUndefined(yield* vectors.of(embedder, text)))
    }, (embedding) => ModelRequests.within(embedding, callTimeout, () => Effect.fail(new Cause.TimeoutError())))

    const log = Effect.fnUntraced(function*(cause: unknown) {
      const time = yield* Monotonic.millis
      if (time - loggedAt < remindMillis) return
      loggedAt = time
      yield* Effect.logWarning("The embedder makes no vectors. Memories are found by their words", cause)
    })

    /** Continues when nothing waits for it any more, so that the next search has the vector. */
    const begin = Effect.fnUntraced(function*(embedder: Embedder.Embedder, text: string) {
      const fiber = yield* embed(embedder, text).pipe(
        Effect.catchCause((cause) => Effect.as(log(cause), undefined)),
        Effect.forkIn(scope)
      )
      begun.set(text, fiber)
      fiber.addObserver(() => begun.delete(text))
      return fiber
    })

    return {
      isAvailable: true,
      of: Effect.fnUntraced(function*(text, within) {
        const start = text.slice(0, maxLength).toWellFormed().trim()
        if (start === "") return undefined
        const embedder = yield* Effect.catch(embedders.resolve(ref), (error) => Effect.as(log(error), undefined))
        if (embedder === undefined) return undefined
        const kept = vectors.find(embedder, start)
        if (Option.isSome(kept)) return usable(embedder, kept.value)
        const known = begun.get(start)
        if (known === undefined && begun.size >= maxCalls) return undefined
        const fiber = known ?? (yield* begin(embedder, start))
        return Option.getOrUndefined(yield* Effect.timeoutOption(Fiber.join(fiber), within))
      })
    }
  }
)

export const layer: Layer.Layer<TextVectors, never, EmbedderCatalog | QueryVectorCache> = Layer.effect(
  TextVectors,
  make
)
