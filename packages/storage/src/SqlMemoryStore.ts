// `MemoryStore` in PostgreSQL. Every change is one statement.
import type * as Ids from "@svc/domain/Ids"
import * as Memory from "@svc/domain/Memory"
import type * as Owner from "@svc/domain/Owner"
import * as Pagination from "@svc/domain/Pagination"
import { AnswerLimit, AnswerTooLarge } from "@svc/runtime/AnswerLimit"
import * as Followers from "@svc/runtime/Followers"
import {
  appliedBudget,
  type MemoryBudget,
  shortSearchLimit,
  statisticsBytes,
  topicLimits
} from "@svc/runtime/memory/MemoryBudget"
import { MemoriesChanged, MemoryExists, MemoryNotFound, TooManyMemories } from "@svc/runtime/memory/MemoryErrors"
import { MemoryLimit } from "@svc/runtime/memory/MemoryLimit"
import { isSortable, type MemorySort } from "@svc/runtime/memory/MemorySort"
import { MemoryStore } from "@svc/runtime/memory/MemoryStore"
import * as ReadGate from "@svc/runtime/ReadGate"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import * as MemoryErasures from "./internal/memoryErasures.ts"
import { matchesIn, memoryColumns } from "./internal/memoryFilter.ts"
import * as MemorySearch from "./internal/memorySearch.ts"
import * as MemoryStatements from "./internal/memoryStatements.ts"
import { orUnavailable, readOrUnavailable } from "./internal/orUnavailable.ts"
import * as Ownership from "./internal/ownership.ts"
import * as Page from "./internal/page.ts"
import * as ReadableRows from "./internal/readableRows.ts"
import { jsonbOrNull, text, texts, unchecked } from "./internal/rows.ts"
import { ShortStatements } from "./ShortStatements.ts"

/** The ids and times of a memory in a list, approximately. */
const rowBytes = 400

/** How many rows behind the page are counted, of memories of all users that fit a condition. */
const countedBeyond = 1000

/** The rows before a page that are read as a whole. More of them are only counted in an index. */
const nearPage = 1000

/** Lists of more rows are measured before they are read. */
const smallPage = 100

const CountRow = Schema.Struct({
  user_id: Memory.Statistics.fields.user_id,
  memories: Schema.Int,
  updated_at: Schema.Int
})

const readable = ReadableRows.make(Memory.Memory, "memory_id")
const readableCounts = ReadableRows.make(CountRow)

interface Key {
  readonly id: Memory.Id
  readonly owner: Owner.Owner
}

interface Listing {
  readonly filter: MemorySearch.SearchFilter
  readonly page: Pagination.Request
  readonly sort: MemorySort
  /** The total, if the page is nearer to the end of the list than to its start: it is read from the end. */
  readonly fromEnd?: number | undefined
}

interface Sized {
  readonly total: number
  readonly bytes: number
}

