// What a service makes of a world that fails it: its database cut off in the middle, stopped, full, and clocks that
// jump. It says so clearly or it waits; it loses nothing, and leaves nothing behind.
import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import * as TcpProxy from "@svc-runtime/test-support/TcpProxy"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Progress from "./Progress.ts"
import * as Script from "./Script.ts"
import { serviceFile } from "./serviceFile.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import * as Subjects from "./Subjects.ts"

const buyer = Client.of(Subjects.agent)
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const make = Effect.gen(function*() {
  const ledger = yield* SideEffectLog.make
  const model = yield* Script.make(10)
  const outputs: Array<() => string> = []
  const start = (env: Readonly<Record<string, string>>) =>
    ServiceProcess.start(serviceFile, {
      LEDGER_URL: ledger.url,
      MODEL: "openai-compatible:local",
      OPENAI_BASE_URL: model.url,
      PORT: "0",
      NODE_NAME: "only",
      LOG_LEVEL: "Info",
      ...env
    }).pipe(Effect.tap(({ stdout }) => Effect.sync(() => outputs.push(stdout))))
  return { ledger, outputs, start }
})

type World = Effect.Success<typeof make>

/** Ends when nothing moves any more. */
const inWorld = <E, R>(name: string, test: (world: World) => Effect.Effect<void, E, R>) =>
  Effect.scoped(
    Effect.flatMap(make, (world) =>
      Progress.watched(name, Progress.ofOutput(world.outputs, world.ledger.calls), test(world)))
  )

