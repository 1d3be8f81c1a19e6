// Searches in 1,000,000 spans of 200,000 traces on PostgreSQL, and the rate of runs with the store of traces against
// the rate without it, on the embedded database and on PostgreSQL. With the argument `runs` only the rates, with
// `searches` only the searches.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Span from "@svc-runtime/domain/Span"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as TraceFilter from "@svc-runtime/features/traces/TraceFilter"
import { TraceStore } from "@svc-runtime/features/traces/TraceStore"
import * as PostgresDatabase from "@svc-runtime/postgres/Postgres"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { run } from "./Load.ts"
import { start, startFlags } from "./Process.ts"
import * as Rounds from "./Rounds.ts"
import * as Scenarios from "./scenarios.ts"
import { measure, say } from "./StatementTimes.ts"

const traces = 200_000
const users = 1000
const startedAt = (number: number) => 1_790_000_000_000_000 + number * 1_000_000

const text = "a word ".repeat(50)

/** Five spans of one run. */
const spansOf = (number: number): ReadonlyArray<Span.Span> => {
  const started_at = startedAt(number)
  const ids = {
    run_id: `run-${number}`,
    session_id: `session-${number % 40_000}`,
    user_id: `user-${number % users}`,
    agent_id: `agent-${number % 50}`,
    team_id: null,
    workflow_id: null
  }
  return Array.from({ length: 5 }, (_, child): Span.Span => ({
    trace_id: number.toString(16).padStart(32, "0"),
    span_id: (number * 8 + child).toString(16).padStart(16, "0"),
    parent_span_id: child === 0 ? null : (number * 8).toString(16).padStart(16, "0"),
    trace_state: null,
    name: child === 0 ? `invoke_agent ${ids.agent_id}` : "chat model",
    kind: child === 0 ? "internal" : "client",
    started_at: started_at + child,
    ended_at: started_at + (number % 30_000) * 1000,
    status: child === 0 && number % 100 === 0 ? "ERROR" : "OK",
    status_message: null,
    attributes: child === 0
      ? { "gen_ai.operation.name": "invoke_agent", "openinference.span.kind": "AGENT", "input.value": "How are you?" }
      : { "gen_ai.operation.name": "chat", "openinference.span.kind": "LLM", "input.value": text },
    events: [],
    links: [],
    is_root: child === 0,
    ...ids
  }))
}

const tracesOfBatch = 100

const seed = Effect.fnUntraced(function*(sql: postgres.Sql) {
  const store = yield* TraceStore
  for (let first = 1; first <= traces; first += tracesOfBatch) {
    const batch = Array.from({ length: tracesOfBatch }, (_, index) => spansOf(first + index))
    yield* store.write(batch.flat(), startedAt(first))
  }
  yield* Effect.promise(() => sql`vacuum analyze svc_traces, svc_spans, svc_span_packs`)
})

const page = { page: 1, limit: 20 }
const all = Owner.anyone
const equals = (key: TraceFilter.Field, value: string): TraceFilter.Filter => ({
  _tag: "Compare",
  key,
  by: "EQ",
  value
})
const hour = 3600 * 1_000_000
const at = (index: number) => startedAt((index * 7919) % traces)

const some = 100

