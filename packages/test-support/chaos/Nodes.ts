// Several nodes on one PostgreSQL, with the outside world that they work for, and a way into their database beside
// them.
import * as Postgres from "@svc-runtime/postgres/Postgres"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import type * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type * as Client from "./Client.ts"
import type * as Progress from "./Progress.ts"
import * as Script from "./Script.ts"
import { fileFor } from "./serviceFile.ts"
import * as SideEffectLog from "./SideEffectLog.ts"

export type Node = ServiceProcess.ServiceProcess

interface Row {
  readonly [column: string]: unknown
}

export interface Nodes {
  readonly databaseUrl: string
  readonly ledger: SideEffectLog.Ledger
  /** With settings beside the settings of all nodes. */
  readonly start: (
    name: string,
    more?: Readonly<Record<string, string>>
  ) => Effect.Effect<Node, ServiceProcess.ServiceDidNotStart>
  /** The same, before it is ready. */
  readonly launch: (
    name: string,
    more?: Readonly<Record<string, string>>
  ) => Effect.Effect<ServiceProcess.Launched>
  /** With SIGKILL, as often as it is still there. */
  readonly kill: (name: string) => Effect.Effect<void>
  /** Beside the nodes, as the owner of the database. */
  readonly query: (statement: string) => Effect.Effect<ReadonlyArray<Row>>
  /** Waits until the nodes have beaten so often: time as they have it. */
  readonly heartbeats: (count: number) => Effect.Effect<void>
  readonly signs: Progress.Signs
}

export interface Options {
  readonly nodeTimeout?: string
  /** Milliseconds between the words of the model. */
  readonly everyMillis?: number
  /** Milliseconds that each effect takes after it is recorded. */
  readonly effectMillis?: number
  /** Whether the first node migrates the database. */
  readonly isEmpty?: boolean
}

/** A repeating job, whose key is its kind, is executed again and again: that is no progress. */
const runSigns = `
  select (select string_agg(concat(run_id, status, attempt, node), ' ' order by seq) from svc_runs) as runs,
    (select string_agg(concat(id, status, lease), ' ' order by seq) from svc_jobs where key is distinct from kind) as jobs,
    (select count(*)::int from svc_run_events) as events, (select count(*)::int from svc_run_journal) as entries,
    (select count(*)::int from svc_run_event_folds) as folds, (select count(*)::int from svc_sessions) as sessions`

interface World {
  readonly databaseUrl: Redacted.Redacted
  readonly ledger: SideEffectLog.Ledger
  readonly model: { readonly url: string }
  readonly nodeTimeout: string
}

/** The settings of a node. */
export const environment = ({ databaseUrl, ledger, model, nodeTimeout }: World) => ({
  DATABASE_URL: Redacted.value(databaseUrl),
  LEDGER_URL: ledger.url,
  MODEL: "openai-compatible:local",
  OPENAI_BASE_URL: model.url,
  PORT: "0",
  NODE_TIMEOUT: nodeTimeout,
  LOG_LEVEL: "Info"
})

export const make = Effect.fnUntraced(
  function*({ effectMillis = 0, everyMillis, isEmpty = false, nodeTimeout = "2 seconds" }: Options = {}) {
    const databaseUrl = yield* isEmpty ? PostgresLayer.emptyUrl : PostgresLayer.url
    const ledger = yield* SideEffectLog.slow(effectMillis)
    const model = yield* Script.make(everyMillis)
    const database = yield* Layer.build(Postgres.layer({ url: databaseUrl, maxConnections: 2 }))
    const running = new Map<string, { readonly node: ServiceProcess.Launched; readonly scope: Scope.Closeable }>()
    const env = environment({ databaseUrl, ledger, model, nodeTimeout })
    const kill = Effect.fnUntraced(function*(name: string) {
      const known = running.get(name)
      if (known === undefined) return
      running.delete(name)
      yield* known.node.end("SIGKILL")
      yield* Scope.close(known.scope, Exit.void)
    })
    const launch = Effect.fnUntraced(function*(name: string, more: Readonly<Record<string, string>> = {}) {
      yield* kill(name)
      const scope = yield* Scope.make()
      const node = yield* Scope.provide(
        ServiceProcess.launch(fileFor(more), { ...env, NODE_NAME: name, ...more }),
        scope
      )
      running.set(name, { node, scope })
      return node
    })
    const start = Effect.fnUntraced(function*(name: string, more: Readonly<Record<string, string>> = {}) {
      const node = yield* launch(name, more)
      return { ...node, url: yield* node.greeted }
    })
    yield* Effect.addFinalizer(() => Effect.forEach([...running.keys()], kill, { discard: true }))
    const query = (statement: string) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row>(statement)).pipe(
        Effect.provide(database),
        Effect.orDie
      )
    // while a table is away, nothing is seen, and that is no progress
    const look = (statement: string) =>
      Effect.catchCause(Effect.map(query(statement), (rows) => JSON.stringify(rows)), () => Effect.succeed("?"))
    const beat = look("select node, seen_at from svc_nodes order by node")
    const output = () => [...running.values()].map(({ node }) => node.stdout().length).join()
    const runs = Effect.map(look(runSigns), (rows) => `${rows} calls ${ledger.calls.length}`)
    const heartbeats = Effect.fnUntraced(function*(count: number) {
      let seen = yield* beat
      for (let left = count; left > 0;) {
        yield* Effect.sleep("50 millis")
        const next = yield* beat
        if (next !== seen) left--
        seen = next
      }
    })
    // what a node says is a sign of life while it starts, but a log that repeats itself is none of progress
    const nodes: Nodes = {
      databaseUrl: Redacted.value(databaseUrl),
      ledger,
      start,
      launch,
      kill,
      query,
      heartbeats,
      signs: { runs, heartbeats: Effect.map(beat, (each) => `${each}${output()}`) }
    }
    return nodes
  }
)

/** Waits until each of these runs has come to a stop: it has ended, or waits for a person. */
export const stopped = Effect.fnUntraced(function*({ query }: Nodes, runs: ReadonlyArray<string>) {
  const list = runs.map((run) => `'${run}'`).join()
  const moving = `select run_id from svc_runs where run_id in (${list}) and status in ('RUNNING', 'PENDING')`
  while ((yield* query(moving)).length > 0) yield* Effect.sleep("100 millis")
})

/** Waits until a session has runs, and each of them has ended. */
export const ended = Effect.fnUntraced(function*({ query }: Nodes, session: string) {
  const runs = `
    select count(*) > 0 and bool_and(status in ('COMPLETED', 'CANCELLED', 'ERROR')) as are_ended
    from svc_runs where session_id = '${session}'`
  while ((yield* query(runs))[0]?.["are_ended"] !== true) yield* Effect.sleep("100 millis")
})

/** Retries while the service refuses, until the run exists. */
export const begin = async (
  client: ReturnType<typeof Client.of>,
  base: () => string,
  run: string,
  until?: ServiceClient.Reading["until"]
): Promise<ServiceClient.Received> => {
  for (;;) {
    const received = await client.start(base(), run, { idleTimeout: 20_000, until })
    if (received.status === 200) return received
    const found = await client.find(base(), run).catch(() => undefined)
    if (found?.run_id === run) return received
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