/** Asks again as long as the service says that it cannot now. */
const insist = async (base: string, run: string) => {
  const refusals: Array<string> = []
  for (let attempt = 0;; attempt++) {
    const id = `${run}-${attempt}`
    const received = await buyer.start(base, id)
    if (received.status === 200) return { id, received, refusals }
    assert.strictEqual(received.status, 503, received.text)
    assert.isString(JSON.parse(received.text).detail, "the refusal says why")
    refusals.push(id)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const through = (url: Redacted.Redacted, port: number): string => {
  const changed = new URL(Redacted.value(url))
  changed.port = String(port)
  return changed.href
}

type Insisted = Awaited<ReturnType<typeof insist>>

/** The node ends the run when it finds it, which it may do a while after the refusal. */
const statusOf = (base: string, refused: string) =>
  Client.attempt(() => buyer.find(base, refused)).pipe(
    Effect.map((left) => left?.status),
    Effect.repeat({
      until: (status) => status !== "RUNNING" && status !== "PENDING",
      schedule: Schedule.spaced("250 millis")
    })
  )

/** Every run has come to its end, once, and what was refused has done nothing. */
const checkAll = Effect.fnUntraced(function*(base: string, ledger: SideEffectLog.Ledger, all: ReadonlyArray<Insisted>) {
  for (const { received, id, refusals } of all) {
    const kept = yield* Client.attempt(() => buyer.watch(base, id))
    assert.isTrue(kept.isWhole, `${id}: stuck`)
    assert.strictEqual(kept.status, 200, `${id}: ${kept.text}`)
    const shown = Client.parse(received.text)
    Client.checkShown(shown, Client.parse(kept.text), `${id}: shown and not kept`)
    const output = yield* Client.attempt(() => buyer.find(base, id))
    assert.strictEqual(output?.status, "COMPLETED", `${id}: ${output?.content}`)
    const keys = ledger.of(id).map(({ key }) => key)
    assert.strictEqual(new Set(keys).size, keys.length, `${id}: something twice`)
    assert.strictEqual(keys.length, Subjects.agent.effects.length, `${id}: something left out`)
    for (const refused of refusals) {
      yield* statusOf(base, refused)
      assert.deepStrictEqual(ledger.of(refused), [], `${refused}: was refused, and done`)
    }
  }
})

const load = (base: string, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => `load-${index}`),
    (run) => Client.attempt(() => insist(base, run)),
    { concurrency: 12 }
  )

const cutOffSometimes = Effect.fnUntraced(function*(wire: Effect.Success<ReturnType<typeof TcpProxy.make>>) {
  const random = Seed.random("faults")
  const pause = (most: number) => Effect.sleep(`${Math.round(100 + random() * most)} millis`)
  const once = Effect.gen(function*() {
    yield* pause(500)
    if (random() < 0.6) return yield* wire.drop
    yield* wire.cut
    yield* pause(800)
    yield* wire.mend
  })
  return yield* Effect.forkScoped(Effect.forever(Effect.uninterruptible(once)))
})

/** Some statements that store a run take long. The database executes them to their end when their connection is cut. */
const storingSlowly = [
  `create function store_slowly() returns trigger language plpgsql as $$
    begin perform pg_sleep(case when random() < 0.4 then 2.5 else 0 end); return new; end $$`,
  "create trigger store_slowly before insert on svc_runs for each row execute function store_slowly()"
]

Tier.oneIn(4)

describe("a service whose database is cut off", () => {
  it.live("a service under load waits or refuses, and completes every accepted run", () =>
    inWorld(
      "connections that are cut",
      Effect.fnUntraced(function*({ ledger, start }) {
        const count = Tier.size(20, 120)
        const url = yield* PostgresLayer.url
        const wire = yield* TcpProxy.make(Number(new URL(Redacted.value(url)).port))
        const service = yield* start({ DATABASE_URL: through(url, wire.port), NODE_TIMEOUT: "8 seconds" })
        const trouble = yield* cutOffSometimes(wire)
        const all = yield* load(service.url, count)
        yield* Fiber.interrupt(trouble)
        yield* checkAll(service.url, ledger, all)
        const refused = all.reduce((sum, { refusals }) => sum + refusals.length, 0)
        process.stdout.write(`connections cut: ${count} runs accepted and completed, ${refused} refused with 503\n`)
      })
    ))

  it.live("a run that is stored after the service has refused it is ended, and does nothing", () =>
    inWorld(
      "slow statements that are cut off",
      Effect.fnUntraced(function*({ ledger, start }) {
        const url = yield* PostgresLayer.url
        const beside = yield* Layer.build(Postgres.layer({ url, maxConnections: 1 }))
        const query = (statement: string) =>
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(beside))
        const wire = yield* TcpProxy.make(Number(new URL(Redacted.value(url)).port))
        const service = yield* start({ DATABASE_URL: through(url, wire.port), NODE_TIMEOUT: "8 seconds" })
        yield* Effect.forEach(storingSlowly, query)
        const trouble = yield* cutOffSometimes(wire)
        const all = yield* load(service.url, Tier.size(20, 60))
        yield* Fiber.interrupt(trouble)
        // statements that no request waits for any more
        yield* query(`select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`).pipe(
          Effect.repeat({ until: (left) => left.length === 0, schedule: Schedule.spaced("250 millis") })
        )
        yield* checkAll(service.url, ledger, all)
        assert.deepStrictEqual(yield* query("select run_id from svc_runs where is_unfinished"), [])
        const refused = all.reduce((sum, { refusals }) => sum + refusals.length, 0)
        process.stdout.write(`slow statements cut off: ${all.length} runs completed, ${refused} refused and ended\n`)
      })
    ))

  it.live("a service whose database was stopped works again when the database is started", () =>
    inWorld(
      "a stopped database",
      Effect.fnUntraced(function*({ ledger, start }) {
        const server = yield* EmbeddedPostgres.make({ durable: true })
        yield* server.start
        const service = yield* start({ DATABASE_URL: Redacted.value(server.url) })
        const loading = yield* Effect.forkScoped(load(service.url, 40))
        yield* Effect.sleep("700 millis")
        yield* server.stop
        const health = yield* Client.attempt(() => ServiceClient.send(`${service.url}/health`))
        assert.strictEqual(health.status, 200, health.text)
        const refused = yield* Client.attempt(() => ServiceClient.send(`${service.url}/sessions`))
        assert.strictEqual(refused.status, 503, refused.text)
        assert.isString(JSON.parse(refused.text).detail)
        yield* Effect.sleep("1500 millis")
        yield* server.start
        yield* checkAll(service.url, ledger, yield* Fiber.join(loading))
      })
    ))
})

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-chaos-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A file system of this many bytes. Undefined where none can be made: it takes the rights of an administrator. */
const smallDisk = Effect.fnUntraced(function*(size: string) {
  const parent = yield* directory
  const path = join(parent, "disk")
  mkdirSync(path)
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path])
  if (mounted.status !== 0) return undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => spawnSync("umount", ["-l", path])))
  return path
})

/** Of the node that is named so. It changes when two heartbeats are too far apart, by the clock of the database. */
const regularSince = ({ query }: Nodes.Nodes, name: string) =>
  query(`select steady_since::text from svc_nodes where node like '${name}#%'`)

/** A machine that is too busy for a timeout may have time for a longer one. */
const timeouts = [3, 6, 12, 24, 48]

