// The vectors of texts that were searched for, of memories and knowledge alike: the same search is not embedded twice.
// The ones that were used last are kept, up to a number of bytes.
import { Embedder } from "@svc-runtime/agents/Models"
import * as Vector from "@svc-runtime/domain/Vector"
import { Context, Effect, Layer, Option, Semaphore } from "effect"
import { embedAll } from "./embedAll.ts"

interface Vectors {
  /** None: the text was not embedded, or long ago. */
  readonly find: (embedder: Embedder.Embedder, text: string) => Option.Option<Float32Array>
  /** Embeds a text that is not kept. None: the embedder gave no vector. */
  readonly of: (
    embedder: Embedder.Embedder,
    text: string
  ) => Effect.Effect<Option.Option<Float32Array>, Effect.Error<ReturnType<Embedder.Embedder["embedMany"]>>>
}

const usualBytes = 16 * 1024 * 1024

/** Of an entry, beside its text and its numbers. */
const overhead = 200

const bytesOf = (key: string, vector: Float32Array): number => overhead + 2 * key.length + vector.byteLength

export const make = (maxBytes: number): Vectors => {
  const kept = new Map<string, Float32Array>()
  // two embedders with one id can make different vectors
  const numbers = new WeakMap<Embedder.Embedder, number>()
  let [bytes, count] = [0, 0]

  const keyOf = (embedder: Embedder.Embedder, text: string): string => {
    const number = numbers.get(embedder) ?? count++
    numbers.set(embedder, number)
    return `${number}:${text}`
  }

  const remove = (key: string, vector: Float32Array) => {
    kept.delete(key)
    bytes -= bytesOf(key, vector)
  }

  const keep = (key: string, vector: Float32Array) => {
    const known = kept.get(key)
    if (known !== undefined) remove(key, known)
    kept.set(key, vector)
    bytes += bytesOf(key, vector)
    for (const [oldest, numbers] of kept) {
      if (bytes <= maxBytes) break
      remove(oldest, numbers)
    }
  }

  const find = (embedder: Embedder.Embedder, text: string) => {
    const key = keyOf(embedder, text)
    const vector = kept.get(key)
    if (vector !== undefined) keep(key, vector)
    return Option.fromUndefinedOr(vector)
  }

  const embed = Effect.fnUntraced(function*(embedder: Embedder.Embedder, text: string) {
    const found = find(embedder, text)
    if (Option.isSome(found)) return found
    // the request of a search waits for it
    const [vector] = yield* Embedder.awaited(embedAll(embedder, [text]))
    if (vector !== undefined && Vector.isUsable(vector, embedder.dimensions)) keep(keyOf(embedder, text), vector)
    return Option.fromUndefinedOr(vector)
  })

  /** Equal texts are embedded one after the other, so that the later ones find the vector of the first. */
  const turns = new Map<string, { readonly turn: Semaphore.Semaphore; users: number }>()

  const begin = (key: string) => {
    const entry = turns.get(key) ?? { turn: Semaphore.makeUnsafe(1), users: 0 }
    turns.set(key, entry)
    entry.users++
    return entry
  }

  return {
    find,
    of: (embedder, text) =>
      Effect.acquireUseRelease(
        Effect.sync(() => begin(keyOf(embedder, text))),
        ({ turn }) => turn.withPermits(1)(embed(embedder, text)),
        (entry) => Effect.sync(() => --entry.users === 0 && turns.delete(keyOf(embedder, text)))
      )
  }
}

export class QueryVectorCache extends Context.Service<QueryVectorCache, Vectors>()(
  "@svc-runtime/features/vectors/QueryVectorCache"
) {}

/** Memories and knowledge of a service have one. */
export const layer: Layer.Layer<QueryVectorCache> = Layer.sync(QueryVectorCache, () => make(usualBytes))
