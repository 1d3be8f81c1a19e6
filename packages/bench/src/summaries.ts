// The statements of session summaries and of the search of past sessions on PostgreSQL: sessions of 10 to 10,000 runs,
// of which the summary does not cover the last five, and a user with 10,000 sessions.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Session from "@svc-runtime/domain/Session"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresDatabase from "@svc-runtime/postgres/Postgres"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Layer, Option, Redacted } from "effect"
import postgres from "postgres"

const sizes = [10, 100, 1000, 10_000]
const newRuns = 5
const pastSessions = 10_000
const repetitions = 300
const warmUp = 50

const say = (line: string) => process.stdout.write(`${line}\n`)

const seed = async (url: string) => {
  const sql = postgres(url, { max: 1 })
  await sql`
    insert into svc_sessions (session_id, session_type, agent_id, user_id, summary, created_at, updated_at)
    select 'session' || size, 'agent', 'a', 'user' || size, '{"summary": "So far."}', 1700000000, 1700000000
    from unnest(${sizes}::int[]) size`
  await sql`
    insert into svc_sessions (session_id, session_type, agent_id, user_id, derived_name, created_at, updated_at)
    select 'past' || number, 'agent', 'a', 'searching', 'Question ' || number, 1700000000 + number, 1700000000
    from generate_series(1, ${pastSessions}::int) number`
  await sql`
    insert into svc_runs (
      run_id, session_id, kind, component_id, node, status, created_at, updated_at, output, history_bytes
    )
    select 'run-' || s.session_id || '-' || number, s.session_id, 'agent', 'a', 'node', 'COMPLETED', 1, 1, '{}', 1200
    from svc_sessions s cross join lateral generate_series(
      1, case when s.session_id like 'session%' then substr(s.session_id, 8)::int else 4 end
    ) number`
  await sql`
    insert into svc_messages (run_seq, position, role, from_history, body)
    select r.seq, place, case place when 1 then 'user' else 'assistant' end, false, json_build_object(
      'id', 'm', 'role', case place when 1 then 'user' else 'assistant' end, 'from_history', false,
      'stop_after_tool_call', false, 'created_at', 1, 'content', repeat('A text about thing ' || r.seq || '. ', 20)
    )
    from svc_runs r cross join generate_series(1, 2) place`
  await sql`
    update svc_sessions s set summarized_run = (
      select r.seq from svc_runs r where r.session_id = s.session_id order by r.seq desc offset ${newRuns} limit 1
    ) where session_id like 'session%'`
  await sql`vacuum analyze`
  await sql.end()
}

const measure = Effect.fnUntraced(function*<E>(name: string, statement: (index: number) => Effect.Effect<unknown, E>) {
  const times: Array<number> = []
  for (let index = 0; index < repetitions; index++) {
    const start = performance.now()
    yield* statement(index)
    times.push(performance.now() - start)
  }
  const sorted = times.slice(warmUp).sort((left, right) => left - right)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(2).padStart(8)
  say(`${name.padEnd(56)} median ${at(0.5)} ms, 95 % below ${at(0.95)} ms`)
})

const measured = Effect.gen(function*() {
  const sessions = yield* SessionStore
  for (const size of sizes) {
    const session_id = Session.Id.make(`session${size}`)
    const of = `of a session of ${size} runs`
    yield* measure(`not due, ${of}`, () => sessions.unsummarized(session_id, { runs: 100, bytes: 1_000_000 }))
    yield* measure(`what a summary reads, ${of}`, () => sessions.unsummarized(session_id, { runs: newRuns, bytes: 1 }))
    const from = Option.getOrThrow(yield* sessions.unsummarized(session_id, { runs: newRuns, bytes: 1 }))
    say(`${from.messages.length} messages of ${JSON.stringify(from.messages).length} bytes`)
    yield* measure(
      `a refused summary, ${of}`,
      () => sessions.summarize({ ...from, version: "other", session_id, at: 1, summary: { summary: "Longer." } })
    )
  }
  const query = {
    user_id: Ids.UserId.make("searching"),
    kind: "agent",
    componentId: "a",
    current: Session.Id.make("past1"),
    sessions: 2,
    runs: 3
  } as const
  yield* measure(
    `a search among ${pastSessions} sessions of a user`,
    (index) => sessions.searchPast({ ...query, words: ["thing", String(60_000 + index)] })
  )
  yield* measure("a search without a match", () => sessions.searchPast({ ...query, words: ["nowhere"] }))
})

const program = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make()
  yield* server.start
  const stores = SqlStores.layer.pipe(Layer.provide(PostgresDatabase.layer({ url: server.url })))
  const context = yield* Layer.build(stores)
  yield* Effect.promise(() => seed(Redacted.value(server.url)))
  yield* Effect.provideContext(measured, context)
})

await Effect.runPromise(Effect.scoped(program))
