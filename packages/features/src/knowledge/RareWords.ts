// The words of a question that say what it is about: words that few chunks have. The statistics of the database know
// which words are frequent. Before it has any, all words count as rare.
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** A word that a larger part of all chunks has is frequent. */
const frequentPart = 0.05

const maxWords = 8

/** How long the statistics are cached. */
const cacheTtl = "5 minutes"

/** Operators of a search: its author has chosen the words that are needed. */
const hasOperators = (text: string): boolean => /"|(^|\s)-/.test(text)

/** As the parser of texts finds them, in lower case. `or` is an operator. */
const wordsOf = (text: string): ReadonlyArray<string> => [
  ...new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word !== "or" && word.length < 100))
]

export const make = (sql: SqlClient.SqlClient) => {
  const [frequencies] = Effect.runSync(Effect.cachedInvalidateWithTTL(
    Effect.map(
      sql<{ readonly word: string; readonly part: number }>`
        select w.word, w.part::float8 as part from pg_stats p
        cross join unnest(p.most_common_elems::text::text[], p.most_common_elem_freqs) as w (word, part)
        where p.schemaname = current_schema() and p.tablename = 'svc_chunk_texts' and p.attname = 'words'
          and w.word is not null and w.part is not null`,
      (rows) => new Map(rows.map(({ part, word }) => [word, part]))
    ),
    cacheTtl
  ))

  /** The rarest first. */
  return (text: string): Effect.Effect<ReadonlyArray<string>, SqlError.SqlError> => {
    const words = hasOperators(text) ? [] : wordsOf(text)
    if (words.length < 2) return Effect.succeed([])
    return Effect.map(frequencies, (known) => {
      const partOf = (word: string) => known.get(word) ?? 0
      return words.filter((word) => partOf(word) <= frequentPart)
        .sort((left, right) => partOf(left) - partOf(right))
        .slice(0, maxWords)
    })
  }
}
