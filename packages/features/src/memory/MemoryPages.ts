// The statements that read a page of a list of memories, near to its start, far behind, or from its end.
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Sort from "@svc-runtime/domain/Sort"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { shortSearchLimit } from "./MemoryBudget.ts"
import { matchesIn, memoryColumns } from "./memoryFilter.ts"
import * as MemorySearch from "./MemorySearch.ts"
import { isSortable } from "./MemoryStore.ts"

/** The ids and times of a memory in a list, approximately. */
const rowBytes = 400

/** How many rows behind the page are counted, of memories of all users that fit a condition. */
const maxCountedBeyond = 1000

/** The rows before a page that are read as a whole. More of them are only counted in an index. */
const nearPage = 1000

/** Lists of more rows are measured before they are read. */
export const smallPage = 100

interface Listing {
  readonly filter: MemorySearch.SearchFilter
  readonly page: Pagination.Request
  readonly sort: Sort.Sort
  /** The total, if the page is nearer to the end of the list than to its start: it is read from the end. */
  readonly fromEnd?: number | undefined
}

interface Sized {
  readonly total: number
  readonly bytes: number
}

const isBare = ({ agent_id, search, team_id, topics = [] }: MemorySearch.SearchFilter): boolean =>
  agent_id === undefined && team_id === undefined && search === undefined && topics.length === 0

export const make = (sql: SqlClient.SqlClient, responseLimit: number) => {
  const columns = sql.literal(memoryColumns)
  const bytesOf = sql.literal(`octet_length(memory) + coalesce(octet_length(topics::text), 0) + ${rowBytes}`)

  const isCovered = (owner: Owner.Owner) => Ownership.covers(sql, "m.user_id", owner)

  const matches = matchesIn(sql)
  const newestOfAll = sql`(select * from svc_memories order by updated_at desc, seq desc limit ${shortSearchLimit})`
  const matching = (filter: MemorySearch.SearchFilter) =>
    sql`${filter.isNarrow ? newestOfAll : sql.literal("svc_memories")} m where ${matches(filter)}`

  const sorted = ({ by, order }: Sort.Sort) =>
    sql.literal(isSortable(by) ? `m.${by} ${order}, m.seq ${order}` : `m.seq ${order}`)

  const lastCounted = (page: Pagination.Request) =>
    Pagination.offset(page) + Math.min(page.limit, maxCountedBeyond) + maxCountedBeyond

  /** Those of all users that fit a condition are counted up to `maxCountedBeyond` behind the page. */
  const counted = (filter: MemorySearch.SearchFilter, page: Pagination.Request) =>
    filter.owner._tag === "User"
      ? matching(filter)
      : sql`(select from ${matching(filter)} limit ${lastCounted(page)}) counted`

  /** Without further conditions the memories of users are counted already. */
  const totalOf = (filter: MemorySearch.SearchFilter, page: Pagination.Request) =>
    isBare(filter)
      ? sql`(
        (select coalesce(sum(u.memories), 0) from svc_memory_users u
          where ${Ownership.covers(sql, "u.user_id", filter.owner)})
        + (select count(*) from svc_memories m where m.user_id is null and ${isCovered(filter.owner)})
      )::int`
      : sql`(select count(*) from ${counted(filter, page)})::int`

  /** Of more rows than a response carries, one too many is enough to refuse the page. */
  const limits = (page: Pagination.Request) =>
    sql`limit ${Math.min(page.limit, Math.floor(responseLimit / rowBytes) + 1)} offset ${Pagination.offset(page)}`

  const near = ({ filter, page, sort }: Listing) =>
    sql`select ${columns} from ${matching(filter)} order by ${sorted(sort)} ${limits(page)}`

  const picked = (keys: Statement.Fragment, sort: Sort.Sort) =>
    sql`select ${columns} from svc_memories m join (${keys}) picked on picked.seq = m.seq order by ${sorted(sort)}`

  const far = ({ filter, fromEnd, page, sort }: Listing) => {
    if (fromEnd === undefined) {
      return picked(sql`select m.seq from ${matching(filter)} order by ${sorted(sort)} ${limits(page)}`, sort)
    }
    const reversed: Sort.Sort = { by: sort.by, order: sort.order === "asc" ? "desc" : "asc" }
    const behind = fromEnd - Pagination.offset(page) - page.limit
    return picked(
      sql`
        select m.seq from ${matching(filter)} order by ${sorted(reversed)}
        limit ${page.limit + Math.min(behind, 0)} offset ${Math.max(behind, 0)}`,
      sort
    )
  }

  /**
   * A search of all users is done once for the count and the page, if it finds few. If there are many, the page is
   * found sooner in their order.
   */
  const searched = ({ filter, page, sort }: Listing) => {
    const key = isSortable(sort.by) ? sql.literal(`m.seq, m.${sort.by}`) : sql`m.seq`
    const last = lastCounted(page)
    const ordered = sql`order by ${sorted(sort)} ${limits(page)}`
    return {
      before: sql`
        matched as materialized (select ${key} from ${matching(filter)} limit ${last}),
        counted as materialized (select count(*) as total from matched),`,
      rows: picked(
        sql`
          (select m.seq from matched m where (select total from counted) < ${last} ${ordered}) union all
          (select m.seq from ${matching(filter)} and (select total from counted) >= ${last} ${ordered})`,
        sort
      ),
      total: sql`(select total from counted)`
    }
  }

  /** The rows of the page in their order, and the total behind a full page. */
  const partsOf = (listing: Listing) => {
    const { filter, fromEnd, page } = listing
    if (MemorySearch.isOfAll(filter) && !filter.isNarrow) return searched(listing)
    const rows = Pagination.offset(page) <= nearPage ? near(listing) : far(listing)
    return { before: sql``, rows, total: fromEnd === undefined ? totalOf(filter, page) : sql`${fromEnd}` }
  }

  const find = (listing: Listing) => {
    const { before, rows, total } = partsOf(listing)
    const { page } = listing
    return sql<Sized>`
      with ${before} found as materialized (${rows}), placed as (
        select found.*, row_number() over () as place, sum(${bytesOf}) over ()::float8 as bytes from found
      )
      select placed.*, case when (select count(*) from found) < ${page.limit}
        then ${Pagination.offset(page)} + (select count(*) from found) else ${total} end::int as total
      from placed where bytes <= ${responseLimit} or place = 1 order by place`
  }

  const sizeOf = ({ filter, page, sort }: Listing) =>
    Effect.map(
      sql<{ readonly bytes: number }>`
        select coalesce(sum(${bytesOf}), 0)::float8 as bytes from (
          select m.memory, m.topics from ${matching(filter)} order by ${sorted(sort)} ${limits(page)}
        ) found`,
      ([row]) => row?.bytes ?? 0
    )

  const countAll = (filter: MemorySearch.SearchFilter, page: Pagination.Request) =>
    Effect.map(sql<{ readonly total: number }>`select ${totalOf(filter, page)} as total`, ([row]) => row?.total ?? 0)

  /** Of a small page of all memories that is nearer to the end of the list. */
  const endOf = Effect.fnUntraced(function*(filter: MemorySearch.SearchFilter, page: Pagination.Request) {
    const offset = Pagination.offset(page)
    if (!isBare(filter) || filter.owner._tag === "User" || offset <= nearPage || page.limit > smallPage) {
      return undefined
    }
    const total = yield* countAll(filter, page)
    return offset < total && offset > total / 2 ? total : undefined
  })

  return { countAll, endOf, find, sizeOf }
}
