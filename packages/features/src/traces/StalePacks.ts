// Removes the spans of removed rows from the packs that other rows still need. A pack without rows is removed with its
// last one, by the trigger of `svc_traces`.
import { byteStrings, integers, texts, times, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import * as SpanPacks from "./SpanPacks.ts"

/** Of one statement. */
const maxPacks = 32

const Row = Schema.Struct({
  pack_id: Schema.Finite,
  removed: Schema.String,
  removed_lines: Schema.Array(Schema.Natural),
  body: unchecked<Uint8Array>()
})

const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

export const make = (sql: SqlClient.SqlClient) => {
  const stale = sql`
    select pack_id::float8 as pack_id, removed_lines, removed_lines::text as removed, body from svc_span_packs
    where removed_lines <> '{}' order by pack_id limit ${maxPacks}`

  /** A pack that lost further rows meanwhile is rewritten again. */
  const rewrite = (rows: ReadonlyArray<typeof Row.Type>) => {
    // a damaged pack has no line that can be read
    const packs = rows.map(({ body, removed_lines }) =>
      Option.getOrElse(SpanPacks.without(body, removed_lines), () => SpanPacks.empty)
    )
    return sql`
      update svc_span_packs k set body = r.body, bytes = r.bytes, removed_lines = '{}' from unnest(
        ${times(rows.map(({ pack_id }) => pack_id))}::bigint[],
        ${texts(rows.map(({ removed }) => removed))}::text[],
        ${integers(packs.map(({ bytes }) => bytes))}::integer[],
        ${byteStrings(packs.map(({ body }) => body))}::bytea[]
      ) as r (pack_id, removed, bytes, body) where k.pack_id = r.pack_id and k.removed_lines::text = r.removed
      returning k.pack_id`
  }

  /** Ends when there are no such packs, or other nodes rewrite them. */
  return Effect.gen(function*() {
    for (;;) {
      const rows = yield* Effect.flatMap(stale, decode)
      if (rows.length === 0 || (yield* rewrite(rows)).length === 0) return
    }
  })
}
