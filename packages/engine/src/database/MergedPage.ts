// One page of the lists of several databases, newest first. The rows before a page far down are not read: they are
// skipped in parts, and one row shows whether a part can be skipped.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Effect } from "effect"

export interface Reply<A> {
  readonly database: Ids.DatabaseId
  /** The number of rows of the whole list. */
  readonly total: number
  readonly rows: ReadonlyArray<A>
}

type PagesOf = (database: Ids.DatabaseId) => ReadonlyArray<Pagination.Request>

export interface Lists<A, E> {
  /** How many there are. */
  readonly count: number
  /** The rows of these pages, one page behind the other, of each list that can be read. */
  readonly ask: (pages: PagesOf) => Effect.Effect<ReadonlyArray<Reply<A>>, E>
  readonly createdAt: (row: A) => number
}

/** Rows before the page that are read of each list. */
const maxRead = 200

/** The pages of this size in which as many rows from this one on are. */
const pagesFrom = (start: number, size: number): ReadonlyArray<Pagination.Request> => {
  const page = Math.floor(start / size) + 1
  return start % size === 0 ? [{ page, limit: size }] : [{ page, limit: size }, { page: page + 1, limit: size }]
}

const totalOf = <A>(replies: ReadonlyArray<Reply<A>>) => replies.reduce((sum, { total }) => sum + total, 0)

export const read = Effect.fnUntraced(function*<A, E>(
  request: Pagination.Request,
  { ask, count, createdAt }: Lists<A, E>
) {
  const starts = new Map<Ids.DatabaseId, number>()
  const startOf = (database: Ids.DatabaseId) => starts.get(database) ?? 0
  let before = Pagination.offset(request)

  // Of equal parts of all lists, the one whose last row is the newest has only rows that are before the page.
  while (before > maxRead) {
    const part = Math.max(1, Math.floor(before / count))
    const lasts = yield* ask((database) => [{ page: startOf(database) + part, limit: 1 }])
    const there = lasts.filter(({ database, total }) => startOf(database) + part <= total)
    // a row that cannot be read is skipped
    const ages = there.map(({ rows: [row] }) => row === undefined ? Infinity : createdAt(row))
    const newest = there[ages.indexOf(Math.max(...ages))]
    if (newest === undefined) return { rows: [], total: totalOf(lasts) }
    starts.set(newest.database, startOf(newest.database) + part)
    before -= part
  }

  const size = before + request.limit
  const replies = yield* ask((database) => pagesFrom(startOf(database), size))
  const rows = replies
    .flatMap(({ database, rows }) => rows.slice(startOf(database) % size).slice(0, size))
    .sort((left, right) => createdAt(right) - createdAt(left))
  return { rows: rows.slice(before, size), total: totalOf(replies) }
})
