// Three nodes whose PostgreSQL goes away for longer than NODE_TIMEOUT, again and again, while none of them dies: no run
// changes hands, and no person is asked about a call. A node that dies meanwhile is found soon after the return.
import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Exit, Layer, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Progress from "./Progress.ts"
import * as Script from "./Script.ts"
import { serviceFile } from "./serviceFile.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import * as Subjects from "./Subjects.ts"
import * as Tasks from "./Tasks.ts"

const names = ["north", "south", "west"]
const timeout = 2
const outages = Tier.size(3, 10)
/** Some of them begin between two outages. */
const total = Tier.size(30, 90)

interface Row {
  readonly run_id: string
  readonly status: string
  readonly attempt: number
  readonly takeovers: number
}

const cluster = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make({ durable: true })
  yield* server.start
  // longer than most outages
  const ledger = yield* SideEffectLog.slow(3000)
  const model = yield* Script.make()
  const env = Nodes.environment({ databaseUrl: server.url, ledger, model, nodeTimeout: `${timeout} seconds` })
  const outputs: Array<() => string> = []
  const up = Effect.fnUntraced(function*(name: string) {
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const node = yield* Scope.provide(ServiceProcess.start(serviceFile, { ...env, NODE_NAME: name }), scope)
    outputs.push(node.stdout)
    return node
  })
  // the first one migrates the database
  const first = yield* up(names[0]!)
  const nodes = [first, ...yield* Effect.forEach(names.slice(1), up, { concurrency: "unbounded" })]
  const stored = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Row>`select run_id, status, attempt, takeovers from svc_runs`
  ).pipe(Effect.provide(Layer.fresh(Postgres.layer({ url: server.url, maxConnections: 1 }))))
  const begin = (run: string, index: number) =>
    Client.attempt(() =>
      ServiceClient.send(`${nodes[index % nodes.length]!.url}/agents/buyer/runs`, {
        init: {
          method: "POST",
          body: new URLSearchParams({
            message: Tasks.tell("Buy", run),
            run_id: run,
            session_id: run,
            stream: "false",
            background: "true"
          })
        }
      })
    )
  /**
   * A node that had no time for its heartbeats refuses runs meanwhile. A refused one may be stored, and is then
   * cancelled, so each trial has an id of its own. Gives the accepted one.
   */
  const beginSurely = (name: string, index: number) =>
    Effect.suspend(() => {
      let trial = 0
      const run = () => `${name}-${trial}`
      return Effect.suspend(() => {
        trial++
        return begin(run(), index)
      }).pipe(
        Effect.repeat({
          schedule: Schedule.spaced("250 millis"),
          until: ({ status }) => status === 200 || status === 202
        }),
        Effect.map(run)
      )
    })
  return { begin, beginSurely, ledger, nodes, outputs, server, stored }
})

type Cluster = Effect.Success<typeof cluster>

const inCluster = <E, R>(name: string, test: (cluster: Cluster) => Effect.Effect<void, E, R>) =>
  Effect.scoped(
    Effect.flatMap(cluster, (each) =>
      Progress.watched(name, Progress.ofOutput(each.outputs, each.ledger.calls), test(each)))
  )

/** Reads until all rows are so, and at once when the database is back. */
const until = ({ stored }: Cluster, isSo: (rows: ReadonlyArray<Row>) => boolean) =>
  Effect.catchCause(stored, () => Effect.succeed<ReadonlyArray<Row>>([])).pipe(
    Effect.tap(() => Effect.sleep("100 millis")),
    Effect.repeat({ until: (rows) => rows.length > 0 && isSo(rows) })
  )

const seconds = (random: () => number, least: number, most: number) =>
  Effect.sleep(`${Math.round(1000 * (least + random() * (most - least)))} millis`)

Tier.oneIn(3)

