// The knowledge that a run may search: that of its agent, with the filters of the agent and of the request, for the
// user of the run.
import { Embedder } from "@svc-runtime/agents/Models"
import { UserId } from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Owner from "@svc-runtime/domain/Owner"
import type { Reference } from "@svc-runtime/domain/Reference"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { ContentStore } from "./ContentStore.ts"
import * as ContentUpload from "./ContentUpload.ts"
import * as Fusion from "./Fusion.ts"
import type * as Knowledge from "./Knowledge.ts"
import type { Knowledge as Base } from "./KnowledgeBase.ts"
import type { EmbeddingFailed } from "./KnowledgeEmbedder.ts"
import type { EmbeddingMismatch } from "./KnowledgeErrors.ts"
import type { AgentKnowledge } from "./KnowledgeOption.ts"
import * as KnowledgeReference from "./KnowledgeReference.ts"
import { type Instance, KnowledgeRegistry } from "./KnowledgeRegistry.ts"
import { KnowledgeSearch, type SearchRejected } from "./KnowledgeSearch.ts"
import { KnowledgeStores } from "./KnowledgeStores.ts"
import type { RerankingFailed } from "./Reranker.ts"

/** The knowledge bases of the service, for runs. */
interface Access {
  readonly search: KnowledgeSearch["Service"]["search"]
  readonly of: (knowledge: Base) => Instance | undefined
  /** The keys of the metadata of what an owner reads. */
  readonly keys: (instance: Instance, owner: Owner.Owner) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** Whether files of its folder are not processed yet. */
  readonly isLoading: (instance: Instance) => Effect.Effect<boolean, StorageUnavailable>
}

export class KnowledgeAccess extends Context.Service<KnowledgeAccess, Access | undefined>()(
  "@svc-runtime/features/knowledge/RunKnowledge/KnowledgeAccess"
) {}

/** Nothing is searched for the messages of runs, and the tool that searches says that the run has no knowledge. */
export const layerNone: Layer.Layer<KnowledgeAccess> = Layer.succeed(KnowledgeAccess, undefined)

/** A search does not pay for the question each time. */
const askedAgainAfter = 10_000

export const layer: Layer.Layer<
  KnowledgeAccess,
  never,
  KnowledgeRegistry | KnowledgeSearch | KnowledgeStores
> = Layer.effect(
  KnowledgeAccess,
  Effect.gen(function*() {
    const { search } = yield* KnowledgeSearch
    const { of } = yield* KnowledgeRegistry
    const stores = yield* KnowledgeStores
    // by the names of knowledge bases: until when it is not asked again whether they are being loaded
    const loaded = new Map<string, number>()
    return {
      search,
      of,
      keys: (instance, owner) =>
        Effect.flatMap(
          stores.of(instance),
          ({ contents }) => contents.metadataKeys({ instance: instance.name, owner })
        ),
      isLoading: Effect.fnUntraced(function*(instance) {
        const { knowledge: { folder }, name } = instance
        const now = yield* Monotonic.millis
        if (folder === undefined || now < (loaded.get(name) ?? 0)) return false
        const [{ contents }, content_id] = [yield* stores.of(instance), yield* ContentUpload.folderIdOf(name)]
        const found = yield* ContentStore.found(contents, { instance: name, content_id, owner: Owner.anyone })
        if (found?.status === "processing") return true
        loaded.set(name, now + askedAgainAfter)
        return false
      })
    }
  })
)

/** The run cannot search its knowledge. */
export class KnowledgeUnusable extends Schema.TaggedError<KnowledgeUnusable>()("KnowledgeUnusable", {
  message: Schema.String
}) {}

export type SearchError =
  | EmbeddingFailed
  | EmbeddingMismatch
  | KnowledgeUnusable
  | RerankingFailed
  | SearchRejected
  | StorageUnavailable

export interface RunKnowledge {
  /** The best first. `chosen` narrows what the filters of the agent and of the request leave. */
  readonly search: (
    query: string,
    chosen?: KnowledgeFilter.Filter
  ) => Effect.Effect<ReadonlyArray<Reference>, SearchError>
  /** The keys of the metadata of the contents that it may find, sorted. */
  readonly keys: Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** Whether some of what it may find is not processed yet. */
  readonly isLoading: Effect.Effect<boolean, StorageUnavailable>
}

/** Of the executing run, for its tools. Undefined: it has no knowledge. */
export class CurrentKnowledge extends Context.Service<CurrentKnowledge, RunKnowledge | undefined>()(
  "@svc-runtime/features/knowledge/RunKnowledge/CurrentKnowledge"
) {}

