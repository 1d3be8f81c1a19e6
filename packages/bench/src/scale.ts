// What a service costs its PostgreSQL with many nodes and with many stored runs. docs/operate/scale.md explains its
// figures. `--full` stores a million runs; `--only stored,idle,takeover,hot` chooses parts.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import postgres from "postgres"
import * as Listener from "./Listener.ts"
import { run } from "./Load.ts"
import * as PacedModel from "./PacedModel.ts"
import { cpuSecondsOfTree, quickstart, start, startFlags } from "./Process.ts"
import * as Scenarios from "./scenarios.ts"
import * as ServerCounters from "./ServerCounters.ts"
import * as StoredRuns from "./storedRuns.ts"

const { values } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    runs: { type: "string" },
    seconds: { type: "string", default: "10" },
    nodes: { type: "string", default: "1,9,30,30,30" },
    only: { type: "string", default: "stored,idle,takeover,hot" }
  }
})
const parts = values.only.split(",")
const seconds = Number(values.seconds)
/** Of each stored session. */
const runsOfSession = 10
const [few, many] = [1000, Number(values.runs ?? (values.full ? 1_000_000 : 50_000))]
/** Nodes of each process: the first two processes die together. */
const processes = values.nodes.split(",").map(Number)
const all = processes.reduce((sum, count) => sum + count, 0)