describe("three living nodes whose database goes away for one to three times NODE_TIMEOUT", () => {
  it.live("no run changes hands, no call is made again, and no person is asked about a call", () =>
    inCluster(
      "outages",
      Effect.fnUntraced(function*(each) {
        const { begin, ledger, server } = each
        const random = Seed.random("outages")
        const accepted: Array<string> = []
        for (let outage = 0; outage < outages; outage++) {
          const batch = outage % 3 === 0 ? Math.ceil(total / Math.ceil(outages / 3)) : 0
          const received = yield* Effect.forEach(
            Array.from({ length: batch }, (_, index) => `run-${outage}-${index}`),
            (run, index) => Effect.map(begin(run, index), ({ status }) => ({ run, status })),
            { concurrency: 8 }
          )
          for (const { run, status } of received) if (status === 200 || status === 202) accepted.push(run)
          yield* seconds(random, 0.2, 2 * timeout)
          yield* server.stop
          yield* seconds(random, timeout, 3 * timeout)
          yield* server.start
          yield* seconds(random, 0.2, 2 * timeout)
        }
        const all = yield* until(each, (rows) => rows.every(({ status }) => !["PENDING", "RUNNING"].includes(status)))
        const rows = all.filter(({ run_id }) => accepted.includes(run_id))
        const keys = ledger.calls.filter(({ tool }) => tool !== "look").map(({ key }) => key)
        const figures = {
          accepted: accepted.length,
          changedHands: rows.filter(({ attempt }) => attempt > 1).length,
          takeovers: all.filter(({ takeovers }) => takeovers > 0).length,
          paused: all.filter(({ status }) => status === "PAUSED").length,
          callsMadeAgain: keys.length - new Set(keys).size
        }
        process.stdout.write(`${outages} outages: ${JSON.stringify(figures)}; seed ${Seed.seed}\n`)
        assert.deepStrictEqual(
          figures,
          { accepted: rows.length, changedHands: 0, takeovers: 0, paused: 0, callsMadeAgain: 0 },
          JSON.stringify(rows.filter(({ attempt }) => attempt > 1))
        )
        for (const { run_id, status } of all) {
          // a run that was refused because the database was silent may be stored, and is then cancelled at once
          const isAccepted = accepted.includes(run_id)
          assert.strictEqual(status, isAccepted ? "COMPLETED" : "CANCELLED", run_id)
          assert.lengthOf(ledger.of(run_id), isAccepted ? Subjects.agent.effects.length : 0, run_id)
        }
      })
    ))

  it.live("no run changes hands when all nodes sleep for longer than NODE_TIMEOUT and wake up one after the other", () =>
    inCluster(
      "a sleep of all nodes",
      Effect.fnUntraced(function*(each) {
        const { beginSurely, nodes } = each
        const wanted = Array.from({ length: 9 }, (_, index) => `run-${index}`)
        const runs = yield* Effect.forEach(wanted, beginSurely, { concurrency: 3 })
        yield* Effect.forEach(nodes, (node) => node.signal("SIGSTOP"))
        yield* Effect.sleep(`${3 * timeout} seconds`)
        for (const node of nodes) {
          yield* node.signal("SIGCONT")
          yield* Effect.sleep("300 millis")
        }
        const all = yield* until(each, (rows) => rows.every(({ status }) => !["PENDING", "RUNNING"].includes(status)))
        const rows = all.filter(({ run_id }) => runs.includes(run_id))
        assert.lengthOf(rows, runs.length)
        assert.deepStrictEqual(rows.filter(({ attempt }) => attempt > 1), [])
        assert.deepStrictEqual([...new Set(rows.map(({ status }) => status))], ["COMPLETED"])
      })
    ))

  it.live("the runs of a node that is killed during an outage are taken over after the return, and no others", () =>
    inCluster(
      "a death during an outage",
      Effect.fnUntraced(function*(each) {
        const { beginSurely, nodes, server } = each
        const wanted = Array.from({ length: 9 }, (_, index) => `run-${index}`)
        const runs = yield* Effect.forEach(wanted, beginSurely, { concurrency: 3 })
        yield* server.stop
        yield* nodes[0]!.end("SIGKILL")
        yield* Effect.sleep(`${2 * timeout} seconds`)
        yield* server.start
        const returned = performance.now()
        const lost = runs.filter((_, index) => index % nodes.length === 0)
        const isTaken = ({ attempt, run_id }: Row) => attempt > 1 && runs.includes(run_id)
        yield* until(each, (rows) => rows.filter(isTaken).length >= lost.length)
        const found = (performance.now() - returned) / 1000
        process.stdout.write(`a death during an outage is found ${found.toFixed(1)} s after it, with ${timeout} s\n`)
        const rows = yield* until(each, (all) => all.every(({ status }) => !["PENDING", "RUNNING"].includes(status)))
        assert.sameMembers(rows.filter(isTaken).map(({ run_id }) => run_id), lost)
      })
    ))
})
