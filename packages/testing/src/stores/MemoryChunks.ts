// `ChunkStore` in memory. It compares all vectors of an instance.
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Vector from "@svc-runtime/domain/Vector"
import type { ChunkQuery, ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import * as Fusion from "@svc-runtime/features/knowledge/Fusion"
import * as Knowledge from "@svc-runtime/features/knowledge/Knowledge"
import { ContentSuperseded, EmbeddingMismatch } from "@svc-runtime/features/knowledge/KnowledgeErrors"
import { prunedAtOnce } from "@svc-runtime/features/knowledge/KnowledgeLimits"
import * as VectorChecks from "@svc-runtime/features/knowledge/VectorChecks"
import { Effect } from "effect"
import * as Keywords from "./Keywords.ts"
import { contentKey } from "./MemoryContents.ts"
import type { MemoryDatabase, StoredChunks } from "./MemoryDatabase.ts"

const byteLength = (text: string): number => new TextEncoder().encode(text).length

interface Candidate {
  readonly chunk: Knowledge.EmbeddedChunk
  readonly content: Knowledge.Content
}

export const make = (database: MemoryDatabase["Service"], responseLimit: number) => {
  const { chunks, contents, embeddedSince, embeddings } = database

  const currentOf = (version: Knowledge.Version): Knowledge.Content | undefined => {
    const content = contents.get(contentKey(version))?.content
    return content?.generation === version.generation && content.status === "processing" ? content : undefined
  }

  const isAlive = (stored: StoredChunks): boolean =>
    contents.get(contentKey(stored))?.content.published === stored.generation || currentOf(stored) !== undefined

  const superseded = ({ content_id, generation }: Knowledge.Version) =>
    Effect.fail(new ContentSuperseded({ content_id, generation }))

  const embeddingOf = (instance: string): Knowledge.Embedding | null | undefined =>
    [...chunks.values()].some((stored) => stored.instance === instance && stored.chunks.size > 0 && isAlive(stored))
      ? embeddings.get(instance)
      : undefined

  const candidatesOf = ({ filter, instance, owner }: ChunkQuery): ReadonlyArray<Candidate> =>
    [...chunks.values()].flatMap((stored) => {
      const content = contents.get(contentKey(stored))?.content
      if (stored.instance !== instance || content?.published !== stored.generation) return []
      if (!Owner.reads(owner, content.user_id)) return []
      return [...stored.chunks.values()]
        .filter((chunk) => KnowledgeFilter.matches(filter, Knowledge.metadataOf(chunk, content)))
        .map((chunk) => ({ chunk, content }))
    })

  const ranked = (
    candidates: ReadonlyArray<Candidate>,
    scoreOf: (chunk: Knowledge.EmbeddedChunk, content: Knowledge.Content) => number | undefined,
    limit: number
  ): ReadonlyArray<readonly [Candidate, number]> =>
    candidates
      .flatMap((candidate) => {
        const score = scoreOf(candidate.chunk, candidate.content)
        return score === undefined ? [] : [[candidate, score] as const]
      })
      .sort(([, left], [, right]) => right - left)
      .slice(0, limit)

  const byWords = (text: string) => {
    const query = Keywords.parse(text)
    return (chunk: Knowledge.EmbeddedChunk) => Keywords.score(query, chunk.text)
  }

  const bySomeWords = (text: string) => (chunk: Knowledge.EmbeddedChunk) => Keywords.partialScore(text, chunk.text)

  const isOutdated = ({ instance, published }: Knowledge.Content): boolean =>
    (published ?? 0) < (embeddedSince.get(instance) ?? 0)

  const byMeaning = (vector: Float32Array) => (chunk: Knowledge.EmbeddedChunk, content: Knowledge.Content) =>
    chunk.vector === null || isOutdated(content)
      ? undefined
      : Vector.cosine(vector, chunk.vector)

  const search = (query: ChunkQuery): ReadonlyArray<Fusion.Ranked<Candidate>> => {
    const { limit, sought } = query
    const candidates = candidatesOf(query)
    switch (sought._tag) {
      case "Keyword": {
        const whole = ranked(candidates, byWords(sought.text), limit)
        return Fusion.ranked("words", whole.length > 0 ? whole : ranked(candidates, bySomeWords(sought.text), limit))
      }
      case "Vector":
        return Fusion.ranked("meaning", ranked(candidates, byMeaning(sought.vector), limit))
      case "Hybrid": {
        const perRanking = Fusion.resultsPerRanking(limit)
        const found = (scoreOf: Parameters<typeof ranked>[1]) => ranked(candidates, scoreOf, perRanking)
        const whole = found(byWords(sought.text))
        const known = new Set(whole.map(([candidate]) => candidate))
        const partial = found(bySomeWords(sought.text)).filter(([candidate]) => !known.has(candidate))
        return Fusion.unite([
          Fusion.ranked("meaning", found(byMeaning(sought.vector))),
          Fusion.ranked("words", [...whole, ...partial].slice(0, perRanking))
        ]).slice(0, limit)
      }
    }
  }

  return {
    add: (content, embedding, added) =>
      Effect.gen(function*() {
        const refused = VectorChecks.unusable(embedding, added)
        if (refused !== undefined) return yield* refused
        if (currentOf(content) === undefined) return yield* superseded(content)
        const stored = embeddingOf(content.instance)
        if (stored !== undefined && !VectorChecks.isSameModel(stored, embedding)) {
          return yield* new EmbeddingMismatch({ instance: content.instance, stored, given: embedding })
        }
        embeddings.set(content.instance, embedding)
        const { content_id, generation, instance } = content
        const known = chunks.get(generation) ?? { content_id, generation, instance, chunks: new Map() }
        chunks.set(generation, known)
        for (const chunk of added) if (!known.chunks.has(chunk.index)) known.chunks.set(chunk.index, chunk)
      }),
    added: ({ generation }) => Effect.sync(() => new Set(chunks.get(generation)?.chunks.keys() ?? [])),
    publish: (version) =>
      Effect.suspend(() => {
        const stored = contents.get(contentKey(version))
        if (stored?.content.published === version.generation) return Effect.void
        if (stored === undefined || currentOf(version) === undefined) return superseded(version)
        const content = { ...stored.content, published: version.generation }
        contents.set(contentKey(version), { ...stored, content })
        return Effect.void
      }),
    update: () => Effect.void,
    remove: () => Effect.void,
    prune: Effect.sync(() => {
      let pruned = 0
      for (const [generation, stored] of chunks) {
        if (isAlive(stored)) continue
        for (const index of stored.chunks.keys()) {
          if (pruned === prunedAtOnce) return pruned
          stored.chunks.delete(index)
          pruned++
        }
        chunks.delete(generation)
      }
      return pruned
    }),
    index: Effect.succeed(0),
    search: (query) =>
      Effect.gen(function*() {
        const { instance, sought } = query
        if (sought._tag !== "Keyword") {
          const refused = VectorChecks.unusableQuery(sought)
          if (refused !== undefined) return yield* refused
          const stored = embeddingOf(instance)
          if (stored !== undefined && !VectorChecks.isSameModel(stored, sought.embedding)) {
            return yield* new EmbeddingMismatch({ instance, stored, given: sought.embedding })
          }
        }
        const best = search(query)
        const isUnready = sought._tag === "Vector" && best.length === 0 &&
          candidatesOf(query).some(({ content }) => isOutdated(content))
        if (isUnready) {
          return yield* new EmbeddingMismatch({ instance, stored: sought.embedding, given: sought.embedding })
        }
        let bytes = 0
        const fitting = best.filter(({ id: { chunk } }) => (bytes += byteLength(chunk.text)) <= responseLimit)
        return fitting.map(({ foundBy, id: { chunk: { vector: _, ...chunk }, content }, score }): Knowledge.Found => {
          const { content_id, metadata, name, origin } = content
          return { chunk, content: { content_id, metadata, name, origin }, score, foundBy }
        })
      })
  } satisfies ChunkStore["Service"]
}
