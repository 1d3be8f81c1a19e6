// Rows of sessions that were damaged, in any column, and runs beside a damaged one: what can be read is shown.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import {
  ending,
  events,
  message,
  newRun,
  pastSessions,
  sessionId,
  userId
} from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Cause, Effect, Exit, Layer, Logger, Option, References } from "effect"
import { SqlClient } from "effect/sql"
import { Stores } from "./Stores.ts"

Tier.oneIn(3)

const stores = Stores.pipe(Layer.provideMerge(PgliteLayer.layer))

const deep = "repeat('[', 3000) || repeat(']', 3000)"
const json = ["'3'", `'"text"'`, "'[]'", "'null'", `(${deep})::json`, `('{"a":' || ${deep} || '}')::json`]
const parts = ["session_state", "session_metrics", "component_data", "metadata", "summary"] as const

/** By the type of a column. */
const damages: Readonly<Record<string, ReadonlyArray<string>>> = {
  text: ["null", "''", "'nonsense'"],
  json: ["null", "'{}'", ...json],
  jsonb: ["null", "'{}'", "'3'", "'[]'"],
  bigint: ["null", "-1", "9223372036854775807"]
}

const page = { page: 1, limit: 100 }
const sort = { by: "created_at", order: "desc" } as const

const errorsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const errors: Array<Readonly<Record<string, unknown>>> = []
    const logger = Logger.make(({ fiber, logLevel }) => {
      if (logLevel === "Error") errors.push({ ...fiber.getRef(References.CurrentLogAnnotations) })
    })
    return Effect.as(Effect.provide(effect, Logger.layer([logger])), errors)
  })

const started = Effect.gen(function*() {
  const begun = newRun()
  yield* RunStore.use((runs) => runs.create(begun))
  yield* RunStore.use((runs) => runs.finish(ending(begun)))
  return begun
})

