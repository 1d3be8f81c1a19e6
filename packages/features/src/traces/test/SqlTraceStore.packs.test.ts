import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import { Expiry } from "@svc-runtime/postgres/sql/Expiry"
import * as SqlRetentionStore from "@svc-runtime/postgres/SqlRetentionStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer, Logger, Option } from "effect"
import { SqlClient } from "effect/sql"
import { zstdDecompressSync } from "node:zlib"
import * as ExpiredTraces from "../ExpiredTraces.ts"
import * as SqlTraceStore from "../SqlTraceStore.ts"
import { TraceStore } from "../TraceStore.ts"
import { at, root, span } from "./SampleTraces.ts"

Tier.oneIn(2)

const database = Layer.mergeAll(SqlTraceStore.layer, SqlRetentionStore.layer).pipe(
  Layer.provide(Layer.succeed(Expiry, ExpiredTraces.expiry)),
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(PgliteLayer.layer)
)

const inSession = (session_id: string, text: string) =>
  root({ session_id: Session.Id.make(session_id), attributes: { "input.value": text } })

/** The texts of all packs. */
const packs = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly body: Uint8Array }>`select body from svc_span_packs order by pack_id`
  return rows.map(({ body }) => zstdDecompressSync(body).toString())
})

const spansOf = (trace_id: string) =>
  Effect.map(
    TraceStore.use((store) => store.find(trace_id, Owner.anyone)),
    Option.match({ onNone: () => [], onSome: ({ spans }) => spans })
  )

