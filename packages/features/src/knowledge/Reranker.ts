// Sorts found chunks anew by how well each answers the query: a reranking model of the AI SDK, or a function of the
// author.
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import { Cause, Effect, Predicate, Schema } from "effect"
import type * as Knowledge from "./Knowledge.ts"

export interface Ranking {
  /** The place of a document, from 0. */
  readonly index: number
  /** From 0 to 1: how well the document answers the query. */
  readonly score: number
}

/** The best first. Documents that are left out are no results. */
export type Rerank = (
  query: string,
  documents: ReadonlyArray<string>,
  signal: AbortSignal
) => UserCode.Returned<ReadonlyArray<Ranking>>

/** What of a `RerankingModelV4` is used. */
export interface AiSdkRerankingModel {
  readonly modelId: string
  readonly provider?: string | undefined
  readonly doRerank: (options: {
    readonly documents: { readonly type: "text"; readonly values: Array<string> }
    readonly query: string
    readonly abortSignal: AbortSignal
  }) => PromiseLike<{ readonly ranking: ReadonlyArray<{ readonly index: number; readonly relevanceScore: number }> }>
}

export type Reranker = Rerank | AiSdkRerankingModel

export const isReranker = (value: unknown): value is Reranker =>
  Predicate.isFunction(value) || Predicate.hasProperty(value, "doRerank")

export class RerankingFailed extends Schema.TaggedError<RerankingFailed>()("RerankingFailed", {
  message: Schema.String
}) {}

/** A caller waits for it. */
const timeout = "20 seconds"

/** How many chunks are found for this many results. */
export const candidatesOf = (limit: number): number => Math.max(limit, Math.min(4 * limit, 200))

const rankingOf = (reranker: Reranker, query: string, documents: ReadonlyArray<string>) => {
  if (Predicate.isFunction(reranker)) return UserCode.call((signal) => reranker(query, documents, signal))
  const { modelId: id, provider = "unknown" } = reranker
  const request = UserCode.call((abortSignal) =>
    reranker.doRerank({ documents: { type: "text", values: [...documents] }, query, abortSignal })
      .then(({ ranking }) => ranking.map(({ index, relevanceScore }) => ({ index, score: relevanceScore })))
  )
  return ModelRequests.counted(request, { provider, id })
}

const failed = (cause: unknown) =>
  Effect.andThen(
    UserCode.logThrown("The reranker of a knowledge base failed", cause),
    Effect.fail(new RerankingFailed({ message: "The reranker of the knowledge base failed" }))
  )

/** Fails for a ranking of other documents. */
const resultsOf = (
  found: ReadonlyArray<Knowledge.Found>,
  ranking: ReadonlyArray<Ranking>,
  limit: number
): Effect.Effect<ReadonlyArray<Knowledge.Found>, RerankingFailed> => {
  const byPlace = new Map(ranking.map(({ index, score }) => [index, Math.min(1, Math.max(0, score))]))
  const results = [...byPlace].flatMap(([index, rerankingScore]) => {
    const each = found[index]
    return each === undefined || !Number.isFinite(rerankingScore) ? [] : [{ ...each, rerankingScore }]
  })
  return results.length < byPlace.size
    ? failed("The ranking names documents that it was not given, or has scores that are no numbers")
    : Effect.succeed(results.toSorted((one, other) => other.rerankingScore - one.rerankingScore).slice(0, limit))
}

export const rerank = (
  reranker: Reranker,
  query: string,
  found: ReadonlyArray<Knowledge.Found>,
  limit: number
): Effect.Effect<ReadonlyArray<Knowledge.Found>, RerankingFailed> =>
  found.length === 0 ?
    Effect.succeed(found) :
    rankingOf(reranker, query, found.map(({ chunk }) => chunk.text)).pipe(
      (ranking) => ModelRequests.within(ranking, timeout, () => Effect.fail(new Cause.TimeoutError())),
      Effect.catch(failed),
      Effect.flatMap((ranking) => resultsOf(found, ranking, limit))
    )