const isBare = ({ agent_id, search, team_id, topics = [] }: MemorySearch.SearchFilter): boolean =>
  agent_id === undefined && team_id === undefined && search === undefined && topics.length === 0

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements)?.reads ?? sql
  const answerLimit = yield* AnswerLimit
  const memoryLimit = yield* MemoryLimit
  const statements = MemoryStatements.make(sql, memoryLimit)
  const erasures = MemoryErasures.make(sql)
  const columns = sql.literal(memoryColumns)
  const pages = Page.make(sql)
  const followers = Followers.make()
  const written = Effect.sync(followers.tell)
  const bytesOf = sql.literal(`octet_length(memory) + coalesce(octet_length(topics::text), 0) + ${rowBytes}`)

  const isCovered = (owner: Owner.Owner) => Ownership.covers(sql, "m.user_id", owner)
  const isAt = ({ id, owner }: Key) => sql.and([sql`m.memory_id = ${text(id)}`, isCovered(owner)])

  const searchIn = MemorySearch.make(sql)
  const matches = matchesIn(sql)
  const newestOfAll = sql`(select * from svc_memories order by updated_at desc, seq desc limit ${shortSearchLimit})`
  const matching = (filter: MemorySearch.SearchFilter) =>
    sql`${filter.isNarrow ? newestOfAll : sql.literal("svc_memories")} m where ${matches(filter)}`

  const sorted = ({ by, order }: MemorySort) =>
    sql.literal(isSortable(by) ? `m.${by} ${order}, m.seq ${order}` : `m.seq ${order}`)

  const lastCounted = (page: Pagination.Request) =>
    Pagination.offset(page) + Math.min(page.limit, countedBeyond) + countedBeyond

  /** Those of all users that fit a condition are counted up to `countedBeyond` behind the page. */
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

  /** Of more rows than an answer carries, one too many is enough to refuse the page. */
  const limits = (page: Pagination.Request) =>
    sql`limit ${Math.min(page.limit, Math.floor(answerLimit / rowBytes) + 1)} offset ${Pagination.offset(page)}`

  const near = ({ filter, page, sort }: Listing) =>
    sql`select ${columns} from ${matching(filter)} order by ${sorted(sort)} ${limits(page)}`

  const picked = (keys: Statement.Fragment, sort: MemorySort) =>
    sql`select ${columns} from svc_memories m join (${keys}) picked on picked.seq = m.seq order by ${sorted(sort)}`

  const far = ({ filter, fromEnd, page, sort }: Listing) => {
    if (fromEnd === undefined) {
      return picked(sql`select m.seq from ${matching(filter)} order by ${sorted(sort)} ${limits(page)}`, sort)
    }
    const reversed: MemorySort = { by: sort.by, order: sort.order === "asc" ? "desc" : "asc" }
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

  const findPage = (listing: Listing) => {
    const { before, rows, total } = partsOf(listing)
    const { page } = listing
    return sql<Sized>`
      with ${before} found as materialized (${rows}), placed as (
        select found.*, row_number() over () as place, sum(${bytesOf}) over ()::float8 as bytes from found
      )
      select placed.*, case when (select count(*) from found) < ${page.limit}
        then ${Pagination.offset(page)} + (select count(*) from found) else ${total} end::int as total
      from placed where bytes <= ${answerLimit} or place = 1 order by place`
  }

  const findPageSize = ({ filter, page, sort }: Listing) =>
    Effect.map(
      sql<{ readonly bytes: number }>`
        select coalesce(sum(${bytesOf}), 0)::float8 as bytes from (
          select m.memory, m.topics from ${matching(filter)} order by ${sorted(sort)} ${limits(page)}
        ) found`,
      ([row]) => row?.bytes ?? 0
    )

  const findTotal = (filter: MemorySearch.SearchFilter, page: Pagination.Request) =>
    Effect.map(sql<{ readonly total: number }>`select ${totalOf(filter, page)} as total`, ([row]) => row?.total ?? 0)

  /** Of a small page of all memories that is nearer to the end of the list. */
  const endOf = Effect.fnUntraced(function*(filter: MemorySearch.SearchFilter, page: Pagination.Request) {
    const offset = Pagination.offset(page)
    if (!isBare(filter) || filter.owner._tag === "User" || offset <= nearPage || page.limit > smallPage) {
      return undefined
    }
    const total = yield* findTotal(filter, page)
    return offset < total && offset > total / 2 ? total : undefined
  })

  const find = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Memory.Memory,
    execute: (key) => sql`select ${columns} from svc_memories m where ${isAt(key)}`
  })

  const insert = SqlSchema.findOne({
    Request: unchecked<Memory.Memory>(),
    Result: Schema.Struct({ is_created: Schema.Boolean, has_room: Schema.Boolean }),
    execute: statements.insert
  })

  const replace = SqlSchema.findOneOption({
    Request: unchecked<Key & Pick<Memory.Memory, "memory" | "topics" | "updated_at">>(),
    Result: Memory.Memory,
    execute: ({ memory, topics, updated_at, ...key }) =>
      sql`
        update svc_memories m set memory = ${text(memory)}, topics = ${jsonbOrNull(topics)}::jsonb,
          updated_at = ${updated_at}
        where ${isAt(key)} returning ${columns}`
  })

  const newest = (user_id: Ids.UserId, { agent_id, maximumBytes, maximumCount, team_id }: MemoryBudget) =>
    Effect.flatMap(
      short`
        with found as materialized (
          select ${columns} from svc_memories m
          where ${
        short.and([
          short`m.user_id = ${text(user_id)}`,
          ...(agent_id === undefined ? [] : [short`m.agent_id = ${text(agent_id)}`]),
          ...(team_id === undefined ? [] : [short`m.team_id = ${text(team_id)}`])
        ])
      }
          order by m.updated_at desc, m.seq desc limit ${maximumCount}
        ), placed as (
          select found.*, sum(octet_length(memory)) over (rows unbounded preceding) as bytes from found
        )
        select * from placed where bytes <= ${maximumBytes}`,
      readable
    )

  return MemoryStore.of({
    create: Effect.fn("SqlMemoryStore.create")(function*(memory) {
      const { has_room, is_created } = yield* insert(memory)
      if (is_created) return yield* written
      const { memory_id, user_id } = memory
      if (has_room || user_id === null) return yield* new MemoryExists({ memory_id })
      return yield* new TooManyMemories({ user_id, limit: memoryLimit })
    }, orUnavailable),
    get: Effect.fn("SqlMemoryStore.get")(function*(id, owner) {
      const found = yield* find({ id, owner })
      return Option.isSome(found) ? found.value : yield* new MemoryNotFound({ memory_id: id })
    }, readOrUnavailable),
    list: Effect.fn("SqlMemoryStore.list")(function*(query, page, sort) {
      const filter = yield* searchIn(query)
      const listing = { filter, page, sort, fromEnd: yield* endOf(filter, page) }
      if (page.limit > smallPage) {
        yield* ReadGate.admit(Effect.map(findPageSize(listing), (size) => ({ parsed: Math.min(size, answerLimit) })))
      }
      const rows = yield* findPage(listing)
      const [first] = rows
      if (first === undefined) {
        // nothing is on the first page, so there is nothing to count
        return { memories: [], total: Pagination.offset(page) === 0 ? 0 : yield* findTotal(filter, page) }
      }
      if (first.bytes > answerLimit) {
        return yield* new AnswerTooLarge({ subject: "memories", bytes: first.bytes, limit: answerLimit })
      }
      return { memories: yield* readable(rows), total: first.total }
    }, readOrUnavailable),
    replace: Effect.fn("SqlMemoryStore.replace")(function*(id, owner, content, updated_at) {
      const found = yield* replace({ id, owner, ...content, updated_at })
      yield* written
      return Option.isSome(found) ? found.value : yield* new MemoryNotFound({ memory_id: id })
    }, orUnavailable),
    remove: Effect.fn("SqlMemoryStore.remove")((ids, owner) =>
      orUnavailable(
        Effect.asVoid(
          sql`delete from svc_memories m where m.memory_id = any(${texts(ids.map(text))}::text[]) and ${
            isCovered(owner)
          }`
        )
      )
    ),
    topics: Effect.fn("SqlMemoryStore.topics")((owner) =>
      readOrUnavailable(
        Effect.map(
          sql<{ readonly topic: string }>`
            with newest as materialized (
              select m.topics from svc_memories m where ${isCovered(owner)}
              order by m.updated_at desc, m.seq desc limit ${topicLimits.memories}
            )
            select distinct t.topic collate "C" as topic
            from newest cross join jsonb_array_elements_text(
              case jsonb_typeof(newest.topics) when 'array' then newest.topics else '[]' end
            ) as t (topic) where t.topic is not null order by 1 limit ${topicLimits.topics}`,
          (rows) => rows.map(({ topic }) => topic)
        )
      )
    ),
    statistics: Effect.fn("SqlMemoryStore.statistics")(function*(owner, page) {
      const from = sql`svc_memory_users u where u.memories > 0 and ${Ownership.covers(sql, "u.user_id", owner)}`
      if (page.limit * statisticsBytes > answerLimit) {
        const count = Math.min(page.limit, (yield* pages.count(from)) - Pagination.offset(page))
        const bytes = count * statisticsBytes
        if (bytes > answerLimit) return yield* new AnswerTooLarge({ subject: "memoryUsers", bytes, limit: answerLimit })
      }
      const rows = yield* pages.select({
        columns: sql`u.user_id, u.memories, u.updated_at::float8 as updated_at`,
        from,
        order: sql`u.updated_at desc, u.user_id`,
        page
      })
      return { users: yield* readableCounts(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    relevant: Effect.fn("SqlMemoryStore.relevant")((user_id, budget) => readOrUnavailable(newest(user_id, budget))),
    apply: Effect.fn("SqlMemoryStore.apply")(function*(user_id, changes, source, at) {
      const [applied] = yield* statements.apply({ user_id, changes, source, at })
      yield* written
      const memories = yield* newest(user_id, appliedBudget)
      const { created = 0, is_erased: isErased = false, is_new: isNew = false } = applied ?? {}
      if (!isNew) return { isNew, isErased, refused: 0, memories }
      const wanted = Memory.lastChanges(changes).filter(({ _tag }) => _tag === "Create").length
      return { isNew, isErased, refused: wanted - created, memories }
    }, orUnavailable),
    replaceAll: Effect.fn("SqlMemoryStore.replaceAll")(function*(user_id, expected, memory, others = 0) {
      const replaced = yield* statements.replaceAll({ user_id, expected, memory, others })
      if (replaced.length === 0) return yield* new MemoriesChanged({ user_id })
      yield* written
    }, orUnavailable),
    removeOf: Effect.fn("SqlMemoryStore.removeOf")((user_id) =>
      orUnavailable(
        Effect.map(
          Effect.andThen(
            erasures.record(user_id),
            sql<{ readonly removed: number }>`
            with gone as (delete from svc_memories where user_id = ${text(user_id)} returning 1),
            keys as (delete from svc_memory_keys where user_id = ${text(user_id)})
            select count(*)::int as removed from gone`
          ),
          ([row]) => row?.removed ?? 0
        )
      )
    ),
    follow: (onWrite) => Effect.sync(() => followers.follow(onWrite))
  })
})

export const layer: Layer.Layer<MemoryStore, never, SqlClient.SqlClient> = Layer.effect(MemoryStore, make)
