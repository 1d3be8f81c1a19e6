// Three nodes on PostgreSQL that are killed at random while a hundred schedules are due every second: whether each time
// was recorded once, how late, and when a node is ready again. Before: the statements that 10,000 idle schedules cost.
import { jobKind } from "@svc-runtime/features/schedules/ScheduleJobs"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { createRequire } from "node:module"
import postgres from "postgres"
import { type Running, start, startFlags } from "./Process.ts"

const seconds = Number(process.argv[2] ?? 60)
const [due, idle] = [100, 10_000]
const millisBetweenKills = 5_000
const goals = { p99: 500, statements: 5 }

const quickstart = createRequire(import.meta.url).resolve("../../examples/src/quickstart.ts")
const say = (line: string) => process.stdout.write(`${line}\n`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const node = (url: string, name: string) => {
  const env = { MODEL: "fixed", LOG_LEVEL: "Fatal", DATABASE_URL: url, NODE_NAME: name, MAX_SCHEDULES: "20000" }
  return start(quickstart, env, "/ready", startFlags)
}

const insert = (sql: postgres.Sql, name: string, count: number, cron: string, at: number) =>
  sql`
    insert into svc_schedules (id, name, method, endpoint, cron_expr, timezone, timeout_seconds, max_retries,
      retry_delay_seconds, catch_up, overlap, enabled, next_run_at, created_at)
    select ${name} || n, ${name} || n, 'GET', '/health', ${cron}, 'UTC', 60, 0, 1, 'all', 'allow', true,
      ${at}::bigint, 1
    from generate_series(1, ${count}::int) n`

/** What is inserted signals no scheduler: the first times would be as late as its next look. */
const wake = async ([node]: ReadonlyArray<Running>) => {
  const body = JSON.stringify({ name: "wake", cron_expr: "@yearly", endpoint: "/health" })
  const headers = { "content-type": "application/json" }
  const { status } = await fetch(`${node?.base}/schedules`, { method: "POST", headers, body })
  if (status !== 201) throw new Error(`No scheduler is signalled: ${status}`)
}

const now = () => Math.floor(Date.now() / 1000)

/** Of all nodes, in a second. */
const statementsPerSecond = async (sql: postgres.Sql) => {
  const committed = async () => {
    const [row] = await sql<ReadonlyArray<{ count: number }>>`
      select xact_commit::float8 as count from pg_stat_database where datname = current_database()`
    return row?.count ?? 0
  }
  const before = await committed()
  await pause(20_000)
  return (await committed() - before) / 20
}

const killed = async (url: string, nodes: Map<string, Running>) => {
  const until = performance.now() + seconds * 1000
  const readyAfter: Array<number> = []
  while (performance.now() < until) {
    await pause(millisBetweenKills)
    const [name, running] = [...nodes][Math.floor(Math.random() * nodes.size)] ?? []
    if (name === undefined || running === undefined) break
    await running.stop("SIGKILL")
    const again = await node(url, name)
    readyAfter.push(again.upAfter)
    nodes.set(name, again)
  }
  return readyAfter
}

const measure = async (url: string) => {
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const nodes = new Map<string, Running>()
  for (const name of ["one", "two", "three"]) nodes.set(name, await node(url, name))
  const without = await statementsPerSecond(sql)
  await insert(sql, "idle", idle, "0 0 1 1 *", now() + 86_400)
  await sql`analyze svc_schedules`
  const withIdle = await statementsPerSecond(sql)
  say(
    `statements per second of three nodes: ${without.toFixed(1)} without schedules, ${withIdle.toFixed(1)} with ` +
      `${idle} idle ones (goal ${goals.statements} more)`
  )
  const first = now() + 2
  await insert(sql, "due", due, "* * * * * *", first)
  await wake([...nodes.values()])
  const readyAfter = await killed(url, nodes)
  await sql`update svc_schedules set enabled = false where cron_expr = '* * * * * *'`
  const [times] = await sql<ReadonlyArray<Readonly<Record<"expected" | "recorded" | "repeated" | "wrong", number>>>>`
    select sum(s.next_run_at - ${first}::bigint)::float8 as expected, sum(r.recorded)::float8 as recorded,
      sum(r.recorded - r.slots)::float8 as repeated,
      (count(*) filter (where r.slots <> s.next_run_at - ${first}::bigint))::float8 as wrong
    from svc_schedules s cross join lateral (
      select count(*) as recorded, count(distinct slot) as slots from svc_schedule_runs r where r.schedule_id = s.id
    ) r
    where s.cron_expr = '* * * * * *'`
  const [late] = await sql<ReadonlyArray<Readonly<Record<"p50" | "p99" | "most", number>>>>`
    select percentile_cont(0.5) within group (order by l.millis) as p50,
      percentile_cont(0.99) within group (order by l.millis) as p99, max(l.millis) as most
    from (
      select (extract(epoch from j.created_at) - r.slot)::float8 * 1000 as millis
      from svc_schedule_runs r join svc_jobs j on j.id = ${`${jobKind}:`} || r.id
    ) l`
  const ended = () =>
    sql<ReadonlyArray<{ status: string; runs: number }>>`
      select status, count(*)::int as runs from svc_schedule_runs group by status`
  let statuses = await ended()
  const waitedAt = performance.now()
  while (statuses.some(({ status }) => status === "running") && performance.now() - waitedAt < 300_000) {
    await pause(500)
    statuses = await ended()
  }
  say(
    `${readyAfter.length} kills; ${times?.recorded} times recorded of ${times?.expected}: ${times?.repeated} repeated, ` +
      `${times?.wrong} schedules with a missed one`
  )
  say(
    `late by p50 ${late?.p50.toFixed(0)} ms, p99 ${late?.p99.toFixed(0)} ms (goal ${goals.p99}), ` +
      `most ${late?.most.toFixed(0)} ms`
  )
  say(`a killed node was ready again after ${readyAfter.map((millis) => `${millis.toFixed(0)} ms`).join(", ")}`)
  say(`runs: ${statuses.map(({ runs, status }) => `${runs} ${status}`).join(", ")}`)
  for (const running of nodes.values()) await running.stop()
  await sql.end()
}

const program = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make({ durable: true })
  yield* server.start
  yield* Effect.promise(() => measure(Redacted.value(server.url)))
})

await Effect.runPromise(Effect.scoped(program))
