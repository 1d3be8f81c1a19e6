// `MemoryStore` in PostgreSQL. Every change is one statement.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Memory from "@svc-runtime/domain/Memory"
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import * as Listeners from "@svc-runtime/engine/signals/Listeners"
import * as MemoryErasures from "@svc-runtime/postgres/sessions/MemoryErasures"
import { ShortStatements } from "@svc-runtime/postgres/ShortStatements"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { changeOne } from "@svc-runtime/postgres/sql/readOne"
import { jsonbOrNull, text, texts, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { appliedBudget, type MemoryBudget, statisticsBytes, topicLimits } from "./MemoryBudget.ts"
import { MemoriesChanged, MemoryExists, MemoryNotFound, TooManyMemories } from "./MemoryErrors.ts"
import { memoryColumns } from "./memoryFilter.ts"
import * as MemoryPages from "./MemoryPages.ts"
import * as MemorySearch from "./MemorySearch.ts"
import * as MemoryStatements from "./MemoryStatements.ts"
import { MemoryStore } from "./MemoryStore.ts"

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

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements)?.reads ?? sql
  const { memories: memoryLimit, response: responseLimit } = yield* StoreLimits
  const statements = MemoryStatements.make(sql, memoryLimit)
  const erasures = MemoryErasures.make(sql)
  const columns = sql.literal(memoryColumns)
  const pages = Page.make(sql)
  const lists = MemoryPages.make(sql, responseLimit)
  const listeners = Listeners.make()
  const written = Effect.sync(listeners.notify)

  const isCovered = (owner: Owner.Owner) => Ownership.covers(sql, "m.user_id", owner)
  const isAt = ({ id, owner }: Key) => sql.and([sql`m.memory_id = ${text(id)}`, isCovered(owner)])

  const searchIn = MemorySearch.make(sql)
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

  const newest = (user_id: Ids.UserId, { agent_id, maxBytes, maxCount, team_id }: MemoryBudget) =>
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
          order by m.updated_at desc, m.seq desc limit ${maxCount}
        ), placed as (
          select found.*, sum(octet_length(memory)) over (rows unbounded preceding) as bytes from found
        )
        select * from placed where bytes <= ${maxBytes}`,
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
      const listing = { filter, page, sort, fromEnd: yield* lists.endOf(filter, page) }
      if (page.limit > MemoryPages.smallPage) {
        yield* ReadLimiter.admit(
          Effect.map(lists.sizeOf(listing), (size) => ({ parsed: Math.min(size, responseLimit) }))
        )
      }
      const rows = yield* lists.find(listing)
      const [first] = rows
      if (first === undefined) {
        // nothing is on the first page, so there is nothing to count
        return { memories: [], total: Pagination.offset(page) === 0 ? 0 : yield* lists.countAll(filter, page) }
      }
      if (first.bytes > responseLimit) {
        return yield* new ResponseTooLarge({ subject: "memories", bytes: first.bytes, limit: responseLimit })
      }
      return { memories: yield* readable(rows), total: first.total }
    }, readOrUnavailable),
    replace: Effect.fn("SqlMemoryStore.replace")(function*(id, owner, content, updated_at) {
      const found = yield* changeOne(sql)(replace({ id, owner, ...content, updated_at }), { kind: "memory", id })
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
      if (page.limit * statisticsBytes > responseLimit) {
        const count = Math.min(page.limit, (yield* pages.count(from)) - Pagination.offset(page))
        const bytes = count * statisticsBytes
        if (bytes > responseLimit) {
          return yield* new ResponseTooLarge({ subject: "memoryUsers", bytes, limit: responseLimit })
        }
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
    follow: (onWrite) => Effect.sync(() => listeners.follow(onWrite))
  })
})

export const layer: Layer.Layer<MemoryStore, never, ShortStatements | SqlClient.SqlClient | StoreLimits> = Layer.effect(
  MemoryStore,
  make
)
