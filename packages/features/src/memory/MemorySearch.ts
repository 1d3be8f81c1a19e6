// Which texts the index of the texts of all memories finds. Without it a search would read all of them.
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { isShortSearch } from "./MemoryBudget.ts"
import type { MemoryFilter } from "./MemoryStore.ts"

export interface SearchFilter extends MemoryFilter {
  /** Only the newest memories of all users are searched. */
  readonly isNarrow: boolean
}

interface Index {
  readonly is_there: boolean
  /** Other letters are separators in this locale, so the index has none of them. */
  readonly is_ascii: boolean
}

export const isOfAll = ({ owner, search }: MemoryFilter): boolean => owner._tag === "Anyone" && search !== undefined

export const make = (sql: SqlClient.SqlClient) => {
  let known: Index | undefined

  // an operator can add it later
  const index: Effect.Effect<Index, SqlError.SqlError> = Effect.suspend(() =>
    known?.is_there === true ? Effect.succeed(known) : Effect.map(
      sql<Index>`
        select exists (select from pg_index where indexrelid = to_regclass('svc_memories_text') and indisvalid) as is_there,
          (select datctype in ('C', 'POSIX') from pg_database where datname = current_database()) as is_ascii`,
      ([row]) => known = row ?? { is_there: false, is_ascii: true }
    )
  )

  return (filter: MemoryFilter): Effect.Effect<SearchFilter, SqlError.SqlError> => {
    if (!isOfAll(filter) || isShortSearch(filter)) return Effect.succeed({ ...filter, isNarrow: isShortSearch(filter) })
    return Effect.map(index, ({ is_ascii, is_there }) => ({
      ...filter,
      isNarrow: !is_there || (is_ascii && !/[a-z0-9]{3}/i.test(filter.search ?? ""))
    }))
  }
}
