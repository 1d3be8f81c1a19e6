// Searches knowledge bases for callers and for agents.
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import type * as Owner from "@svc-runtime/domain/Owner"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { EmbedderCatalog } from "@svc-runtime/models"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { QueryVectorCache } from "../vectors/QueryVectorCache.ts"
import type { ChunkQuery } from "./ChunkStore.ts"
import { type ContentFilter, ContentStore } from "./ContentStore.ts"
import * as Knowledge from "./Knowledge.ts"
import { embedderOf, EmbeddingFailed, failed } from "./KnowledgeEmbedder.ts"
import type { EmbeddingMismatch } from "./KnowledgeErrors.ts"
import type { Instance } from "./KnowledgeRegistry.ts"
import { KnowledgeStores } from "./KnowledgeStores.ts"
import * as Reranker from "./Reranker.ts"

export interface Query {
  readonly text: string
  readonly owner: Owner.Owner
  /** Undefined: that of the knowledge. */
  readonly searchType?: Knowledge.SearchType | undefined
  readonly maxResults?: number | undefined
  readonly filter?: KnowledgeFilter.Filter | undefined
}

/** The search cannot be made as requested. */
export class SearchRejected
  extends Schema.TaggedError<SearchRejected>()("SearchRejected", { message: Schema.String })
{}

/** Characters of a query: more than a question has, and less than embedders refuse. */
export const maxQuery = 10_000

/** A caller waits for it. */
const embeddingTimeout = Duration.seconds(20)

const late = () =>
  Effect.fail(
    new EmbeddingFailed({
      message: `The embedder did not answer within ${Duration.format(embeddingTimeout)}`,
      isTransient: true
    })
  )

export class KnowledgeSearch extends Context.Service<KnowledgeSearch, {
  /** The best first. A blank query finds nothing. */
  readonly search: (
    instance: Instance,
    query: Query
  ) => Effect.Effect<
    ReadonlyArray<Knowledge.Found>,
    EmbeddingFailed | EmbeddingMismatch | Reranker.RerankingFailed | SearchRejected | StorageUnavailable
  >
}>()("@svc-runtime/features/knowledge/KnowledgeSearch") {
  static readonly layer: Layer.Layer<
    KnowledgeSearch,
    never,
    EmbedderCatalog | KnowledgeStores | QueryVectorCache
  > = Layer.effect(
    KnowledgeSearch,
    Effect.gen(function*() {
      return make(yield* KnowledgeStores, yield* EmbedderCatalog, yield* QueryVectorCache)
    })
  )
}

/** A store of an author can have chunks of removed contents, if the service ended before it removed them there. */
const present = Effect.fnUntraced(function*(
  contents: ContentStore["Service"],
  filter: ContentFilter,
  found: ReadonlyArray<Knowledge.Found>
) {
  const known = new Set<Knowledge.ContentId>()
  for (const content_id of new Set(found.map(({ content }) => content.content_id))) {
    const content = yield* ContentStore.found(contents, { ...filter, content_id })
    if (content !== undefined) known.add(content_id)
  }
  return found.filter(({ content }) => known.has(content.content_id))
})

/** In the span of a search. */
const shown = ({ chunk: { index }, content: { content_id, name }, score }: Knowledge.Found) => ({
  content_id,
  name,
  index,
  score
})

const make = (
  stores: KnowledgeStores["Service"],
  embedders: EmbedderCatalog["Service"],
  vectors: QueryVectorCache["Service"]
) => {
  const soughtOf = Effect.fnUntraced(function*({ knowledge, name }: Instance, { searchType, text }: Query) {
    const type = searchType ?? knowledge.searchType
    const keyword: ChunkQuery["sought"] = { _tag: "Keyword", text }
    if (type === "keyword") return keyword
    const embedder = yield* embedderOf(embedders, knowledge)
    if (embedder === undefined) {
      return searchType === "vector"
        ? yield* new SearchRejected({ message: `Knowledge '${name}' has no embedder: it is searched by keyword only` })
        : keyword
    }
    const made = Effect.mapError(vectors.of(embedder, text), failed)
    const found = yield* ModelRequests.within(made, embeddingTimeout, late)
    if (Option.isNone(found)) return keyword
    const vector = found.value
    const embedding = { model: embedder.id, dimensions: vector.length }
    const sought: ChunkQuery["sought"] = type === "vector"
      ? { _tag: "Vector", vector, embedding }
      : { _tag: "Hybrid", text, vector, embedding }
    return sought
  })

  const find = Effect.fnUntraced(function*(instance: Instance, query: Query) {
    const { maxResults, owner, text } = query
    const filter = KnowledgeFilter.all([instance.knowledge.filter, query.filter ?? KnowledgeFilter.everything])
    if (text.trim() === "") return []
    if (text.length > maxQuery) {
      return yield* new SearchRejected({ message: `The query has more than ${maxQuery} characters` })
    }
    const { chunks, contents } = yield* stores.of(instance)
    const limit = Math.min(maxResults ?? instance.knowledge.maxResults, Knowledge.maxResults)
    const sought = yield* soughtOf(instance, query)
    const { reranker } = instance.knowledge
    const candidates = reranker === undefined
      ? limit
      : Math.min(Reranker.candidatesOf(limit), Knowledge.maxResults)
    const search = chunks.search({ instance: instance.name, owner, filter, limit: candidates, sought })
    const results = yield* ReadLimiter.searching(search).pipe(
      Effect.catchTag(
        "UnusableVector",
        ({ message }) => Effect.fail(new EmbeddingFailed({ message, isTransient: false }))
      )
    )
    const found = instance.knowledge.vectorStore === undefined
      ? results
      : yield* present(contents, { instance: instance.name, owner }, results)
    return reranker === undefined ? found : yield* Reranker.rerank(reranker, text, found, limit)
  })

  return KnowledgeSearch.of({
    search: (instance, query) =>
      OperationSpan.retrieval(find(instance, query), { knowledge: instance.name, query: query.text }, shown)
  })
}
