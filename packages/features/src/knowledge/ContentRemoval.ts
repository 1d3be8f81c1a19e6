// Removes all contents that an owner covers. They are invisible at once, and are removed in pieces: no statement
// reaches its timeout, however many there are.
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import { text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { AllRemoved, ContentFilter } from "./ContentStore.ts"
import { contentsRemovedAtOnce } from "./KnowledgeLimits.ts"
import { isPresentIn } from "./knowledgeRows.ts"

/** Pieces of uploaded bytes, of which one statement removes a few more. */
const bodiesAtOnce = 32

interface Removal {
  readonly last_seq: number
  readonly instance: string
  readonly user_id: string | null
}

const none = { count: 0, isLast: false }
const nothing: AllRemoved = { generation: 0 }

export const make = (sql: SqlClient.SqlClient) => {
  const key = (instance: string) => sql`hashtextextended(${text(instance)}, 133)`

  /**
   * What stores a content or a later generation begins with it. A removal waits for such open transactions, and later
   * ones see the removal: it removes lower numbers of contents and generations.
   */
  const admitUpload = (instance: string) => sql`select pg_advisory_xact_lock_shared(${key(instance)})::text as locked`

  const awaitUploads = (instance: string) => sql`select pg_advisory_xact_lock(${key(instance)})::text as locked`

  /** In the order of an index: without it a small instance would be looked for in the whole table. */
  const anyOf = (condition: Statement.Fragment) =>
    sql`(select s.seq from svc_contents s where ${condition} order by s.created_at, s.seq limit 1)`

  const begin = (filter: ContentFilter) => {
    const { instance, owner } = filter
    return sql<Removal & { readonly generation: number }>`
      insert into svc_content_removals (last_seq, instance, user_id, removed_at)
      select nextval('svc_contents_seq_seq'), ${text(instance)},
        ${textOrNull(owner._tag === "User" ? owner.user_id : null)}, extract(epoch from now())::bigint
      where ${
      anyOf(sql.and([
        sql`s.instance = ${text(instance)}`,
        Ownership.covers(sql, "s.user_id", owner),
        isPresentIn(sql, filter)
      ]))
    } is not null
      returning last_seq::float8 as last_seq, instance, user_id, nextval('svc_content_generations')::float8 as generation`
  }

  const isOf = ({ instance, last_seq, user_id }: Removal) =>
    sql.and([
      sql`s.instance = ${instance} and s.seq < ${last_seq}`,
      user_id === null ? sql.literal("true") : sql`s.user_id = ${user_id}`
    ])

  /** A locked content stays for a later piece: waiting for it could deadlock. */
  const removePiece = (removal: Removal) =>
    sql<{ readonly count: number }>`
      with picked as materialized (
        select s.seq, s.created_at, (select count(*) from svc_content_bodies b where b.content_seq = s.seq) as bodies
        from svc_contents s where ${isOf(removal)}
        order by s.created_at, s.seq limit ${contentsRemovedAtOnce} for update of s skip locked
      ), fitting as (
        select seq, sum(bodies) over (order by created_at, seq) - bodies as bodies_before from picked
      ), gone as (
        delete from svc_contents s
        where s.seq = any(array(select seq from fitting where bodies_before < ${bodiesAtOnce})) returning 1
      )
      select count(*)::int as count from gone`

  const end = (removal: Removal) =>
    sql`
      delete from svc_content_removals r where r.last_seq = ${removal.last_seq}
        and ${anyOf(isOf(removal))} is null
      returning 1`

  /** How many contents it has removed, and whether they were the last ones. */
  const piece = Effect.fnUntraced(function*(removal: Removal) {
    const [row] = yield* removePiece(removal)
    if (row === undefined) return none
    // with a whole piece there are more
    const isLast = row.count < contentsRemovedAtOnce && (yield* end(removal)).length > 0
    return { count: row.count, isLast }
  })

  /** A piece of the removal that began first. */
  const pieceOfFirst = inTransaction(sql)(Effect.gen(function*() {
    const [removal] = yield* sql<Removal>`
      select last_seq::float8 as last_seq, instance, user_id from svc_content_removals
      order by last_seq limit 1 for update skip locked`
    return removal === undefined ? none : yield* piece(removal)
  }))

  const prune: Effect.Effect<number, SqlError.SqlError> = Effect.flatMap(
    pieceOfFirst,
    // there can be another removal behind one without contents
    ({ count, isLast }) => count === 0 && isLast ? Effect.suspend(() => prune) : Effect.succeed(count)
  )

  /** Few contents are removed before it returns. */
  const removeAll = (filter: ContentFilter): Effect.Effect<AllRemoved, SqlError.SqlError> =>
    filter.owner._tag === "None" ? Effect.succeed(nothing) : inTransaction(sql)(Effect.gen(function*() {
      yield* awaitUploads(filter.instance)
      const [removal] = yield* begin(filter)
      if (removal === undefined) return nothing
      yield* piece(removal)
      return { generation: removal.generation }
    }))

  return { admitUpload, prune, removeAll }
}
