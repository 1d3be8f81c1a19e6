// Pages of learnings. A first statement reads the keys of a page from an index, with their number, and measures the
// rows; a second one reads them.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import { text, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import {
  columnOf,
  filterable,
  isCounted,
  type LearningFilter,
  type LearningSort,
  maxCountedBeyond
} from "./LearningFilter.ts"
import { learningColumns } from "./learningRows.ts"
import type { UserFilter } from "./LearningStore.ts"

export interface Listing {
  readonly filter: LearningFilter
  readonly page: Pagination.Request
  readonly sort: LearningSort
}

const Keys = Schema.Struct({ seqs: Schema.String, bytes: Schema.Finite, total: Schema.Int })
export type Keys = typeof Keys.Type

const bytes = "coalesce(octet_length(l.content::text), 0) + coalesce(octet_length(l.metadata::text), 0)"

export const make = (sql: SqlClient.SqlClient) => {
  const isCovered = (owner: Owner.Owner) => Ownership.covers(sql, "l.user_id", owner)

  const conditionsOf = ({ fields, isProposed }: LearningFilter): ReadonlyArray<Statement.Fragment> => [
    ...(isProposed === undefined ? [] : [isProposed ? sql`l.is_proposed` : sql`not l.is_proposed`]),
    ...filterable.flatMap((field) => {
      const value = fields[field]
      return value === undefined ? [] : [sql`${sql.literal(`l.${field}`)} = ${text(value)}`]
    })
  ]

  const sorted = (sort: LearningSort) => {
    const { by, order } = columnOf(sort)
    return sql.literal(`l.${by} ${order}, l.seq ${order}`)
  }

  /** By user and type, counted by a trigger. The type '' stands for all. */
  const countsOf = ({ learning_type = "", owner }: UserFilter) =>
    sql`svc_learning_users u where ${
      sql.and([
        sql`u.learnings > 0`,
        sql`u.learning_type = ${text(learning_type)}`,
        Ownership.covers(sql, "u.user_id", owner)
      ])
    }`

  /** The keys from the start of the list. In parts, because each has an index in the order of the list. */
  const firstOf = ({ filter, sort }: Listing, count: number) => {
    const conditions = conditionsOf(filter)
    const part = (owned: Statement.Fragment) =>
      sql`(
        select ${sql.literal(`l.seq, l.${columnOf(sort).by}`)} from svc_learnings l
        where ${sql.and([owned, ...conditions])} order by ${sorted(sort)} limit ${count}
      )`
    const { includesShared, owner } = filter
    const covered = part(isCovered(owner))
    if (!includesShared || owner._tag !== "User") return sql`${covered} l`
    const tenant = Owner.sharedWith(owner.user_id)
    return tenant === undefined
      ? sql`(${covered} union all ${part(sql`l.user_id is null`)}) l`
      // proposals of a run can have what another tenant knows
      : sql`(
        ${covered} union all ${part(sql`l.user_id = ${text(tenant)}`)}
        union all ${part(sql`l.user_id is null and not l.is_proposed`)}
      ) l`
  }

  /** In a statement with the keys of the page, and some behind it, as `walked`. */
  const totalOf = (listing: Listing) => {
    const { filter, page } = listing
    const offset = Pagination.offset(page)
    if (isCounted(filter)) {
      const { fields: { learning_type }, owner } = filter
      return sql`(select coalesce(sum(u.learnings), 0) from ${countsOf({ owner, learning_type })})`
    }
    const walked = sql`${offset} + (select count(*) from walked)`
    return offset === 0
      ? walked
      : sql`case when exists (select from walked) then ${walked}
        else (select count(*) from ${firstOf(listing, offset)}) end`
  }

  /** The keys of a page. */
  const keysOf = SqlSchema.findOne({
    Request: unchecked<Listing>(),
    Result: Keys,
    execute: (listing) => {
      const { filter, page, sort } = listing
      const walked = page.limit + (isCounted(filter) ? 0 : maxCountedBeyond)
      const last = Math.min(Pagination.offset(page) + walked, Number.MAX_SAFE_INTEGER)
      return sql`
        with walked as materialized (
          select l.seq from ${firstOf(listing, last)}
          order by ${sorted(sort)} limit ${walked} offset ${Pagination.offset(page)}
        ), keys as (select seq from walked limit ${page.limit})
        select coalesce(array_agg(l.seq)::text, '{}') as seqs, coalesce(sum(${sql.literal(bytes)}), 0)::float8 as bytes,
          (${totalOf(listing)})::int as total
        from keys join svc_learnings l on l.seq = keys.seq`
    }
  })

  const rowsOf = ({ seqs }: Keys, sort: LearningSort) =>
    sql<object>`
      select ${sql.literal(learningColumns)} from svc_learnings l where l.seq = any(${seqs}::bigint[])
      order by ${sorted(sort)}`

  return { countsOf, keysOf, rowsOf }
}
