// Two nodes on PostgreSQL, of whose statements one in ten fails in one of all the ways that a database and the wire to
// it have: a rejection, an answer that is lost or breaks off, rows without values.
import { assert, describe, it } from "@effect/vitest"
import { Id } from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { SqlJobStore } from "@svc-runtime/postgres"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Client from "./Client.ts"
import { delivery } from "./Components.ts"
import * as FaultyWire from "./FaultyWire.ts"
import * as Operator from "./Operator.ts"
import * as Progress from "./Progress.ts"
import * as Script from "./Script.ts"
import { serviceFile } from "./serviceFile.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import * as Subjects from "./Subjects.ts"

const states =
  "08P01 0A000 22P02 25006 25P02 26000 40001 40P01 42501 42703 42P01 53100 53200 53300 55P03 57014 57P01 " +
  "57P03 58030 XX000"
const faults: ReadonlyArray<FaultyWire.Fault> = [
  "cut",
  "lost",
  "half",
  "nulls",
  ...states.split(" ").map((state) => `raise ${state}` as const)
]

const subjects = [Subjects.agent, Subjects.approvedAgent, Subjects.team, Subjects.workflow]
const random = Seed.random("statements")

/** Each kind of statement fails in each way in turn. */
const failing = () => {
  const failed = new Map<string, number>()
  let isOn = false
  return {
    setOn: (is: boolean) => (isOn = is),
    failed,
    decide: (sql: string): FaultyWire.Fault | undefined => {
      if (!isOn || sql === "" || random() > 0.1) return undefined
      const kind = sql.replaceAll(/\s+/g, " ").slice(0, 300)
      const count = failed.get(kind) ?? 0
      failed.set(kind, count + 1)
      const fault = faults[(count + kind.length) % faults.length]
      // no database gives a count that is null
      return fault === "nulls" && sql.includes("count(*)") ? "lost" : fault
    }
  }
}

const jobOf = (id: string) => ({
  id: Id.make(id),
  kind: delivery.name,
  key: null,
  isUnique: false,
  payload: { run: id },
  max_attempts: 1000,
  user_id: null,
  session_id: null,
  run_at: undefined
})

const world = Effect.gen(function*() {
  const url = yield* PostgresLayer.url
  const failures = failing()
  const wire = yield* FaultyWire.make(Number(new URL(Redacted.value(url)).port), failures.decide)
  const through = new URL(Redacted.value(url))
  through.port = String(wire.port)
  const ledger = yield* SideEffectLog.make
  const model = yield* Script.make(5)
  const start = (name: string) =>
    ServiceProcess.start(serviceFile, {
      LEDGER_URL: ledger.url,
      MODEL: "openai-compatible:local",
      OPENAI_BASE_URL: model.url,
      PORT: "0",
      NODE_NAME: name,
      DATABASE_URL: through.href,
      NODE_TIMEOUT: "4 seconds",
      LOG_LEVEL: "Info"
    })
  const nodes = [yield* start("a"), yield* start("b")] as const
  const direct = Postgres.layer({ url, maxConnections: 2 })
  const context = yield* Layer.build(Layer.merge(SqlJobStore.layer.pipe(Layer.provide(direct)), direct))
  return {
    failures,
    ledger,
    nodes,
    anyNode: () => nodes[random() < 0.5 ? 0 : 1].url,
    jobs: Context.get(context, JobStore),
    sql: Context.get(context, SqlClient.SqlClient)
  }
})

type World = Effect.Success<typeof world>

/** Starts a run, reads what there is to read, and approves what asks for it. Gives the status of the answer. */
const oneRun = async ({ anyNode }: World, run: string, subject: Subjects.Subject) => {
  const client = Client.of(subject)
  const { status } = await client.start(anyNode(), run, { idleTimeout: 60_000 })
  const others = ["/sessions", `/sessions/${run}`, "/approvals", `${subject.path}/runs?session_id=${run}`]
  for (const path of others) {
    const { status, text } = await ServiceClient.send(anyNode() + path)
    assert.include([200, 404, 503], status, `${path}: ${text}`)
  }
  await client.approve(anyNode(), run)
  return { run, subject, status }
}

const unfinished = ({ sql }: World) =>
  Effect.map(
    sql`
      select run_id as id, status from svc_runs where status in ('RUNNING', 'PENDING', 'PAUSED') union all
      select id, status from svc_jobs where kind = ${delivery.name} and status <> 'COMPLETED' union all
      select id, status from svc_approvals where resume_pending`,
    (rows) => JSON.stringify(rows)
  ).pipe(Effect.orDie)

/** A run waits for its approval, or for the outcome of a call that its node began before it lost the run. */
const answerPaused = Effect.fnUntraced(function*(
  { anyNode, ledger, sql }: World,
  runs: ReadonlyArray<{ readonly run: string; readonly subject: Subjects.Subject }>
) {
  const rows = yield* sql<{ readonly run_id: string }>`select run_id from svc_runs where status = 'PAUSED'`
  for (const { run, subject } of runs.filter(({ run }) => rows.some(({ run_id }) => run_id === run))) {
    yield* subject === Subjects.approvedAgent
      ? Client.attempt(() => Client.of(subject).approve(anyNode(), run))
      : Operator.answer({ subject, ledger, url: anyNode(), run, unknown: [] })
  }
})

const check = Effect.fnUntraced(function*({ anyNode, ledger }: World, run: string, subject: Subjects.Subject) {
  const client = Client.of(subject)
  const keys = ledger.of(run).filter(({ tool }) => tool === "pay").map(({ key }) => key)
  assert.strictEqual(new Set(keys).size, keys.length, `${run}: paid twice`)
  const output = yield* Client.attempt(() => client.find(anyNode(), run))
  assert.strictEqual(output?.status, "COMPLETED", `${run}: ${output?.content}`)
  const kept = yield* Client.attempt(() => client.watch(anyNode(), run))
  const indexes = Client.parse(kept.text).map(({ index }) => index)
  assert.deepStrictEqual([kept.isWhole, indexes], [true, indexes.map((_, at) => at)], `${run}: its events`)
})

describe("statements that fail one at a time", () => {
  it.live("every accepted run, approval and job comes to its end although any statement can fail in any way", () =>
    Effect.scoped(Effect.gen(function*() {
      const services = yield* world
      const { failures, jobs, nodes } = services
      failures.setOn(true)
      const requests = yield* Effect.forEach(
        Array.from({ length: Tier.size(20, 400) }, (_, index) => index),
        (index) =>
          Effect.andThen(
            jobs.enqueue(jobOf(`job-${index}`)),
            Client.attempt(() => oneRun(services, `run-${index}`, subjects[index % subjects.length]!))
          ),
        { concurrency: 6 }
      )
      failures.setOn(false)
      const accepted = requests.filter(({ status }) => status === 200)
      const ended = answerPaused(services, requests).pipe(
        Effect.andThen(Effect.delay(unfinished(services), "250 millis")),
        Effect.repeat({ until: (rows) => rows === "[]" })
      )
      yield* Progress.watched("what was accepted", { runs: unfinished(services) }, ended)
      for (const { run, subject } of accepted) yield* check(services, run, subject)
      for (const node of nodes) assert.isTrue(node.isRunning())
      const failed = [...failures.failed.values()].reduce((sum, count) => sum + count, 0)
      process.stdout.write(
        `${failed} statements of ${failures.failed.size} kinds failed; ${accepted.length} of ${requests.length} runs accepted\n`
      )
    })))
})