const searches = Effect.gen(function*() {
  const store = yield* TraceStore
  const search = (name: string, filterOf: (index: number) => TraceFilter.Filter, owner: Owner.Owner = all) =>
    measure(`search: ${name}`, (index) => store.search({ owner, filter: filterOf(index) }, page), some)
  yield* search("run_id", (index) => equals("run_id", `run-${(index * 7919) % traces}`))
  yield* search("trace_id", () => equals("trace_id", "0".repeat(30) + "ff"))
  yield* search("session_id", (index) => equals("session_id", `session-${(index * 7919) % 40_000}`))
  yield* search("user_id", (index) => equals("user_id", `user-${index % users}`))
  yield* search("agent_id, 4,000 match", (index) => equals("agent_id", `agent-${index % 50}`))
  yield* search("name, 4,000 match", (index) => equals("name", `invoke_agent agent-${index % 50}`))
  yield* search("status ERROR, 2,000 match", () => equals("status", "ERROR"))
  yield* search("an hour of start_time", (index) => ({
    _tag: "And",
    filters: [
      { _tag: "Compare", key: "start_time", by: "GTE", value: at(index) },
      { _tag: "Compare", key: "start_time", by: "LT", value: at(index) + hour }
    ]
  }))
  yield* search("an hour of end_time", (index) => ({
    _tag: "And",
    filters: [
      { _tag: "Compare", key: "end_time", by: "GTE", value: at(index) },
      { _tag: "Compare", key: "end_time", by: "LT", value: at(index) + hour }
    ]
  }))
  yield* search("duration_ms > 29990", () => ({ _tag: "Compare", key: "duration_ms", by: "GT", value: 29_990 }))
  yield* search("an agent and ERROR", (index) => ({
    _tag: "And",
    filters: [equals("agent_id", `agent-${index % 50}`), equals("status", "ERROR")]
  }))
  yield* search("everything", () => TraceFilter.everything)
  yield* search("name CONTAINS, everything matches", () => ({
    _tag: "Compare",
    key: "name",
    by: "CONTAINS",
    value: "AGENT"
  }))
  yield* measure("list: everything", () => store.list({ owner: all, filter: TraceFilter.everything }, page), some)
  yield* measure(
    "sessions: of a user",
    (index) => store.sessions({ owner: all, filter: equals("user_id", `user-${index % users}`) }, page),
    some
  )
  yield* measure("sessions: everything", () => store.sessions({ owner: all, filter: TraceFilter.everything }, page), 20)
  yield* measure("one trace", (index) => store.find((1 + index).toString(16).padStart(32, "0"), all))
})

const rounds = 8
const seconds = 4

const compare = async (name: string, environments: ReadonlyArray<Readonly<Record<string, string>>>) => {
  const file = new URL("@svc-runtime/examples/quickstart", import.meta.url).pathname
  const [off = [], on = []] = await Rounds.run(
    ["off", "on"].map((TRACES, place) => ({
      name: TRACES,
      start: () => start(file, { ...environments[place], TRACES, LOG_LEVEL: "Error" }, "/ready", startFlags)
    })),
    rounds,
    ({ base, cpuSeconds }) => run(base, { ...Scenarios.runs(8, seconds), cpuSeconds, warmUpRequests: 3000 })
  )
  const [rate, cpu] = [Rounds.ratio(on, off, "perSecond"), Rounds.ratio(on, off, "cpuMicros")]
  say(`${name}: POST run with traces: ${rate.toFixed(3)} of the rate, ${cpu.toFixed(3)} times the processor time`)
}

const program = Effect.gen(function*() {
  const isWanted = (part: string) => process.argv.length < 3 || process.argv.includes(part)
  const server = yield* EmbeddedPostgres.make()
  yield* server.start
  const url = Redacted.value(server.url)
  const sql = postgres(url, { max: 1 })
  if (isWanted("runs")) {
    const directories = [0, 1].map(() => mkdtempSync(join(tmpdir(), "svc-bench-")))
    yield* Effect.promise(() => compare("embedded", directories.map((DATA_DIR) => ({ DATA_DIR, MODEL: "fixed" }))))
    for (const directory of directories) rmSync(directory, { recursive: true, force: true })
    const databases = ["bench_off", "bench_on"]
    for (const name of databases) yield* Effect.promise(() => sql.unsafe(`create database ${name}`))
    const environments = databases.map((name) => {
      const own = new URL(url)
      own.pathname = `/${name}`
      return { DATABASE_URL: own.href, MODEL: "fixed" }
    })
    yield* Effect.promise(() => compare("PostgreSQL", environments))
  }
  if (isWanted("searches")) {
    const stores = SqlStores.layer.pipe(Layer.provide(PostgresDatabase.layer({ url: server.url })))
    const context = yield* Layer.build(stores)
    const started = performance.now()
    yield* Effect.provideContext(seed(sql), context)
    say(`${traces * 5} spans of ${traces} traces, stored in ${Math.round(performance.now() - started)} ms`)
    yield* Effect.provideContext(searches, context)
  }
  yield* Effect.promise(() => sql.end())
})

await Effect.runPromise(Effect.scoped(program))
