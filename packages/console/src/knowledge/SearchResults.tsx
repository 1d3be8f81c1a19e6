// What a search finds in a knowledge base, the best first, and why: where a passage is in its document, its ranks by
// meaning and by words, and the words that it has in common with the question.
import type { VectorSearchResult } from "@svc-runtime/client"
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { markedOf } from "./markedOf.ts"

interface Props {
  readonly text: string
  /** The kind of search. Left out: that of the knowledge base, as agents search. */
  readonly by: string | undefined
  readonly knowledge: { readonly knowledge_id?: string }
}

interface Ranking {
  readonly by: "meaning" | "words"
  readonly rank: number
  readonly score: number
}

const titles = { meaning: "by meaning", words: "by words" }

const isRanking = (value: unknown): value is Ranking =>
  typeof value === "object" && value !== null && "by" in value && (value.by === "meaning" || value.by === "words") &&
  "rank" in value && "score" in value && typeof value.score === "number"

/** Stores of authors need not say them. */
const rankingsOf = ({ meta_data }: VectorSearchResult): ReadonlyArray<Ranking> => {
  const found: unknown = meta_data?.["found_by"]
  return Array.isArray(found) ? found.filter(isRanking) : []
}

const Reasons = ({ found }: { readonly found: VectorSearchResult }) => (
  <span class="reasons">
    {rankingsOf(found).map(({ by, rank, score }) => (
      <span key={by} title={`Score ${score.toFixed(4)}`}>
        no. {rank} {titles[by]}
        {by === "meaning" ? ` (${score.toFixed(2)})` : ""}
      </span>
    ))}
    {found.reranking_score === null ? null : <span>reranked: {found.reranking_score.toFixed(2)}</span>}
  </span>
)

/** The place of a passage in its document. */
const placeOf = ({ meta_data }: VectorSearchResult): string =>
  [["page", "page"], ["chunk", "passage"]].flatMap(([key = "", title = ""]) => {
    const value = meta_data?.[key]
    return typeof value === "number" || typeof value === "string" ? [`${title} ${value}`] : []
  }).join(", ")

export const SearchResults = ({ by, knowledge, text }: Props) => {
  const { problem, reload, value } = useLoaded(
    (signal) =>
      svc().knowledge.search({
        query: text,
        ...knowledge,
        ...(by === "hybrid" || by === "vector" || by === "keyword" ? { search_type: by } : {}),
        meta: { limit: 10, page: 1 }
      }, { signal }),
    [text, by, knowledge]
  )
  return (
    <section class="found" aria-label="Found">
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : value.data.length === 0
        ? <Empty title="Nothing was found">Try other words, or add what is missing.</Empty>
        : (
          <>
            <p class="quiet">
              {value.meta.total_count.toLocaleString()} passages in {Math.round(value.meta.search_time_ms)} ms
            </p>
            <ol>
              {value.data.map((found) => (
                <li key={found.id}>
                  <p class="head">
                    <strong>{found.name ?? found.content_origin ?? found.content_id}</strong>
                    <span class="quiet">{placeOf(found)}</span>
                    <Reasons found={found} />
                  </p>
                  <p class="passage">
                    {markedOf(found.content, text).map((piece, index) =>
                      index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece
                    )}
                  </p>
                </li>
              ))}
            </ol>
          </>
        )}
    </section>
  )
}
