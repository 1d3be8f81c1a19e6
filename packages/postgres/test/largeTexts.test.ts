// How large texts are stored: once for a session, outside of the rows that name them, as long as the session exists.
import { assert, layer } from "@effect/vitest"
import type * as Message from "@svc-runtime/domain/Message"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as FaultySql from "@svc-runtime/test-support/FaultySql"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { ending, events, message, newRun, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer, Option } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { Stores } from "./Stores.ts"

Tier.oneIn(10)

const content = "a file. ".repeat(500_000)
const files = [{ id: "file", content, mime_type: "application/pdf" }]
const input = { input_content: "hi", files }
const messages = [message("user", "hi", { files }), message("assistant", "Seen.")]

const storedFor = Effect.fnUntraced(function*(session: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly texts: number; readonly bytes: number }>`
    select count(distinct hash)::int as texts, coalesce(sum(length(body)), 0)::int as bytes
    from svc_large_texts where session_id = ${session}`
  return row
})

/** The bytes of the largest row of each table that is read back whole. */
const largest = Effect.fnUntraced(function*({ run_id }: NewRun) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Readonly<Record<string, number>>>`
    select length(r.output::text) as output,
      (select max(length(body::text)) from svc_messages m where m.run_seq = r.seq) as message,
      (select max(length(body::text)) from svc_run_journal j where j.run_seq = r.seq) as entry,
      (select max(length(body::text)) from svc_run_events e where e.run_seq = r.seq) as event
    from svc_runs r where r.run_id = ${run_id}`
  return Object.values(row ?? {}).map((size) => size ?? 0)
})

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layer)), { excludeTestServices: true })(
  "long texts",
  (it) => {
    it.effect("a chain of continued runs stores the texts of its messages once", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const sql = yield* SqlClient.SqlClient
        const session_id = sessionId()
        const text = (n: number, role: string) => `${n} ${role}: ${crypto.randomUUID().repeat(300)}`
        let messages: ReadonlyArray<Message.Message> = []
        let last = newRun({ session_id })
        for (let n = 0; n < 50; n++) {
          last = newRun({ session_id })
          yield* runs.create(last)
          const copies = messages.map((each) => ({ ...each, from_history: true }))
          messages = [...copies, message("user", text(n, "question")), message("assistant", text(n, "answer"))]
          yield* runs.finish(ending(last, { run: { messages } }))
        }
        const [row] = yield* sql<{ readonly bytes: number }>`
          select (select sum(octet_length(m.body::text)) from svc_messages m join svc_runs r on r.seq = m.run_seq
              where r.session_id = ${session_id})::int
            + (select sum(length(body)) from svc_large_texts where session_id = ${session_id})::int as bytes`
        // 100 texts of about 11 KB each, once as a message and once as a large text
        assert.isBelow(row?.bytes ?? 0, 4 * 1024 * 1024)
        const found = Option.getOrThrow(yield* runs.find(session_id, last.run_id, { owner: Owner.anyone }))
        assert.deepStrictEqual((found as Run.Output).messages, messages)
      }))

    it.effect("a long text is stored once, and no row that names it is large", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const begun = newRun({ input })
        const { run_id, session_id } = begun
        yield* runs.create(begun)
        const entry = { before: messages as never, said: content }
        const happened = events(begun, 1, content)
        yield* runs.record({ run_id, attempt: 1, position: 0, entry, events: happened.slice(0, 2) })
        assert.isTrue((yield* largest(begun)).every((size) => size < 10_000))
        yield* runs.finish(ending(begun, { events: happened, run: { status: "ERROR", messages, content } }))
        assert.isTrue((yield* largest(begun)).every((size) => size < 10_000))
        const again = newRun({ session_id, input })
        yield* runs.create(again)
        yield* runs.finish(ending(again, { run: { messages } }))
        const stored = yield* storedFor(session_id)
        assert.strictEqual(stored?.texts, 1)
        assert.isBelow(stored?.bytes ?? 0, content.length * 1.01)
      }))

    it.effect("long texts are deleted with their session", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const sessions = yield* SessionStore
        const begun = newRun({ input })
        yield* runs.create(begun)
        yield* runs.finish(ending(begun, { run: { messages } }))
        yield* sessions.remove([begun.session_id], Owner.anyone)
        assert.deepStrictEqual(yield* storedFor(begun.session_id), { texts: 0, bytes: 0 })
      }))

    it.effect("long texts of a refused run in a new session are not kept", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const begun = newRun({ input })
        yield* runs.create(begun)
        const refused = newRun({ run_id: begun.run_id, session_id: sessionId(), input })
        yield* Effect.flip(runs.create(refused))
        assert.deepStrictEqual(yield* storedFor(refused.session_id), { texts: 0, bytes: 0 })
      }))

    it.effect.each(["body = ''", "body = substring(body for 100)", "hash = repeat('0', 64)"])(
      "damaged long texts (%s) are not shown, and no run is resumed from them",
      (damage) =>
        Effect.gen(function*() {
          const runs = yield* RunStore
          const sql = yield* SqlClient.SqlClient
          const ended = newRun({ input })
          const { session_id } = ended
          yield* runs.create(ended)
          yield* runs.finish(ending(ended, { run: { messages } }))
          const [begun, paused] = [newRun({ session_id, input }), newRun({ session_id, input })]
          yield* runs.create(begun)
          yield* runs.create(paused)
          yield* runs.finish(ending(paused, { run: { messages, status: "PAUSED" } }))
          yield* sql.unsafe(`update svc_large_texts set ${damage} where session_id = $1 and part = 0`, [session_id])
          const found = Option.getOrThrow(yield* runs.find(session_id, ended.run_id, { owner: Owner.anyone }))
          assert.notInclude(JSON.stringify(found), "svc-text")
          const next = yield* runs.create(newRun({ session_id, history: 3 }))
          // those of the run that has ended, and of the one that waits
          assert.strictEqual(next.history.length, 2 * messages.length)
          const refused = yield* Effect.flip(runs.load({ run_id: begun.run_id, attempt: 1 }))
          const reason = "a long text of it is missing or damaged"
          assert.deepInclude(refused, { _tag: "RunUnreadable", reason })
          const read = Option.getOrThrow(yield* runs.snapshot(session_id, paused.run_id, { owner: Owner.anyone }))
          assert.strictEqual(read.damage, reason)
        })
    )

    it.effect("long texts that were changed in place are found by their hash before a run is resumed", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const sql = yield* SqlClient.SqlClient
        const begun = newRun({ input })
        const { run_id, session_id } = begun
        yield* runs.create(begun)
        yield* sql`
          update svc_large_texts set body = overlay(body placing 'X'::bytea from 10) where session_id = ${session_id}`
        const refused = yield* Effect.flip(runs.load({ run_id, attempt: 1 }))
        assert.strictEqual(refused._tag, "RunUnreadable")
      }))

    it.effect("long texts are read only for a session that the reader may see", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const ann = userId()
        const begun = newRun({ input, user_id: ann })
        yield* runs.create(begun)
        const found = yield* runs.find(begun.session_id, begun.run_id, { owner: Owner.user(userId()) })
        assert.isTrue(Option.isNone(found))
      }))

    it.effect("long texts are kept for a run that the database may still store when its reply is lost", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const begun = newRun({ input })
        const losing: Statement.Transformer = (statement, connections) =>
          Effect.succeed(
            statement.compile()[0].includes("valid_until")
              ? connections.unsafe(FaultySql.textOf(FaultySql.faults["a server that shuts down"]))
              : statement
          )
        const lost = yield* Effect.flip(
          Effect.provideService(runs.create(begun), Statement.CurrentTransformer, losing)
        )
        assert.strictEqual(lost._tag, "StorageUnavailable")
        assert.deepInclude(yield* storedFor(begun.session_id), { texts: 1 })
        const refused = newRun({ input, place: { known: [], otherwise: "notFound" } })
        assert.strictEqual((yield* Effect.flip(runs.create(refused)))._tag, "RunNotFound")
        assert.deepInclude(yield* storedFor(refused.session_id), { texts: 0 })
      }))
  }
)