/** Whether the heartbeats of the node with the right clock were regular. If not, nothing is known of the other one. */
const wrongClock = Effect.fnUntraced(function*(nodes: Nodes.Nodes) {
  const early = { CLOCK_SHIFT: "172800", NODE_OPTIONS: `--import=${here("shift-clock.ts")}` }
  const [right, wrong] = [yield* nodes.start("right"), yield* nodes.start("wrong", early)]
  const since = yield* regularSince(nodes, "right")
  assert.lengthOf(since, 1)
  const loading = yield* Effect.forkScoped(Effect.all([
    load(right.url, 30),
    Effect.forEach(
      Array.from({ length: 30 }, (_, index) => `wrong-${index}`),
      (run) => Client.attempt(() => insist(wrong.url, run)),
      { concurrency: 12 }
    )
  ], { concurrency: 2 }))
  yield* Effect.sleep("1 second")
  // back by four days, and forward again
  yield* wrong.signal("SIGUSR2")
  yield* Effect.sleep("700 millis")
  yield* wrong.signal("SIGUSR2")
  const [one, other] = yield* Fiber.join(loading)
  const all = [...one, ...other]
  const output = `${right.stdout()}\n${wrong.stdout()}`
  if (!isDeepStrictEqual(yield* regularSince(nodes, "right"), since)) return false
  yield* checkAll(right.url, nodes.ledger, all)
  // a node takes a run back that it has refused without knowing whether it is stored
  const taken = all.filter(({ id }) => output.includes(`taken {"run_id":"${id}"`))
  assert.deepStrictEqual(taken.map(({ id }) => id), [], "no heartbeat was missing")
  assert.notInclude(output, "Lost the lease of a run")
  assert.notInclude(output, "is lost, and this node takes over its runs")
  return true
})

describe("a service whose clock is wrong", () => {
  it.live.runIf(Tier.isWhole)(
    "a service whose clock is wrong by days, or jumps, neither takes runs from others nor loses its own",
    () =>
      Effect.gen(function*() {
        for (const seconds of timeouts) {
          const isKnown = yield* Effect.scoped(Effect.gen(function*() {
            const nodes = yield* Nodes.make({ everyMillis: 10, nodeTimeout: `${seconds} seconds` })
            return yield* Progress.watched("a wrong clock", nodes.signs, wrongClock(nodes))
          }))
          process.stdout.write(
            `a wrong clock, and ${seconds} s: ${isKnown ? "ok" : "the other node was late as well"}\n`
          )
          if (isKnown) return
        }
        assert.fail("the node whose clock is right was late with each timeout")
      })
  )
})

describe("a service whose disk is full", () => {
  it.live("a service whose disk is full refuses with a reason, and works when there is room again", (context) =>
    inWorld(
      "a full disk",
      Effect.fnUntraced(function*({ start }) {
        const disk = yield* smallDisk("90m")
        if (disk === undefined) {
          return context.skip("no small file system can be made here: mounting one is not allowed")
        }
        const service = yield* start({ DATA_DIR: join(disk, "data") })
        const before = yield* Client.attempt(() => insist(service.url, "before"))
        assert.isTrue(before.received.isWhole)
        const filler = join(disk, "filler")
        spawnSync("sh", ["-c", `dd if=/dev/zero of=${filler} bs=64k 2>/dev/null; true`])
        const answers: Array<number | undefined> = []
        for (let index = 0; index < 30; index++) {
          const { status } = yield* Client.attempt(() =>
            buyer.start(service.url, `full-${index}`, { idleTimeout: 2000 })
          )
          answers.push(status)
        }
        assert.include(answers, 503, "the disk was not full")
        const ready = yield* Effect.promise(() => fetch(`${service.url}/ready`))
        assert.strictEqual(ready.status, 503)
        assert.strictEqual(
          service.stdout().split("\"message\":\"The disk of the database is full").length,
          2,
          "logged once"
        )
        rmSync(filler)
        process.stdout.write(`disk full: ${JSON.stringify(answers)}\n`)
        const after = yield* Client.attempt(() => insist(service.url, "after"))
        assert.isTrue(after.received.isWhole)
        assert.include(service.stdout(), "The database stores again")
        for (const { id } of [before, after]) {
          const output = yield* Client.attempt(() => buyer.find(service.url, id))
          assert.strictEqual(output?.status, "COMPLETED", id)
        }
        for (let index = 0; index < 30; index++) {
          if (answers[index] !== 200) continue
          const kept = yield* Client.attempt(() => buyer.watch(service.url, `full-${index}`))
          assert.isTrue(kept.isWhole, `full-${index}: stuck`)
        }
      })
    ))
})