const say = (line: string) => process.stdout.write(`${line}\n`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
const cells = (...given: ReadonlyArray<string | number>) =>
  say(given.map((cell, at) => at === 0 ? String(cell).padEnd(52) : String(cell).padStart(12)).join(""))

interface World {
  readonly sql: postgres.Sql
  readonly url: string
  readonly counters: ServerCounters.ServerCounters
}

const service = (url: string, env: Readonly<Record<string, string>> = {}) =>
  start(
    quickstart,
    { MODEL: "fixed", LOG_LEVEL: "Error", DATABASE_URL: url, NODE_NAME: "front", ...env },
    "/ready",
    startFlags
  )

type Service = Awaited<ReturnType<typeof service>>

// Stored runs

/** One session with runs of both kinds, as it is when their events are folded and their usage is counted. */
const makeTemplate = async ({ base }: Service, { sql }: World) => {
  for (let n = 1; n <= runsOfSession; n++) {
    const body = new FormData()
    const fields = { message: `What is the weather like today, number ${n}?`, stream: String(n % 2 === 0) }
    const ids = { session_id: `${StoredRuns.prefix}session`, user_id: `${StoredRuns.prefix}user` }
    for (const [name, value] of Object.entries({ ...fields, ...ids, run_id: `${StoredRuns.prefix}run-${n}` })) {
      body.set(name, value)
    }
    await (await fetch(`${base}/agents/assistant/runs`, { method: "POST", body })).text()
  }
  await sql`update svc_runs set updated_at = updated_at - 120`
  for (;;) {
    const [row] = await sql<ReadonlyArray<{ left: number }>>`
      select (select count(*) from svc_runs where folded_attempt < attempt)::int
        + (select count(*) from svc_ended_runs)::int as left`
    if (row?.left === 0) return
    await pause(1000)
  }
}

const pages: ReadonlyArray<readonly [string, string]> = [
  ["sessions, first page", "/sessions?type=agent&limit=20"],
  ["sessions, page 50", "/sessions?type=agent&limit=20&page=50"],
  ["sessions of a user", "/sessions?type=agent&limit=20&user_id=scale-7-user"],
  ["sessions by name", "/sessions?type=agent&limit=20&session_name=weather"],
  ["one session", "/sessions/scale-7-session"],
  ["its runs", "/sessions/scale-7-session/runs?limit=20&page=1"],
  ["runs of all sessions", "/runs?limit=20"],
  ["failed runs", "/runs?limit=20&status=ERROR"],
  ["metrics of days", "/metrics"],
  ["usage of days", "/metrics/usage"],
  ["approvals", "/approvals"],
  ["Prometheus", "/metrics/prometheus"]
]

interface Cost {
  readonly pages: number
  readonly millis: number
  readonly status: number
}

/** The least of several tries: other statements of the service can only add to it. */
const costOf = async ({ base }: Service, { counters }: World, path: string): Promise<Cost> => {
  let least: Cost = { pages: Infinity, millis: Infinity, status: 0 }
  for (let attempt = 0; attempt < 5; attempt++) {
    const began = performance.now()
    let status = 0
    const { pages } = await counters.during(async () => {
      const response = await fetch(base + path)
      await response.arrayBuffer()
      status = response.status
    })
    least = { pages: Math.min(pages, least.pages), millis: Math.min(performance.now() - began, least.millis), status }
  }
  return least
}

const measureRuns = async ({ base, cpuSeconds }: Service, { counters }: World, stream: boolean) => {
  const scenario = stream ? Scenarios.streams(8, seconds) : Scenarios.runs(8, seconds)
  let figures: Awaited<ReturnType<typeof run>> | undefined
  const warmUp = await run(base, { ...scenario, seconds: 4, cpuSeconds })
  const spent = await counters.during(async () => {
    figures = await run(base, { ...scenario, warmUp: 0, cpuSeconds })
  })
  const { errors = 0, firstError = "", perSecond = 0 } = figures ?? {}
  const count = perSecond * seconds
  if (errors + warmUp.errors > 0) say(`ERRORS ${errors + warmUp.errors}: ${firstError}`)
  return {
    "runs a second": perSecond.toFixed(0),
    "statements a run": (spent.statements / count).toFixed(2),
    "pages a run": (spent.pages / count).toFixed(1),
    "us of PostgreSQL a run": (spent.cpuSeconds * 1e6 / count).toFixed(0),
    "WAL bytes a run": (spent.walBytes / count).toFixed(0)
  }
}

const measureStored = async (front: Service, world: World) => {
  const kinds = {
    "not streamed": await measureRuns(front, world, false),
    streamed: await measureRuns(front, world, true)
  }
  const costs = new Map<string, Cost>()
  for (const [name, path] of pages) costs.set(name, await costOf(front, world, path))
  return { kinds, costs }
}

const stored = async (world: World) => {
  const { counters, sql, url } = world
  const front = await service(url)
  await makeTemplate(front, world)
  const fillTo = (from: number, runs: number) =>
    StoredRuns.fill(sql, { from, sessions: runs / runsOfSession, runs: runsOfSession, say })
  say("Storing runs")
  await fillTo(1, few)
  const before = await measureStored(front, world)
  await fillTo(few / runsOfSession + 1, many)
  await sql`checkpoint`
  say(`\nWith ${many} runs and ${many / runsOfSession} sessions`)
  cells("bytes a run", "rows", "indexes")
  for (const { heap, indexes, table } of await ServerCounters.sizes(sql)) {
    cells(table, (heap / many).toFixed(0), (indexes / many).toFixed(0))
  }
  await counters.reset()
  const changed = await ServerCounters.changes(sql)
  const after = await measureStored(front, world)
  const now = await ServerCounters.changes(sql)
  for (const kind of ["not streamed", "streamed"] as const) {
    cells(`\nruns, ${kind}`, `${few} stored`, `${many} stored`)
    for (const [name, value] of Object.entries(after.kinds[kind])) {
      cells(name, before.kinds[kind][name as "WAL bytes a run"], value)
    }
  }
  cells("\nrequests", "pages", "then", "ms", "then")
  for (const [name, { millis, pages, status }] of after.costs) {
    const first = before.costs.get(name)
    const note = status === 200 ? "" : ` (${status})`
    cells(name + note, first?.pages ?? "", pages, first?.millis.toFixed(1) ?? "", millis.toFixed(1))
  }
  const runs = (now.get("svc_runs")?.inserted ?? 0) - (changed.get("svc_runs")?.inserted ?? 0)
  cells("\nrows a run", "inserted", "updated", "of them HOT", "deleted", "seq. read")
  for (const [table, row] of now) {
    const old = changed.get(table)
    const by = (key: "inserted" | "updated" | "hot" | "deleted" | "scanned") => row[key] - (old?.[key] ?? 0)
    if (by("inserted") + by("updated") + by("deleted") + by("scanned") < runs / 100) continue
    const share = by("updated") === 0 ? "" : `${(100 * by("hot") / by("updated")).toFixed(0)} %`
    const per = (count: number) => (count / runs).toFixed(2)
    cells(table, per(by("inserted")), per(by("updated")), share, per(by("deleted")), per(by("scanned")))
  }
  cells("\nstatements that read most pages in one call", "calls", "pages", "ms")
  for (const { calls, millis, pages, text } of await counters.top("(shared_blks_hit + shared_blks_read) / calls", 12)) {
    cells(text.slice(0, 50), calls, (pages / calls).toFixed(0), (millis / calls).toFixed(2))
  }
  await front.stop()
}

// Many nodes

interface Nodes {
  readonly child: ChildProcess
  readonly bases: ReadonlyArray<string>
}

const startNodes = async (first: number, count: number, url: string, model: string): Promise<Nodes> => {
  const env = {
    MODEL: "openai-compatible:paced",
    OPENAI_BASE_URL: model,
    LOG_LEVEL: "Error",
    DATABASE_URL: url
  }
  const child = spawn(
    process.execPath,
    [
      "--max-semi-space-size=8",
      "--no-warnings",
      fileURLToPath(new URL("scaleNodes.ts", import.meta.url)),
      String(first),
      String(count)
    ],
    { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] }
  )
  process.on("exit", () => child.kill("SIGKILL"))
  child.stdout.setEncoding("utf8")
  let output = ""
  for await (const piece of child.stdout) {
    output += piece
    const ready = /ready (.*)\n/.exec(output)
    if (ready !== null) {
      return { child, bases: (ready[1] ?? "").split(" ").map((port) => `http://127.0.0.1:${port}`) }
    }
  }
  throw new Error(`The nodes from ${first} did not start`)
}

