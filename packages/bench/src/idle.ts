// What three nodes on PostgreSQL do while nothing runs: statements and processor time in a second, without schedules
// and with 10,000 idle ones. The argument `60` measures for a minute each.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import postgres from "postgres"
import { quickstart, type Running, start, startFlags } from "./Process.ts"

const seconds = Number(process.argv[2] ?? 20)
const idle = 10_000

const say = (line: string) => process.stdout.write(`${line}\n`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const node = (url: string, name: string) => {
  const env = { MODEL: "fixed", LOG_LEVEL: "Fatal", DATABASE_URL: url, NODE_NAME: name, MAX_SCHEDULES: "20000" }
  return start(quickstart, env, "/ready", startFlags)
}

/** Their next time is tomorrow. */
const insert = (sql: postgres.Sql) =>
  sql`
    insert into svc_schedules (id, name, method, endpoint, cron_expr, timezone, timeout_seconds, max_retries,
      retry_delay_seconds, catch_up, overlap, enabled, next_run_at, created_at)
    select 'idle' || n, 'idle' || n, 'GET', '/health', '0 0 1 1 *', 'UTC', 60, 0, 1, 'all', 'allow', true,
      ${Math.floor(Date.now() / 1000) + 86_400}::bigint, 1
    from generate_series(1, ${idle}::int) n`

const figures = async (sql: postgres.Sql, nodes: ReadonlyArray<Running>, name: string) => {
  const sums = async () => {
    const [row] = await sql<ReadonlyArray<{ count: number }>>`
      select xact_commit::float8 as count from pg_stat_database where datname = current_database()`
    return { statements: row?.count ?? 0, cpu: nodes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds(), 0) }
  }
  const before = await sums()
  await pause(seconds * 1000)
  const after = await sums()
  say(
    `three idle nodes ${name}: ${((after.statements - before.statements) / seconds).toFixed(1)} statements and ` +
      `${((after.cpu - before.cpu) * 1000 / seconds).toFixed(0)} ms of processor time a second`
  )
}

const measure = async (url: string) => {
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const nodes = await Promise.all(["one", "two", "three"].map((name) => node(url, name)))
  await figures(sql, nodes, "without schedules")
  await insert(sql)
  await sql`analyze svc_schedules`
  await figures(sql, nodes, `with ${idle} idle schedules`)
  for (const running of nodes) await running.stop()
  await sql.end()
}

const program = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make({ durable: true })
  yield* server.start
  yield* Effect.promise(() => measure(Redacted.value(server.url)))
})

await Effect.runPromise(Effect.scoped(program))