/** A run without a user finds what all users share. An empty name is the name of no user. */
const ownerOf = ({ isolation }: Base, user_id: UserId | undefined): Owner.Owner =>
  isolation === "shared" ? sharedFor(user_id) : Owner.user(user_id ?? UserId.make(""))

/** What is shared with all is shared within the tenant of a user. */
const sharedFor = (user_id: UserId | undefined): Owner.Owner => {
  const tenant = user_id === undefined ? undefined : Owner.sharedWith(user_id)
  return tenant === undefined ? Owner.anyone : Owner.user(tenant)
}

const unregistered = ({ name }: Base) =>
  new KnowledgeUnusable({
    message: `The knowledge ${name === undefined ? "" : `'${name}' `}is not registered: ` +
      "name it in the option knowledge of serve, of an agent or of a team"
  })

export interface Run {
  readonly user_id: UserId | undefined
  /** Of the request. They were checked when it was accepted. */
  readonly filters: Json.Value | undefined
}

const placeOf = ({ chunk: { index }, content: { content_id } }: Knowledge.Found) => `${content_id} ${index}`

/** What a knowledge base found, and how near it is to the query, if that can be compared with other knowledge bases. */
interface Near {
  readonly found: Knowledge.Found
  readonly nearness: number
}

/** Only vectors of one embedder can be compared. A reranker would be paid twice. */
const areComparable = ([first, ...others]: ReadonlyArray<Base>): boolean =>
  first !== undefined && others.length > 0 &&
  [first, ...others].every((base) =>
    base.embedder === first.embedder && base.searchType !== "keyword" && base.reranker === undefined &&
    base.vectorStore === undefined
  )

/** Scores of different knowledge bases cannot be compared: their ranks are, and of equal ranks the nearest is first. */
const united = (rankings: ReadonlyArray<ReadonlyArray<Near>>): ReadonlyArray<Knowledge.Found> => {
  const [only] = rankings
  return rankings.length === 1 && only !== undefined
    ? only.map(({ found }) => found)
    : Fusion.fuse(rankings)
      .toSorted(([left, score], [right, other]) => other - score || right.nearness - left.nearness)
      .map(([{ found }, score]) => ({ ...found, score }))
}

export const make = (knowledge: AgentKnowledge, access: Access, { filters, user_id }: Run): RunKnowledge => {
  const { bases, filter } = knowledge
  const searchOne = (
    base: Base,
    text: string,
    filter: KnowledgeFilter.Filter,
    searchType?: Knowledge.SearchType
  ): Effect.Effect<ReadonlyArray<Knowledge.Found>, SearchError> => {
    const instance = access.of(base)
    return instance === undefined
      ? Effect.fail(unregistered(base))
      : access.search(instance, { text, owner: ownerOf(base, user_id), filter, searchType }).pipe(
        // as the key of requests of this user
        Embedder.calledBy(user_id === undefined ? undefined : `user ${user_id}`)
      )
  }
  const nearOnes = Effect.fnUntraced(function*(base: Base, text: string, filter: KnowledgeFilter.Filter) {
    const all = yield* searchOne(base, text, filter)
    const nearest = areComparable(bases)
      // without an embedder there are none
      ? yield* Effect.orElseSucceed(searchOne(base, text, filter, "vector"), () => [])
      : []
    const scores = new Map(nearest.map((found) => [placeOf(found), found.score]))
    return all.map((found): Near => ({ found, nearness: scores.get(placeOf(found)) ?? -1 }))
  })
  return {
    search: Effect.fnUntraced(function*(query, chosen = KnowledgeFilter.everything) {
      const requested = filters === undefined
        ? Result.succeed(KnowledgeFilter.everything)
        : KnowledgeFilter.parse(filters)
      if (Result.isFailure(requested)) return yield* new KnowledgeUnusable({ message: requested.failure })
      const all = KnowledgeFilter.all([filter, requested.success, chosen])
      const rankings = yield* Effect.forEach(bases, (base) => nearOnes(base, query, all), {
        // one after the other the query is embedded once
        concurrency: areComparable(bases) ? 1 : "unbounded"
      })
      return united(rankings).slice(0, Math.max(...bases.map(({ maxResults }) => maxResults))).map(
        KnowledgeReference.of
      )
    }),
    keys: Effect.map(
      Effect.forEach(bases, (base) => {
        const instance = access.of(base)
        return instance === undefined ? Effect.succeed([]) : access.keys(instance, ownerOf(base, user_id))
      }),
      (keys) => [...new Set(keys.flat())].toSorted()
    ),
    isLoading: Effect.map(
      Effect.forEach(bases, (base) => {
        const instance = access.of(base)
        return instance === undefined ? Effect.succeed(false) : access.isLoading(instance)
      }),
      (all) => all.includes(true)
    )
  }
}