const stopNodes = async ({ child }: Nodes) => {
  const ended = once(child, "exit")
  child.kill("SIGKILL")
  await ended
}

const idle = async ({ counters }: World, nodes: ReadonlyArray<Nodes>) => {
  const count = nodes.reduce((sum, { bases }) => sum + bases.length, 0)
  // connections that a start has opened are closed after half a minute
  await pause(45_000)
  await counters.reset()
  const duration = 3 * seconds
  const cpu = () => nodes.reduce((sum, { child }) => sum + cpuSecondsOfTree(child.pid ?? 0), 0)
  const before = cpu()
  const spent = await counters.during(() => pause(duration * 1000))
  const perNode = (value: number) => (value / duration / count).toFixed(2)
  cells(`\n${count} idle node(s), for each`, "a second")
  cells("statements", perNode(spent.statements))
  cells("ms of PostgreSQL", perNode(spent.cpuSeconds * 1000))
  cells("pages", perNode(spent.pages))
  cells("ms of the node", perNode((cpu() - before) * 1000))
  cells("connections", ((await counters.connections()) / count).toFixed(1))
  cells("its statements", "a second", "pages", "ms")
  for (const { calls, millis, pages, text } of await counters.top("calls", 14)) {
    cells(text.slice(0, 50), perNode(calls), (pages / calls).toFixed(0), (millis / calls).toFixed(3))
  }
}

const takeover = async ({ counters, sql }: World, dying: ReadonlyArray<Nodes>, runs: number) => {
  const bases = dying.flatMap((each) => each.bases)
  for (let n = 0; n < runs; n += bases.length) {
    await Promise.all(bases.map(async (base, at) => {
      const listener = await Listener.start(base, `taken-${n + at}`, "say 60 every 1000")
      // one that is refused ends without
      await Promise.race([listener.hears("RunStarted"), listener.ended])
    }))
  }
  await counters.reset()
  const began = performance.now()
  let [firstAt, allAt, count] = [0, 0, 0]
  const spent = await counters.during(async () => {
    await Promise.all(dying.map(stopNodes))
    const [known] = await sql<ReadonlyArray<{ nodes: ReadonlyArray<string>; count: number }>>`
      select array_agg(distinct node) as nodes, count(*)::int as count from svc_runs
      where run_id like 'taken-%' and is_unfinished`
    count = known?.count ?? 0
    for (;;) {
      const [row] = await sql.unsafe<Array<{ left: number }>>(
        `select count(*)::int as left ${ServerCounters.own} from svc_runs
        where run_id like 'taken-%' and is_unfinished and node = any($1)`,
        [known?.nodes ?? []]
      )
      const left = row?.left ?? 0
      if (left < count && firstAt === 0) firstAt = performance.now()
      if (left === 0) break
      await pause(20)
    }
    allAt = performance.now()
  })
  const shares = await sql<ReadonlyArray<{ runs: number }>>`
    select count(*)::int as runs from svc_runs where run_id like 'taken-%' and attempt > 1 group by node order by 1`
  const ms = (at: number) => `${((at - began) / 1000).toFixed(1)} s`
  cells(`\n${bases.length} nodes die with ${count} runs`, "")
  cells("the first run is taken after", ms(firstAt))
  cells("all are taken after", ms(allAt))
  cells("statements meanwhile", spent.statements)
  cells("ms of PostgreSQL meanwhile", (spent.cpuSeconds * 1000).toFixed(0))
  cells("nodes that took runs", shares.length)
  cells("runs of one node: least, median, most", [0, shares.length >> 1, -1].map((n) => shares.at(n)?.runs).join(" "))
  for (const { calls, millis, pages, text } of await counters.top("total_exec_time", 6)) {
    cells(text.slice(0, 50), calls, (pages / calls).toFixed(0), (millis / calls).toFixed(2))
  }
}

