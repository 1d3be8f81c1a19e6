// A tool that computes without a pause blocks its whole node: no heartbeat, no answer, no progress of other runs. When
// that takes longer than NODE_TIMEOUT, other nodes take over its runs, and then the node continues.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Oracle from "./Oracle.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"

const subject = Subjects.agent
const client = Client.of(subject)

/** Longer than the timeout of a node, and many times that. */
const durations = [5000, 8000, 16_000]

const isBack = Effect.fnUntraced(function*({ heartbeats, query }: Nodes.Nodes) {
  const statement = "select 1 from svc_nodes where node like 'a%' and seen_at > now() - interval '500 milliseconds'"
  while ((yield* query(statement)).length === 0) yield* Effect.sleep("100 millis")
  // what it still does, it does now
  yield* heartbeats(8)
})

const blocked = Effect.fnUntraced(function*(nodes: Nodes.Nodes, a: Nodes.Node, b: Nodes.Node, millis: number) {
  const run = `blocks-${millis}-x`
  const innocents = Array.from({ length: 6 }, (_, index) => `beside-${millis}-${index}`)
  const runs = [...innocents, run]
  const asking = yield* Effect.forkChild(
    Effect.forEach(runs, (each) => Client.attempt(() => Nodes.begin(client, () => a.url, each)), {
      concurrency: "unbounded"
    })
  )
  const isTaken = `select 1 from svc_runs where run_id = '${run}' and attempt > 1`
  while ((yield* nodes.query(isTaken)).length === 0) yield* Effect.sleep("100 millis")
  yield* isBack(nodes)
  const received = yield* Fiber.join(asking)
  const before = new Map(runs.map((each, index) => [each, received[index]]))
  return yield* Effect.forEach(
    runs,
    (each) => Oracle.conclude({ nodes, url: b.url, subject, run: each, received: before.get(each) })
  )
})

describe("a node whose event loop is blocked for longer than its timeout", () => {
  it.live("a blocked node loses its runs to another one, and harms none of them when it continues", () =>
    Effect.scoped(Effect.gen(function*() {
      const nodes = yield* Nodes.make({ everyMillis: 60 })
      const [a, b] = [yield* nodes.start("a"), yield* nodes.start("b")]
      for (const millis of Tier.some(durations, 1)) {
        const fates = yield* Progress.watched(`blocked ${millis}`, nodes.signs, blocked(nodes, a, b, millis))
        process.stdout.write(`blocked for ${millis} ms: ${fates.join(", ")}\n`)
      }
      assert.strictEqual(yield* Oracle.works(nodes, a.url, subject, "after"), "COMPLETED")
    })))
})
