// Three nodes on one PostgreSQL behind a balancer. Nodes are killed, stopped, frozen and started again as random
// numbers say, while runs execute and are watched through any node. A watcher sees each event once, in order.
import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Exit, Fiber, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as Balancer from "./Balancer.ts"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Progress from "./Progress.ts"
import * as Script from "./Script.ts"
import { serviceFile } from "./serviceFile.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import * as Subjects from "./Subjects.ts"

const total = Tier.size(40, 500)
const atOnce = 32
const buyer = Client.of(Subjects.agent)
const names = ["north", "south", "west"]

const last = ["RunCompleted", "RunPaused", "RunError", "RunCancelled"]
const hasEnded = (events: ReadonlyArray<Client.Event>) => last.includes(events.at(-1)?.kind ?? "")

interface Watching {
  readonly base: string
  readonly run: string
  readonly random: () => number
}

/** By all who watch, and by that the sign that something moves. */
let receivedEvents = 0

/**
 * How many milliseconds a client waits for data before it asks another node, because this one may be frozen. A machine
 * that is so busy that all nodes take longer gets more time with each attempt, until data come.
 */
const patience = () => {
  const least = 1500
  let millis = least
  return {
    millis: () => millis,
    /** Waits a moment when nothing came. */
    came: async (count: number) => {
      millis = count > 0 ? least : Math.min(2 * millis, 60_000)
      if (count === 0) await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** Watches from the last event until the run has ended, and disconnects in the middle as random numbers say. */
const follow = async ({ base, random, run }: Watching, received: ReadonlyArray<Client.Event>) => {
  const events = [...received]
  const { came, millis } = patience()
  let connections = 0
  while (!hasEnded(events)) {
    const most = random() < 0.7 ? 1 + Math.floor(random() * 15) : Number.POSITIVE_INFINITY
    const after = events.at(-1)?.index ?? -1
    const until = (text: string) => Client.parse(text).length >= most
    const { text } = await buyer.watch(base, run, after, { until, idleTimeout: millis() })
    // what came with the last one is not received any more
    const fresh = Client.parse(text).slice(0, most)
    events.push(...fresh)
    receivedEvents += fresh.length
    connections++
    await came(fresh.length)
  }
  return { events, connections }
}

/** Asks until the run is there. */
const begin = async ({ base, random, run }: Watching) => {
  const { came, millis } = patience()
  for (;;) {
    const most = 1 + Math.floor(random() * 60)
    const until = (text: string) => Client.parse(text).length >= most
    const { text } = await buyer.start(base, run, { idleTimeout: millis(), until })
    const received = Client.parse(text).slice(0, most)
    if (received.length > 0) return received
    const found = await buyer.find(base, run).catch(() => undefined)
    if (found !== undefined) return []
    await came(0)
  }
}

const oneRun = async (watching: Watching) => {
  const received = await begin(watching)
  return Promise.all([follow(watching, received), follow(watching, [])])
}

interface Node {
  readonly service: ServiceProcess.ServiceProcess
  readonly scope: Scope.Closeable
}

const cluster = Effect.gen(function*() {
  const random = Seed.random("nodes")
  const databaseUrl = yield* PostgresLayer.url
  const ledger = yield* SideEffectLog.make
  const model = yield* Script.make(12)
  const balancer = yield* Balancer.make(random)
  const running = new Map<string, Node>()
  const env = {
    ...Nodes.environment({ databaseUrl, ledger, model, nodeTimeout: "2 seconds" }),
    SHUTDOWN_TIMEOUT: "200 millis",
    DRAIN_TIMEOUT: "1 second"
  }
  const up = Effect.fnUntraced(function*(name: string) {
    const scope = yield* Scope.make()
    const service = yield* Scope.provide(ServiceProcess.start(serviceFile, { ...env, NODE_NAME: name }), scope)
    running.set(name, { service, scope })
    balancer.nodes.set(name, service.url)
  })
  const down = Effect.fnUntraced(function*(name: string, signal: NodeJS.Signals) {
    const node = running.get(name)
    if (node === undefined) return
    yield* node.service.end(signal)
    balancer.nodes.delete(name)
    running.delete(name)
    yield* Scope.close(node.scope, Exit.void)
  })
  yield* Effect.addFinalizer(() => Effect.forEach([...running.keys()], (name) => down(name, "SIGKILL")))
  yield* Effect.forEach(names, up, { concurrency: "unbounded" })
  return { balancer, databaseUrl, down, ledger, random, running, up }
})

/** So many events reach the watchers before the next node is killed, ended or frozen. */
const eventsBetween = 30

/** What befalls the nodes, one after the other. */
const trouble = Effect.fnUntraced(function*({ down, random, running, up }: Effect.Success<typeof cluster>) {
  const counts = { killed: 0, ended: 0, frozen: 0 }
  const wait = (least: number, most: number) => Effect.sleep(`${Math.round(least + random() * (most - least))} millis`)
  let before = 0
  // nodes start slowly on a slow machine: without events in between, no run would ever move
  const moved = Effect.gen(function*() {
    yield* wait(800, 2400)
    yield* Effect.repeat(Effect.delay(Effect.sync(() => receivedEvents - before), "50 millis"), {
      until: (events) => events >= eventsBetween
    })
    before = receivedEvents
  })
  const once = Effect.gen(function*() {
    const name = names[Math.floor(random() * names.length)]!
    const fate = random()
    if (fate < 0.2) {
      counts.frozen++
      const service = running.get(name)?.service
      yield* service?.signal("SIGSTOP") ?? Effect.void
      yield* wait(2500, 4000)
      yield* service?.signal("SIGCONT") ?? Effect.void
      return
    }
    if (fate < 0.4) counts.ended++
    else counts.killed++
    yield* down(name, fate < 0.4 ? "SIGTERM" : "SIGKILL")
    yield* wait(0, 3000)
    yield* up(name)
  })
  const fiber = yield* Effect.forkScoped(Effect.forever(Effect.andThen(moved, Effect.uninterruptible(once))))
  return { counts, failed: Fiber.join(fiber), stop: Fiber.interrupt(fiber) }
})

interface StoredRow {
  readonly run_id: string
  readonly event_index: number
  /** One event, or the pieces of an answer with commas between them. */
  readonly body: string
}

/** As they are stored. Those of a run that ended a minute ago are folded. */
const storedEvents = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<StoredRow>`
    select r.run_id, e.event_index, e.body::text as body from svc_run_events e join svc_runs r on r.seq = e.run_seq
    union all
    select r.run_id, f.first_index, f.body from svc_run_event_folds f join svc_runs r on r.seq = f.run_seq`
  const byRun = new Map<string, Array<{ readonly event: string; readonly event_index: number }>>()
  for (const { body, run_id } of rows) {
    byRun.set(run_id, [...byRun.get(run_id) ?? [], ...JSON.parse(`[${body}]`)])
  }
  const events = new Map<string, ReadonlyArray<Client.Event>>()
  for (const [run_id, found] of byRun) {
    const ordered = found.toSorted((one, other) => one.event_index - other.event_index)
    assert.deepStrictEqual(ordered.map(({ event_index }) => event_index), ordered.map((_, index) => index), run_id)
    events.set(
      run_id,
      ordered.map((event) => ({ index: event.event_index, kind: event.event, data: JSON.stringify(event) }))
    )
  }
  return events
})

describe("three nodes, killed and started again", () => {
  it.live("three nodes complete every run, and watchers see each event once, in order and as it is stored", () =>
    Effect.scoped(Effect.gen(function*() {
      const nodes = yield* cluster
      const { counts, failed, stop } = yield* trouble(nodes)
      const runs = Array.from({ length: total }, (_, index) => `run-${index}`)
      let done = 0
      let connections = 0
      const all = Effect.forEach(
        runs,
        (run) =>
          Effect.promise(() => oneRun({ base: nodes.balancer.url, run, random: nodes.random })).pipe(
            Effect.tap(() =>
              Effect.sync(() => {
                done++
                if (done % 50 === 0) process.stdout.write(`${done} of ${total} runs have ended\n`)
              })
            )
          ),
        { concurrency: atOnce }
      )
      const signs = {
        runs: Effect.sync(() => `${done} of ${total} runs have ended, ${receivedEvents} events received`)
      }
      const seen = yield* Progress.watched("all runs", signs, Effect.raceFirst(all, failed))
      yield* stop
      const stored = yield* Effect.provide(storedEvents, Postgres.layer({ url: nodes.databaseUrl }))
      for (const [index, watchers] of seen.entries()) {
        const run = runs[index]!
        for (const watcher of watchers) {
          connections += watcher.connections
          assert.deepStrictEqual(
            watcher.events.map(({ index }) => index),
            (stored.get(run) ?? []).map((_, index) => index),
            `${run}: a gap, or something twice`
          )
          Client.checkShown(watcher.events, stored.get(run) ?? [], run)
        }
      }
      const paid = nodes.ledger.calls.filter(({ tool }) => tool === "pay").map(({ key }) => key)
      assert.strictEqual(new Set(paid).size, paid.length, "paid twice")
      process.stdout.write(
        `${total} runs, ${
          total * 2
        } watchers, ${connections} connections; nodes killed ${counts.killed} times, ended ` +
          `${counts.ended}, frozen ${counts.frozen}; seed ${Seed.seed}\n`
      )
    })))
})