// One session, and one component, for all

const post = async (base: string, session: string, run_id: string) => {
  const body = new FormData()
  for (
    const [name, value] of Object.entries({ message: "say 5 every 10", stream: "true", session_id: session, run_id })
  ) {
    body.set(name, value)
  }
  return (await fetch(`${base}/agents/assistant/runs`, { method: "POST", body })).text()
}

/** Runs that start on all nodes, each with watchers on others. Those of one session take turns. */
const measureHot = async (
  { counters }: World,
  bases: ReadonlyArray<string>,
  name: string,
  sessionOf: (n: number) => string,
  { count, watchers }: { readonly count: number; readonly watchers: number }
) => {
  const baseOf = (n: number) => bases[n % bases.length] ?? ""
  let pieces = 0
  const began = performance.now()
  await counters.reset()
  const spent = await counters.during(async () => {
    await Promise.all(Array.from({ length: count }, async (_, n) => {
      const id = `${sessionOf(n)}-${n}`
      const ended = post(baseOf(n), sessionOf(n), id)
      await pause(200)
      const readers = await Promise.all(
        Array.from(
          { length: watchers },
          (_, reader) => Listener.watch(baseOf(n + 1 + reader), id, () => pieces++, sessionOf(n))
        )
      )
      await ended
      await Promise.all(readers.map((reader) => reader.ended))
    }))
  })
  cells(
    name,
    ((performance.now() - began) / 1000).toFixed(1),
    (spent.statements / count).toFixed(1),
    (spent.cpuSeconds * 1000 / count).toFixed(1),
    (pieces / count).toFixed(0)
  )
}

const hot = async (world: World, nodes: ReadonlyArray<Nodes>) => {
  const bases = nodes.flatMap((each) => each.bases).slice(0, 40)
  const warmUp = { count: bases.length, watchers: 1 }
  await measureHot(world, bases, "\nwarm-up", (n) => `warm-${n}`, warmUp)
  cells(`\n60 streamed runs on ${bases.length} nodes`, "seconds", "statements", "ms of PG", "pieces read")
  for (const watchers of [0, 5]) {
    const load = { count: 60, watchers }
    await measureHot(world, bases, `a session each, ${watchers} watchers`, (n) => `own-${watchers}-${n}`, load)
    await measureHot(world, bases, `one session, ${watchers} watchers`, () => `hot-${watchers}`, load)
  }
}

/** A limit makes all starts of a component take one lock. */
const hotComponent = async (world: World) => {
  cells("\nruns of one component, one node", "runs/s", "us of PG")
  for (const [name, env] of [["without limits", {}], ["with a limit", { COMPONENT_RUNS_AT_ONCE: "100000" }]] as const) {
    const front = await service(world.url, env)
    const figures = await measureRuns(front, world, false)
    cells(name, figures["runs a second"], figures["us of PostgreSQL a run"])
    await front.stop()
  }
}

const measure = async (url: string, model: string) => {
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const world: World = { sql, url, counters: await ServerCounters.make(sql) }
  if (parts.includes("stored")) await stored(world)
  if (parts.includes("hot")) await hotComponent(world)
  const nodes: Array<Nodes> = []
  let first = 0
  for (const count of processes) {
    if (parts.every((part) => part === "stored")) break
    nodes.push(await startNodes(first, count, url, model))
    first += count
    if (parts.includes("idle") && [1, 10, all].includes(first)) await idle(world, nodes)
  }
  // a node takes over when it has been there for NODE_TIMEOUT
  if (parts.includes("takeover")) {
    await pause(15_000)
    await takeover(world, nodes.splice(0, 2), 300)
  }
  if (parts.includes("hot")) await hot(world, nodes)
  for (const each of nodes) await stopNodes(each)
  await sql.end()
}

const program = Effect.gen(function*() {
  const settings = { ...ServerCounters.settings, max_connections: "2500", shared_buffers: "512MB", max_wal_size: "4GB" }
  const server = yield* EmbeddedPostgres.make({ durable: true, settings })
  yield* server.start
  const model = yield* Effect.promise(PacedModel.start)
  yield* Effect.promise(() => measure(Redacted.value(server.url), model.url))
  yield* Effect.promise(model.stop)
})

// nothing that it has started stays behind
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))
await Effect.runPromise(Effect.scoped(program))