layer(stores, { excludeTestServices: true })("A damaged session", (it) => {
  it.effect("every read shows null for a damaged part of a session, and the log names the session once", () =>
    Effect.gen(function*() {
      const [sessions, sql] = [yield* SessionStore, yield* SqlClient.SqlClient]
      for (const part of parts) {
        const values = part === "session_metrics" ? ["'3'", "'[]'"] : json.filter((each) => each !== "'null'")
        for (const value of Tier.some(values, 2, parts.indexOf(part))) {
          const { session_id } = yield* started
          yield* sql.unsafe(`update svc_sessions set ${part} = ${value} where session_id = $1`, [session_id])
          const errors = yield* errorsOf(Effect.gen(function*() {
            const { session } = yield* sessions.getConversation(session_id, Owner.anyone)
            assert.deepInclude(session, { session_id, [part]: null }, `${part} = ${value}`)
            const found = yield* sessions.find(session_id, Owner.anyone)
            assert.deepInclude(found._tag === "Some" ? found.value : {}, { session_id, [part]: null })
            const listed = yield* sessions.list({ owner: Owner.anyone }, page, sort)
            const item = listed.sessions.find((each) => each.session_id === session_id)
            assert.deepInclude(item ?? {}, { session_id, [part]: null })
            const change = { session_name: "renamed", updated_at: 9 }
            const { session: renamed } = yield* sessions.update(session_id, Owner.anyone, change)
            assert.deepInclude(renamed, { session_name: "renamed", [part]: null })
          }))
          assert.deepStrictEqual(errors, [{ part: "database", session_id, parts: part }])
          yield* sessions.remove([session_id], Owner.anyone)
        }
      }
    }))

  it.effect("a damaged session stops no list of sessions, whichever of its columns is damaged", () =>
    Effect.gen(function*() {
      const [sessions, sql] = [yield* SessionStore, yield* SqlClient.SqlClient]
      const columns = yield* sql<{ readonly column_name: string; readonly data_type: string }>`
        select column_name, data_type from information_schema.columns
        where table_name = 'svc_sessions' and is_identity = 'NO' and is_generated = 'NEVER'
          and column_name <> 'session_id' order by ordinal_position`
      const all = columns.flatMap(({ column_name: column, data_type }) =>
        (damages[data_type] ?? []).map((value) => ({ column, value }))
      )
      for (const { column, value } of Tier.ofEach(all, 1, ({ column }) => column)) {
        const [damaged, whole] = [yield* started, yield* started]
        const update = yield* Effect.exit(
          sql.unsafe(`update svc_sessions set ${column} = ${value} where session_id = $1`, [damaged.session_id])
        )
        if (Exit.isSuccess(update)) {
          const { sessions: listed } = yield* sessions.list({ owner: Owner.anyone }, page, sort)
          const ids = listed.map(({ session_id }) => session_id)
          assert.include(ids, whole.session_id, `${column} = ${value}`)
        }
        yield* sessions.remove([damaged.session_id, whole.session_id], Owner.anyone)
      }
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("a change of a session that cannot be read fails as damaged data, and is not stored", () =>
    Effect.gen(function*() {
      const [sessions, sql] = [yield* SessionStore, yield* SqlClient.SqlClient]
      const { session_id } = yield* started
      yield* sql`update svc_sessions set created_at = 9223372036854775807 where session_id = ${session_id}`
      const change = { session_name: "renamed", updated_at: 9 }
      const exit = yield* Effect.exit(sessions.update(session_id, Owner.anyone, change))
      assert.include(
        Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
        "cannot be read. Damaged columns: created_at"
      )
      const [stored] = yield* sql`select session_name from svc_sessions where session_id = ${session_id}`
      assert.deepStrictEqual({ ...stored }, { session_name: null })
    }))

  it.effect("a run is read without its damaged messages and events, and the log counts them once", () =>
    Effect.gen(function*() {
      const [runs, sql] = [yield* RunStore, yield* SqlClient.SqlClient]
      const begun = newRun()
      const { run_id, session_id } = begun
      yield* runs.create(begun)
      yield* runs.record({ run_id, attempt: 1, position: 0, entry: { kind: "answered" }, events: events(begun, 1) })
      yield* runs.finish(ending(begun, { run: { messages: [message("user", "one"), message("user", "two")] } }))
      yield* sql`
        update svc_messages m set body = '[]' from svc_runs r
        where r.seq = m.run_seq and r.run_id = ${run_id} and m.body::text like '%one%'`
      yield* sql`
        update svc_run_events set body = '3' where event_index = 0 and run_seq = (
          select seq from svc_runs where run_id = ${run_id}
        )`
      const errors = yield* errorsOf(Effect.gen(function*() {
        const found = yield* runs.find(session_id, run_id, { owner: Owner.anyone })
        const shown = found._tag === "Some" ? found.value : undefined
        assert.deepStrictEqual(
          shown !== undefined && "messages" in shown && shown.messages?.map((one) => one.content),
          ["two"]
        )
        const listed = yield* runs.list(session_id, { owner: Owner.anyone })
        assert.deepStrictEqual(listed._tag === "Some" ? listed.value[0] : undefined, shown)
      }))
      assert.deepStrictEqual(errors, [{ part: "database", run_id, session_id, messages: 1, events: 1 }])
    }))

  it.effect("a run that cannot be read is left out of the list of its session, and the log names it", () =>
    Effect.gen(function*() {
      const [runs, sql] = [yield* RunStore, yield* SqlClient.SqlClient]
      for (const value of ["'3'", "'{}'", "'[]'"]) {
        const { run_id, session_id } = yield* started
        const whole = newRun({ session_id })
        yield* runs.create(whole)
        yield* runs.finish(ending(whole))
        yield* sql.unsafe(`update svc_runs set output = ${value} where run_id = $1`, [run_id])
        const errors = yield* errorsOf(Effect.gen(function*() {
          const found = yield* runs.list(session_id, { owner: Owner.anyone })
          const ids = found._tag === "Some" ? found.value.map((run) => run.run_id) : []
          assert.deepStrictEqual(ids, [whole.run_id])
        }))
        assert.deepStrictEqual(errors, [{ part: "database", run_id, sqlstate: "" }])
      }
    }))

  it.effect("a session with a damaged summary, or damaged messages, is summarized from the rest", () =>
    Effect.gen(function*() {
      const [runs, sessions, sql] = [yield* RunStore, yield* SessionStore, yield* SqlClient.SqlClient]
      for (const damage of [...json, `'{"role": "user", "content": 3}'`, `'{"summary": 3}'`]) {
        const begun = newRun({ user_id: userId() })
        const { session_id, user_id } = begun
        const messages = [message("user", "Tea?"), message("assistant", "Yes"), message("user", "Milk?")]
        yield* runs.create(begun)
        yield* runs.finish(ending(begun, { run: { messages } }))
        yield* sql`update svc_sessions set summary = ${sql.literal(damage)} where session_id = ${session_id}`
        yield* sql`
          update svc_messages m set body = ${sql.literal(damage)} from svc_runs r
          where r.seq = m.run_seq and r.run_id = ${begun.run_id} and m.position = 2`
        assert.isTrue(Option.isNone(yield* sessions.findSummary(session_id, begun.run_id)), damage)
        const from = yield* Effect.flatMap(
          sessions.unsummarized(session_id, { runs: 1, bytes: 1 }),
          Effect.fromOption
        )
        assert.isNull(from.summary)
        assert.deepStrictEqual(from.messages.map(({ content }) => content), ["Tea?", "Milk?"], damage)
        const { past } = pastSessions(session_id)
        const query = { ...past, user_id: user_id!, current: sessionId(), words: ["milk"] }
        assert.strictEqual((yield* sessions.searchPast(query))[0]?.summary, null, damage)
        const summary = { summary: "Milk." }
        assert.isTrue(yield* sessions.summarize({ ...from, session_id, at: 1, summary }), damage)
        assert.deepStrictEqual(yield* sessions.findSummary(session_id, begun.run_id), Option.some(summary))
      }
    }))
})
