// A node that stops in the middle of a request that is no start of a run, or of a heartbeat, for longer than
// NODE_TIMEOUT, and then continues.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import * as Client from "./Client.ts"
import * as Freezes from "./Freezes.ts"
import * as Nodes from "./Nodes.ts"
import * as Oracle from "./Oracle.ts"
import * as Points from "./Points.ts"
import * as Subjects from "./Subjects.ts"

const buyer = Client.of(Subjects.agent)
const clerk = Client.of(Subjects.approvedAgent)

interface Frozen<A> {
  readonly nodes: Nodes.Nodes
  readonly node: Nodes.Node
  /** The run that names the point, as its session does. */
  readonly run: string
  readonly ask: () => Promise<A>
  /** Done while the node is frozen. */
  readonly meanwhile: Effect.Effect<unknown>
}

/** The answer to what is asked of the node, which freezes meanwhile. */
const answered = Effect.fnUntraced(function*<A>({ ask, meanwhile, node, nodes, run }: Frozen<A>) {
  const asking = yield* Effect.forkChild(Client.attempt(ask))
  yield* Freezes.reached([node], `freezes ${run}`, Nodes.ended(nodes, run))
  yield* nodes.heartbeats(8)
  yield* meanwhile
  const begun = Freezes.begun(node, run)
  yield* node.signal("SIGCONT")
  const answer = yield* Fiber.join(asking)
  // what the node still does, it does now
  yield* nodes.heartbeats(8)
  assert.deepStrictEqual(Freezes.begun(node, run), begun, `${run}: called by a node that had lost it`)
  return answer
})

const statusOf = (url: string, run: string, client = buyer) =>
  Effect.map(Client.attempt(() => client.find(url, run)), (found) => found?.status)

const twoNodes = Effect.fnUntraced(function*(nodes: Nodes.Nodes) {
  return [yield* nodes.start("a"), yield* nodes.start("b", { PASSES_POINTS_OF: "frozen" })] as const
})

const phases = ["before.1", "during.1", "after.1"]

const approvalPoints = [
  ...phases.map((phase): Points.Place => [1, `resolve.${phase}`]),
  ...phases.map((phase): Points.Place => [2, `resume.${phase}`])
]

const approvedAt = Effect.fnUntraced(function*(nodes: Nodes.Nodes, place: Points.Place) {
  const [a, b] = yield* twoNodes(nodes)
  const run = Points.frozenIn([place])
  const received = yield* Client.attempt(() => clerk.start(a.url, run))
  const meanwhile = Effect.delay(Client.attempt(() => clerk.approve(b.url, run)), "100 millis").pipe(
    Effect.andThen(statusOf(b.url, run, clerk)),
    Effect.repeat({ until: (status) => status === "COMPLETED" })
  )
  yield* answered({ nodes, node: a, run, ask: () => clerk.approve(a.url, run), meanwhile })
  yield* Oracle.conclude({ nodes, url: b.url, subject: Subjects.approvedAgent, run, received })
  yield* Oracle.works(nodes, a.url, Subjects.agent, `after-${place[1]}`)
})

const cancelledAt = Effect.fnUntraced(function*(nodes: Nodes.Nodes, phase: string) {
  const [a, b] = yield* twoNodes(nodes)
  const run = Points.frozenAt(`cancel.${phase}`)
  const until = (text: string) => Client.parse(text).length > 2
  const received = yield* Client.attempt(() => buyer.start(a.url, run, { until }))
  const status = yield* answered({
    nodes,
    node: a,
    run,
    ask: () => buyer.cancel(a.url, run),
    meanwhile: Nodes.stopped(nodes, [run])
  })
  const found = yield* statusOf(b.url, run)
  if (phase === "after.1") assert.strictEqual(found, "CANCELLED", run)
  if (found !== "CANCELLED") {
    return yield* Oracle.conclude({ nodes, url: b.url, subject: Subjects.agent, run, received })
  }
  // the node cannot say what the database has made of it
  assert.include([200, 503], status, run)
  yield* Oracle.works(nodes, a.url, Subjects.agent, `after-${phase}`)
})

const claimedAt = Effect.fnUntraced(function*(nodes: Nodes.Nodes, phase: string) {
  const [a, b] = yield* twoNodes(nodes)
  const key = Points.frozenAt(`claim.${phase}`)
  const ask = (url: string) => () => buyer.startOnce(url, key)
  const again = Client.attempt(ask(b.url))
  const woken = yield* answered({ nodes, node: a, run: key, ask: ask(a.url), meanwhile: again })
  const [first, other] = yield* Effect.all([again, Client.attempt(ask(a.url))])
  assert.deepStrictEqual([woken, other], [first, first], key)
  const runs = yield* nodes.query(`select run_id from svc_runs where session_id = '${key}'`)
  assert.deepStrictEqual(runs, [{ run_id: first.run_id }], key)
})

/** The first heartbeat of a node, and a later one, while a run is executed. */
const heartbeats = ["before.1", "during.1", "after.1", "before.9", "during.9", "after.9"]

const beatsAt = Effect.fnUntraced(function*(nodes: Nodes.Nodes, point: string) {
  const place = Points.frozenAt(`heartbeat.${point}`)
  const b = yield* nodes.start("b")
  const a = yield* nodes.launch("a", { FREEZE_AT: place })
  if (point.endsWith(".1")) {
    yield* a.saying("freezes ")
    yield* nodes.heartbeats(8)
    yield* Oracle.works(nodes, b.url, Subjects.agent, `before-${point}`)
    yield* a.signal("SIGCONT")
    return yield* Oracle.works(nodes, yield* a.greeted, Subjects.agent, `after-${point}`)
  }
  const url = yield* a.greeted
  const runs: Array<string> = []
  const starting = Effect.forever(Effect.suspend(() => {
    const run = `beating-${runs.push("") - 1}`
    runs[runs.length - 1] = run
    return Client.attempt(() => buyer.start(url, run))
  }))
  const all = yield* Effect.forkChild(starting)
  yield* a.saying("freezes ")
  yield* Fiber.interrupt(all)
  const run = runs.at(-1)!
  yield* nodes.heartbeats(8)
  yield* Nodes.stopped(nodes, [run])
  const begun = Freezes.begun(a, run)
  yield* a.signal("SIGCONT")
  yield* nodes.heartbeats(8)
  assert.deepStrictEqual(Freezes.begun(a, run), begun, `${run}: called by a node that had lost it`)
  yield* Oracle.conclude({ nodes, url: b.url, subject: Subjects.agent, run })
  yield* Oracle.works(nodes, url, Subjects.agent, `after-${point}`)
})

const options = { everyMillis: 60 }

Tier.oneIn(4)

describe("a node that freezes for longer than its timeout in a request", () => {
  it.live("an approved run is resumed once, by a node that is there", () =>
    Freezes.throughNew("an approval", options, Tier.some(approvalPoints, 1), approvedAt))

  it.live("a cancelled run ends once, and one whose cancel was not stored completes", () =>
    Freezes.throughNew("a cancel", options, Tier.some(phases, 1), cancelledAt))

  it.live("a repeated request under an idempotency key starts no second run, and all get one answer", () =>
    Freezes.throughNew("a claim", options, Tier.some(phases, 1), claimedAt))

  it.live("a node that joins or beats late executes no run that another one has taken over", () =>
    Freezes.throughNew("a heartbeat", options, Tier.some(heartbeats, 1), beatsAt))
})
