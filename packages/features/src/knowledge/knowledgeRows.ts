// Maps contents and chunks to rows and back.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { text } from "@svc-runtime/postgres/sql/rows"
import { Schema, Struct } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { ContentFilter } from "./ContentStore.ts"
import * as Knowledge from "./Knowledge.ts"

const names = `content_id, instance, user_id, name, description, type, metadata, origin, digest, status_message`

/** The columns of a content `s`. An unknown status is one that a newer version has stored. */
export const contentColumns = `${names.replaceAll(/\w+/g, "s.$&")},
  case when s.status like '%failed%' then 'failed' when s.status like '%completed%' then 'completed'
    else 'processing' end as status,
  case when s.done is not null and s.total is not null then jsonb_build_object('done', s.done, 'total', s.total) end
    as progress,
  s.size::float8 as size, s.generation::float8 as generation, s.published::float8 as published,
  s.created_at::float8 as created_at, s.updated_at::float8 as updated_at`

export const readableContents = ReadableRows.make(Knowledge.Content, "content_id")

/** Of a content `s` and a chunk `c` with its text `t`. */
export const foundColumns =
  `c.chunk_no::float8 as chunk_no, t.chunk_id as id, t.name, t.text, c.metadata, c.place as index,
  t.size, s.content_id, s.name as content_name, s.metadata as content_metadata, s.origin`

export const FoundRow = Schema.Struct({
  ...Knowledge.Chunk.fields,
  ...Struct.pick(Knowledge.Content.fields, ["content_id", "origin"]),
  chunk_no: Schema.Int,
  content_name: Knowledge.Content.fields.name,
  content_metadata: Knowledge.Content.fields.metadata
})
export type FoundRow = typeof FoundRow.Type

export const toFound = (row: FoundRow, score: number): Knowledge.Found => {
  const { chunk_no: _, content_id, content_metadata, content_name, origin, ...chunk } = row
  return { chunk, content: { content_id, metadata: content_metadata, name: content_name, origin }, score }
}

/**
 * Of a content `s`: the removal of all contents has not reached it. There is hardly ever such a removal, and the first
 * condition is decided once.
 */
export const isPresent = `not (
  (select exists (select from svc_content_removals)) and exists (
    select from svc_content_removals r
    where r.instance = s.instance and s.seq < r.last_seq and (r.user_id is null or r.user_id = s.user_id)
  )
)`

/** The owner reads a content `s`. */
export const isReadable = (sql: SqlClient.SqlClient, owner: Owner.Owner): Statement.Fragment =>
  Ownership.reads(sql, "s.user_id", owner)

/** `isPresent` for many contents `s`: what was removed is decided once for a statement, and not for each of them. */
export const isPresentIn = (sql: SqlClient.SqlClient, { instance, owner }: ContentFilter): Statement.Fragment => {
  const removals = sql`svc_content_removals r where r.instance = ${text(instance)}`
  // without the sum, an index of the whole table would be read
  const isAfter = (whose: Statement.Fragment) =>
    sql`s.seq + 0 >= coalesce((select max(r.last_seq) from ${removals} and ${whose}), 0)`
  // a user of a tenant reads what the tenant shares, too
  const ofUsers = owner._tag === "User" && Owner.sharedWith(owner.user_id) === undefined
    ? sql`(s.user_id is null or ${isAfter(sql`r.user_id = ${text(owner.user_id)}`)})`
    : sql`not (
        (select exists (select from ${removals} and r.user_id is not null))
        and exists (select from ${removals} and r.user_id = s.user_id and s.seq < r.last_seq)
      )`
  return sql.and([isAfter(sql`r.user_id is null`), ofUsers])
}

/** The contents `s` that searches and lists have. */
export const isVisible = (sql: SqlClient.SqlClient, filter: ContentFilter): Statement.Fragment =>
  sql.and([sql`s.instance = ${text(filter.instance)}`, isReadable(sql, filter.owner), isPresentIn(sql, filter)])
