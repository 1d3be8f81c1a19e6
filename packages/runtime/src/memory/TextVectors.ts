// The vectors of the texts that callers and models search for. They are made by the embedder of the service, kept for
// the next search, and waited for only for a while: without one, texts are compared by their words.
import { Clock, Context, type Duration, Effect, Fiber, Layer, Option, type Scope } from "effect"
import { Embedder, EmbedderCatalog } from "../Models.ts"
import type { TextVector } from "./MemoryVectorStore.ts"
import * as VectorModel from "./VectorModel.ts"

export interface TextVectors {
  /** Whether the service has an embedder. */
  readonly isAvailable: boolean
  /** Undefined: there is none within this time. */
  readonly of: (text: string, within: Duration.Input) => Effect.Effect<TextVector | undefined>
}

/** Without the layer there is no embedder. */
export const TextVectors = Context.Reference<TextVectors>("@svc/runtime/memory/TextVectors", {
  defaultValue: () => ({ isAvailable: false, of: () => Effect.succeed(undefined) })
})

/** The characters of a text that are embedded. */
const maximumLength = 8000

/** Vectors that are kept. */
const maximumKept = 500

/** Calls of the embedder at the same time. */
const maximumCalls = 32

const callTimeout = "10 seconds"

const remindMillis = 60_000

const make: Effect.Effect<TextVectors, never, EmbedderCatalog | Scope.Scope> = Effect.gen(function*() {
  const embedders = yield* EmbedderCatalog
  const scope = yield* Effect.scope
  const ref = embedders.defaultEmbedder
  if (ref === undefined) return { isAvailable: false, of: () => Effect.succeed(undefined) }
  const kept = new Map<string, Fiber.Fiber<TextVector | undefined>>()
  let [calls, loggedAt] = [0, Number.NEGATIVE_INFINITY]

  const embed = Effect.fnUntraced(function*(text: string) {
    const embedder = yield* embedders.resolve(ref)
    const [vector] = yield* Effect.provideService(embedder.embedMany([text]), Embedder.IsAwaited, true)
    return VectorModel.isUsable(embedder, vector) ? { model: VectorModel.nameOf(embedder), vector } : undefined
  }, Effect.timeout(callTimeout))

  const log = Effect.fnUntraced(function*(cause: unknown) {
    const time = yield* Clock.currentTimeMillis
    if (time - loggedAt < remindMillis) return
    loggedAt = time
    yield* Effect.logWarning("The embedder makes no vectors. Memories are found by their words", cause)
  })

  /** Continues when nothing waits for it any more, so that the next search has the vector. */
  const begin = (text: string) =>
    Effect.suspend(() => {
      calls++
      return embed(text)
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.suspend(() => {
          kept.delete(text)
          return Effect.as(log(cause), undefined)
        })
      ),
      Effect.ensuring(Effect.sync(() => calls--)),
      Effect.forkIn(scope)
    )

  const keep = (text: string, fiber: Fiber.Fiber<TextVector | undefined>) => {
    kept.delete(text)
    kept.set(text, fiber)
    const [oldest] = kept.keys()
    if (kept.size > maximumKept && oldest !== undefined) kept.delete(oldest)
  }

  return {
    isAvailable: true,
    of: Effect.fnUntraced(function*(text, within) {
      const start = text.slice(0, maximumLength).toWellFormed().trim()
      if (start === "") return undefined
      const known = kept.get(start)
      if (known === undefined && calls >= maximumCalls) return undefined
      const fiber = known ?? (yield* begin(start))
      keep(start, fiber)
      return Option.getOrUndefined(yield* Effect.timeoutOption(Fiber.join(fiber), within))
    })
  }
})

export const layer: Layer.Layer<never, never, EmbedderCatalog> = Layer.effect(TextVectors, make)
