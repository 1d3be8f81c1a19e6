// What it takes to start with many unfinished runs on PostgreSQL, of which one does not decode and one is too large to
// be read: how soon the service answers, when all other runs have been executed, and how much memory that takes.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import postgres from "postgres"
import * as Listener from "./Listener.ts"
import * as PacedModel from "./PacedModel.ts"
import { quickstart, type Running, start, startFlags } from "./Process.ts"

const count = Number(process.argv[2] ?? 10_000)
/** Too large for one message of the driver. */
const largeBytes = 140 * 1024 * 1024
const goals = { upAfter: 3_000, memory: 400 * 1024 * 1024 }

const say = (line: string) => process.stdout.write(`${line}\n`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MiB`

const service = (model: string, url: string, probe: "/health" | "/ready") =>
  start(
    quickstart,
    {
      MODEL: "openai-compatible:paced",
      OPENAI_BASE_URL: model,
      LOG_LEVEL: "Error",
      DATABASE_URL: url,
      NODE_NAME: "one"
    },
    probe,
    startFlags
  )

/** As if this many runs, each in a session of its own, had been killed before the first word of their models. */
const multiply = async (sql: postgres.Sql) => {
  await sql.unsafe(`
    insert into svc_sessions (session_id, session_type, agent_id, derived_name, session_state, session_metrics,
      component_data, created_at, updated_at)
    select 'copy-' || n, session_type, agent_id, derived_name, session_state, session_metrics, component_data, created_at,
      updated_at
    from svc_sessions, generate_series(1, ${count}) n where session_id = 'first'`)
  await sql.unsafe(`
    insert into svc_runs (run_id, session_id, kind, component_id, node, status, created_at, updated_at, output, command,
      is_serialized)
    select 'copy-' || n, 'copy-' || n, kind, component_id, node, status, created_at, updated_at,
      replace(replace(replace(output::text, '"run_id":"first"', '"run_id":"copy-' || n || '"'),
        '"session_id":"first"', '"session_id":"copy-' || n || '"'), 'say 9999 every 1000', 'say 1 every 1')::json,
      command, is_serialized
    from svc_runs, generate_series(1, ${count}) n where run_id = 'first'`)
  await sql`delete from svc_sessions where session_id = 'first'`
  await sql.unsafe(`
    insert into svc_run_journal (run_seq, position, body)
    select seq, 0, '{"kind":"unknown"}' from svc_runs where run_id = 'copy-1'`)
  await sql.unsafe(`
    update svc_runs set output = ('{"metadata":{"text":"' || repeat('x', ${largeBytes}) || '"},' || substr(output::text, 2))::json
    where run_id = 'copy-2'`)
  await sql`analyze`
}

const statuses = async (sql: postgres.Sql) => {
  const rows = await sql<ReadonlyArray<{ status: string; runs: number }>>`
    select status, count(*)::int as runs from svc_runs group by status`
  return Object.fromEntries(rows.map(({ runs, status }) => [status, runs]))
}

const watchMemory = (running: Running) => {
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, running.residentMemory())), 50)
  return () => {
    clearInterval(timer)
    return most
  }
}

const measure = async (model: string, url: string) => {
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const first = await service(model, url, "/ready")
  const streamed = await Listener.start(first.base, "first", "say 9999 every 1000")
  await streamed.hears("RunStarted")
  await first.stop("SIGKILL")
  await multiply(sql)
  const startedAt = performance.now()
  const second = await service(model, url, "/health")
  const memoryOf = watchMemory(second)
  while (!(await fetch(`${second.base}/ready`)).ok) await pause(5)
  const ready = performance.now() - startedAt
  let found = await statuses(sql)
  while ((found["RUNNING"] ?? 0) > 0 && performance.now() - startedAt < 300_000) {
    await pause(200)
    found = await statuses(sql)
  }
  const seconds = (performance.now() - startedAt) / 1000
  const memory = memoryOf()
  const aside = await sql<ReadonlyArray<{ run_id: string; content: string }>>`
    select run_id, output ->> 'content' as content from svc_runs where status = 'ERROR' order by seq`
  await second.stop()
  await sql.end()
  say(
    `${count} unfinished runs: /health answers after ${second.upAfter.toFixed(0)} ms (goal ${goals.upAfter}), ` +
      `/ready after ${ready.toFixed(0)} ms`
  )
  say(`all ended after ${seconds.toFixed(1)} s: ${JSON.stringify(found)}`)
  say(`memory at most ${mebibytes(memory)} (goal ${mebibytes(goals.memory)})`)
  for (const { content, run_id } of aside) say(`${run_id}: ${content}`)
}

const program = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make({ durable: true })
  yield* server.start
  const model = yield* Effect.promise(PacedModel.start)
  yield* Effect.promise(() => measure(model.url, Redacted.value(server.url)))
  yield* Effect.promise(model.stop)
})

await Effect.runPromise(Effect.scoped(program))
