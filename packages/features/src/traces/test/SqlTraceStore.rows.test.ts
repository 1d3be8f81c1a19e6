import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as SpanPacks from "../SpanPacks.ts"
import * as SqlTraceStore from "../SqlTraceStore.ts"
import { TraceStore } from "../TraceStore.ts"
import { at, root, span } from "./SampleTraces.ts"

const database = SqlTraceStore.layer.pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(PgliteLayer.layer)
)

layer(database)("The rows of spans", (it) => {
  const spansOf = (trace_id: string) =>
    Effect.map(
      TraceStore.use((store) => store.find(trace_id, Owner.anyone)),
      Option.match({ onNone: () => [], onSome: ({ spans }) => spans })
    )

  it.effect("the spans of a batch with one session are one row", () =>
    Effect.gen(function*() {
      const [sql, store] = [yield* SqlClient.SqlClient, yield* TraceStore]
      const first = root()
      const { trace_id } = first
      const of = (millisecond: number) => span({ trace_id, started_at: at(millisecond) })
      const [second, third, last] = [of(1), of(2), of(3)]
      yield* store.write([last, first, third, second], at(4))
      assert.lengthOf(yield* sql`select from svc_spans where trace_id = ${trace_id}`, 1)
      assert.deepStrictEqual(yield* spansOf(trace_id), [first, second, third, last])
      assert.deepStrictEqual(yield* store.findSpan(second, Owner.anyone), Option.some(second))
      assert.deepStrictEqual(yield* store.findSpan(third, Owner.anyone), Option.some(third))
    }))

  it.effect("a damaged span is left out, and the others of its row are read", () =>
    Effect.gen(function*() {
      const [sql, store, first] = [yield* SqlClient.SqlClient, yield* TraceStore, root()]
      const { trace_id } = first
      yield* store.write([first], at(4))
      const good = span({ trace_id, started_at: at(1) })
      const [pack] = SpanPacks.of([JSON.stringify([{ span_id: "damaged" }, good])]).packs
      if (pack === undefined) return assert.fail("there is no pack")
      yield* sql`
        with pack as (
          insert into svc_span_packs (lines_left, bytes, body) values (1, ${pack.bytes}, ${pack.body}) returning pack_id
        )
        insert into svc_spans (span_id, trace_id, is_root, is_error, started_at, pack_id, pack_line)
        select 'damaged', ${trace_id}, false, false, ${String(good.started_at)}::bigint, pack_id, 0 from pack`
      assert.deepStrictEqual(yield* spansOf(trace_id), [first, good])
      assert.deepStrictEqual(yield* store.findSpan(good, Owner.anyone), Option.some(good))
    }))

  it.effect("a batch with removed spans is stored as a whole, or not at all", () =>
    Effect.gen(function*() {
      const [sql, store, other] = [yield* SqlClient.SqlClient, yield* TraceStore, root()]
      const session_id = Session.Id.make("removed")
      const [removed, late] = [root({ session_id }), root({ session_id, started_at: at(9) })]
      yield* store.removeOfSessions([session_id], Owner.anyone, at(5))
      yield* sql`alter table svc_spans add constraint refuses_late check (span_id <> ${
        sql.literal(`'${late.span_id}'`)
      })`
      const batch = [other, removed, { ...late, trace_id: removed.trace_id }]
      assert.strictEqual((yield* Effect.flip(store.write(batch, at(10)))).isRejected, true)
      assert.deepStrictEqual(yield* spansOf(other.trace_id), [])
      yield* sql`alter table svc_spans drop constraint refuses_late`
      yield* store.write(batch, at(11))
      assert.deepStrictEqual(yield* spansOf(other.trace_id), [other])
      assert.lengthOf(yield* spansOf(removed.trace_id), 1)
    }))
})
