// One page of a list with its total. The total is counted only where the page does not tell it: a page that is not full
// ends with the last row, and only a full page, or one past the end, needs a count. Totals are exact: a count reads all
// matches, so statements with one belong on ordinary connections.
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"

export interface Page {
  /** A table with its alias and conditions: what stands behind `from`. */
  readonly from: Statement.Fragment
  readonly page: Pagination.Request
}

export interface Rows extends Page {
  readonly columns: Statement.Fragment
  readonly order: Statement.Fragment
}

interface Counted {
  readonly total: number
}

export const make = (sql: SqlClient.SqlClient) => {
  const limits = (page: Pagination.Request) => sql`limit ${page.limit} offset ${Pagination.offset(page)}`

  const counted = (from: Statement.Fragment) => sql`select count(*)::int as total from ${from}`

  /** In a statement whose rows of the page are called `found`. */
  const total = ({ from, page }: Page) =>
    sql`case when (select count(*) from found) < ${page.limit}
      then ${Pagination.offset(page)} + (select count(*) from found) else (${counted(from)}) end::int`

  const count = (from: Statement.Fragment): Effect.Effect<number, SqlError.SqlError> =>
    Effect.map(sql<Counted>`${counted(from)}`, ([row]) => row?.total ?? 0)

  return {
    count,
    /** The sum of a column over the rows of the page, which tells how large they are before they are read. */
    bytesOf: ({ from, order, page }: Omit<Rows, "columns">, column: string): Effect.Effect<number, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly bytes: number }>`
          select coalesce(sum(bytes), 0)::float8 as bytes from (
            select ${sql.literal(column)} as bytes from ${from} order by ${order} ${limits(page)}
          ) found`,
        ([row]) => row?.bytes ?? 0
      ),
    limits,
    total,
    /** The rows of the page, each with the total. */
    select: ({ columns, from, order, page }: Rows) =>
      sql<Counted>`
        with found as materialized (select ${columns} from ${from} order by ${order} ${limits(page)})
        select found.*, ${total({ from, page })} as total from found`,
    /** Of the rows that the statement gave. A page past the end has none. */
    totalOf: (rows: ReadonlyArray<Counted>, { from, page }: Page): Effect.Effect<number, SqlError.SqlError> => {
      const [first] = rows
      if (first !== undefined) return Effect.succeed(first.total)
      return Pagination.offset(page) === 0 ? Effect.succeed(0) : count(from)
    }
  }
}
