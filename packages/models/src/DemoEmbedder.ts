// An embedder without a network, to try the service: it hashes words and groups of three characters into 256 numbers.
// Texts that share words, or parts of words, get similar vectors. It knows no synonyms.
import { Effect } from "effect"
import type { Embedder } from "./Embedder.ts"
import * as EmbeddingRequests from "./EmbeddingRequests.ts"

const dimensions = 256

/** Characters of a text that are read. */
const maxLength = 20_000

const weights = { word: 1, part: 0.3 }

/** FNV-1a with 32 bits. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value >>> 0
}

const add = (vector: Float32Array, feature: string, weight: number) => {
  const value = hash(feature)
  const index = value % dimensions
  vector[index] = (vector[index] ?? 0) + (value & 0x8000_0000 ? -weight : weight)
}

const embed = (text: string): Float32Array => {
  const vector = new Float32Array(dimensions)
  const words = text.slice(0, maxLength).normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  for (const word of words) {
    add(vector, `word ${word}`, weights.word)
    const edged = ` ${word} `
    for (let start = 0; start + 3 <= edged.length; start++) add(vector, edged.slice(start, start + 3), weights.part)
  }
  const length = Math.hypot(...vector)
  // a text without a word has a direction too: stores refuse a vector without one
  if (length === 0) vector[0] = 1
  return length === 0 ? vector : vector.map((value) => value / length)
}

const name = { provider: "Demo", id: "hashed-words" }

export const embedder: Embedder = {
  id: `demo:${name.id}`,
  dimensions,
  maxPerCall: 1000,
  embedMany: (texts) => EmbeddingRequests.counted(Effect.sync(() => texts.map(embed)), name)
}