layer(database)("The packs of spans", (it) => {
  it.effect("small traces of a batch share a pack, and a repeated batch has no second one", () =>
    Effect.gen(function*() {
      const [store, before] = [yield* TraceStore, (yield* packs).length]
      const batch = Array.from({ length: 20 }, () => root())
      yield* store.write(batch, at(1))
      yield* store.write(batch, at(2))
      assert.lengthOf(yield* packs, before + 1)
      for (const one of batch) assert.deepStrictEqual(yield* spansOf(one.trace_id), [one])
    }))

  it.effect("a removed session leaves no text in a pack, whose other traces are still read", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [gone, other] = [inSession("gone", "zanzibar"), inSession("other", "istanbul")]
      yield* store.write([gone, other], at(1))
      assert.isTrue((yield* packs).some((text) => text.includes("zanzibar")))
      yield* store.removeOfSessions([Session.Id.make("gone")], Owner.anyone, at(2))
      assert.isFalse((yield* packs).some((text) => text.includes("zanzibar")))
      assert.deepStrictEqual(yield* spansOf(other.trace_id), [other])
      assert.deepStrictEqual(yield* store.findSpan(other, Owner.anyone), Option.some(other))
    }))

  it.effect("the next removal and the retention rewrite packs that an interrupted removal has left", () =>
    Effect.gen(function*() {
      const [sql, store, retention] = [yield* SqlClient.SqlClient, yield* TraceStore, yield* RetentionStore]
      const isLeft = Effect.map(packs, (texts) => texts.some((text) => text.includes("timbuktu")))
      for (
        const next of [
          Effect.asVoid(store.removeOfSessions([Session.Id.make("nothing")], Owner.anyone, at(2))),
          Effect.repeat(retention.prune("traceRemovals", 600), { while: (count) => count > 0 })
        ]
      ) {
        const [gone, other] = [inSession("left", "timbuktu"), inSession("stays", "istanbul")]
        yield* store.write([gone, other], at(1))
        yield* sql`delete from svc_traces where trace_id = ${gone.trace_id}`
        assert.isTrue(yield* isLeft)
        yield* next
        assert.isFalse(yield* isLeft)
        assert.deepStrictEqual(yield* spansOf(other.trace_id), [other])
      }
    }))

  it.effect("a removal that was interrupted days ago is not forgotten before all its traces are gone", () =>
    Effect.gen(function*() {
      const [sql, store, retention] = [yield* SqlClient.SqlClient, yield* TraceStore, yield* RetentionStore]
      const session_id = Session.Id.make("long gone")
      yield* store.write(Array.from({ length: 250 }, () => root({ session_id })), at(1))
      yield* store.recordRemovalOfSessions([session_id], Owner.anyone, at(2))
      while ((yield* retention.prune("traceRemovals", 600)) > 0);
      yield* retention.prune("traceRemovals", 600)
      const left = yield* sql`
        select 1 from svc_traces where session_id = ${session_id}
        union all select 1 from svc_trace_removals where session_id = ${session_id}`
      assert.lengthOf(left, 0)
    }))

  it.effect("the retention reads a removal until its traces are gone for some time, and again after the next one", () =>
    Effect.gen(function*() {
      const [sql, store, retention] = [yield* SqlClient.SqlClient, yield* TraceStore, yield* RetentionStore]
      const session_id = Session.Id.make("removed twice")
      const isApplied = Effect.map(
        sql<{ readonly is_applied: boolean }>`
          select is_applied from svc_trace_removals where session_id = ${session_id}`,
        ([row]) => row?.is_applied
      )
      const before = (Date.now() - 5000) * 1000
      yield* store.recordRemovalOfSessions([session_id], Owner.anyone, before)
      yield* retention.prune("traceRemovals", 600)
      assert.isFalse(yield* isApplied)
      yield* retention.prune("traceRemovals", 0)
      assert.isTrue(yield* isApplied)
      yield* store.removeOfSessions([session_id], Owner.anyone, before + 1)
      assert.isFalse(yield* isApplied)
    }))

  it.effect("the retention removes no trace of a later run because its session was removed before", () =>
    Effect.gen(function*() {
      const [store, retention] = [yield* TraceStore, yield* RetentionStore]
      const session_id = Session.Id.make("made again")
      yield* store.recordRemovalOfSessions([session_id], Owner.anyone, at(2))
      const later = root({ session_id, started_at: at(3), ended_at: at(4) })
      yield* store.write([later], at(4))
      // of another session, in the trace that shows the first one
      const [trace_id, other] = [later.trace_id, "another session"]
      yield* store.write([root({ session_id: other, trace_id, started_at: at(1), ended_at: at(5) })], at(5))
      while ((yield* retention.prune("traceRemovals", 600)) > 0);
      assert.lengthOf(yield* spansOf(trace_id), 2)
    }))

  it.effect("the retention completes all removals whose traces are gone", () =>
    Effect.gen(function*() {
      const [sql, retention] = [yield* SqlClient.SqlClient, yield* RetentionStore]
      yield* sql`
        insert into svc_trace_removals (session_id, user_id, has_user, removed_at)
        select 'many ' || n, '', false, n from generate_series(1, 2500) as n`
      while ((yield* retention.prune("traceRemovals", 600)) > 0);
      assert.lengthOf(yield* sql`select from svc_trace_removals where session_id like 'many %' and not is_applied`, 0)
    }))

  it.effect("the text of a row that was stored before does not stay in the pack of a later batch", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [known, added] = [inSession("known", "samarkand"), inSession("added", "istanbul")]
      yield* store.write([known], at(1))
      yield* store.write([known, added], at(1))
      yield* store.removeOfSessions([Session.Id.make("known")], Owner.anyone, at(2))
      assert.isFalse((yield* packs).some((text) => text.includes("samarkand")))
      assert.deepStrictEqual(yield* spansOf(added.trace_id), [added])
    }))

  it.effect("a pack is removed with its last trace", () =>
    Effect.gen(function*() {
      const [store, before] = [yield* TraceStore, yield* packs]
      yield* store.write([inSession("first", "a"), inSession("second", "b")], at(1))
      for (const id of ["first", "second"]) {
        yield* store.removeOfSessions([Session.Id.make(id)], Owner.anyone, at(2))
      }
      assert.deepStrictEqual(yield* packs, before)
    }))

  it.effect("a trace of many large batches is read in the order of its spans, and one span is found in it", () =>
    Effect.gen(function*() {
      const [store, first] = [yield* TraceStore, root()]
      const text = "a word ".repeat(10_000)
      const later = Array.from(
        { length: 40 },
        (_, index) => span({ trace_id: first.trace_id, started_at: at(1 + index), attributes: { text } })
      )
      yield* store.write([first], at(1))
      for (const one of later.toReversed()) yield* store.write([one, root()], at(2))
      assert.deepStrictEqual(yield* spansOf(first.trace_id), [first, ...later])
      for (const one of [first, ...later.slice(0, 1), ...later.slice(-1)]) {
        assert.deepStrictEqual(yield* store.findSpan(one, Owner.anyone), Option.some(one))
      }
      const missing = { trace_id: first.trace_id, span_id: root().span_id }
      assert.deepStrictEqual(yield* store.findSpan(missing, Owner.anyone), Option.none())
    }))

  it.effect("a damaged pack hides only its own spans, is logged and not at each read, and does not stop a removal", () =>
    Effect.gen(function*() {
      const [sql, store, first] = [yield* SqlClient.SqlClient, yield* TraceStore, inSession("damaged", "a")]
      const [later, beside] = [span({ trace_id: first.trace_id, started_at: at(1) }), inSession("beside", "b")]
      yield* store.write([first, beside], at(1))
      yield* sql`
        update svc_span_packs set body = ${new Uint8Array([1, 2, 3])}
        where pack_id = (select pack_id from svc_spans where trace_id = ${first.trace_id})`
      yield* store.write([later], at(1))
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      for (let reads = 0; reads < 3; reads++) {
        const read = yield* Effect.provide(spansOf(first.trace_id), Logger.layer([logger]))
        assert.deepStrictEqual(read, [later])
      }
      assert.lengthOf(logged.filter((message) => message.startsWith("A damaged pack of spans")), 1)
      yield* store.removeOfSessions([Session.Id.make("damaged")], Owner.anyone, at(2))
      assert.deepStrictEqual(yield* spansOf(beside.trace_id), [])
      assert.lengthOf(yield* sql`select from svc_span_packs where removed_lines <> '{}'`, 0)
    }))
})
