// Two builds of the service, one after the other and at the same time, on one database.
import { assert, describe, it } from "@effect/vitest"
import type { ServiceProcess } from "@svc-runtime/test-support"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import { fileURLToPath } from "node:url"
import * as Client from "./Client.ts"
import * as Kills from "./Kills.ts"
import * as Nodes from "./Nodes.ts"
import * as Operator from "./Operator.ts"
import * as Oracle from "./Oracle.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"

const subject = Subjects.agent
const client = Client.of(subject)

const newer = {
  CHAOS_SOURCE: "true",
  NODE_OPTIONS: `--import=${fileURLToPath(new URL("newer-build.ts", import.meta.url))}`
}

const hasBegun = (text: string) => Client.parse(text).length > 2

/** The service of the older build says why it ends. */
const assertRefused = Effect.fnUntraced(
  function*<R>(older: Effect.Effect<unknown, ServiceProcess.ServiceDidNotStart, R>) {
    const { code, output } = yield* Effect.flip(older)
    assert.strictEqual(code, 1, output)
    const refusal = /is at migration (\d+) of 'engine', and this version knows migrations up to (\d+)/
    assert.include(output, "The database was changed by a newer version of the service: it is at migration ")
    const [, newer, known] = refusal.exec(output) ?? []
    assert.strictEqual(Number(newer), Number(known) + 1, output)
  }
)

/** Runs that begin on the nodes, one after the other, until this is interrupted. */
const load = (nodes: ReadonlyArray<Nodes.Node>, runs: Array<string>) =>
  Effect.forEach(
    nodes,
    ({ url }, index) =>
      Effect.forever(Effect.suspend(() => {
        const run = `load-${index}-${runs.length}`
        return Effect.map(Client.attempt(() => client.start(url, run)), ({ status }) => {
          if (status === 200) runs.push(run)
        })
      })),
    { concurrency: "unbounded" }
  )

const deployed = Effect.fnUntraced(function*(nodes: Nodes.Nodes) {
  const [a, b] = [yield* nodes.start("a"), yield* nodes.start("b")]
  const runs: Array<string> = []
  const begin = Effect.fnUntraced(function*(node: Nodes.Node, run: string) {
    runs.push(run)
    yield* Client.attempt(() => Nodes.begin(client, () => node.url, run, hasBegun))
  })
  const loading = yield* Effect.forkChild(load([a, b], runs))
  yield* nodes.start("c", newer)
  yield* nodes.heartbeats(4)
  const migrated = runs.length
  while (runs.length < migrated + 4) yield* nodes.heartbeats(1)
  yield* Fiber.interrupt(loading)
  // nodes of the older build cannot read what the newer one has stored
  let left: unknown
  // on a busy machine a run may have come to a stop before its node is killed
  for (let trial = 0; left !== "RUNNING" && trial < 5; trial++) {
    yield* begin(yield* nodes.start("c", newer), `newer-${trial}`)
    yield* nodes.kill("c")
    yield* nodes.heartbeats(12)
    left = (yield* nodes.query(`select status from svc_runs where run_id = 'newer-${trial}'`))[0]?.["status"]
  }
  assert.strictEqual(left, "RUNNING")
  yield* Oracle.works(nodes, a.url, subject, "beside")
  const d = yield* nodes.start("d", newer)
  yield* begin(a, "stopped")
  yield* a.end("SIGTERM")
  yield* begin(b, "killed")
  yield* nodes.kill("b")
  yield* assertRefused(nodes.start("a"))
  for (const run of runs) yield* Oracle.conclude({ nodes, url: d.url, subject, run })
  process.stdout.write(`${runs.length} runs in a rolling deployment, none lost\n`)
})

Tier.oneIn(2)

describe("two builds of the service", () => {
  it.live("a rolling deployment loses no run, and the older build refuses the database afterwards", () =>
    Effect.scoped(Effect.gen(function*() {
      const nodes = yield* Nodes.make({ everyMillis: 20 })
      yield* Progress.watched("a rolling deployment", nodes.signs, deployed(nodes))
    })))

  it.live("a newer build resumes the runs of an embedded database, which the older build refuses afterwards", () =>
    Effect.scoped(Effect.gen(function*() {
      const { ledger, signs, start, startWith } = yield* Kills.world(subject, {
        DATA_DIR: yield* TemporaryDirectory.make
      })
      const older = yield* start
      yield* Client.attempt(() => Nodes.begin(client, () => older.url, "resumed", hasBegun))
      yield* older.end("SIGKILL")
      const { end, url } = yield* startWith(newer)
      const reading = Client.attempt(() => client.watch(url, "resumed"))
      const watched = yield* Progress.watched("resumed", signs, reading)
      assert.isTrue(watched.isWhole, watched.text)
      yield* Operator.answer({ subject, ledger, url, run: "resumed", unknown: [] })
      assert.strictEqual((yield* Client.attempt(() => client.find(url, "resumed")))?.status, "COMPLETED")
      yield* end("SIGTERM")
      yield* assertRefused(start)
    })))
})
