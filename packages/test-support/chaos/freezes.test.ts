// A node that stops in the middle of a run for longer than NODE_TIMEOUT, and then continues: a virtual machine that is
// moved, a laptop that is closed, a long collection of garbage.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import * as Client from "./Client.ts"
import * as Freezes from "./Freezes.ts"
import * as Nodes from "./Nodes.ts"
import * as Oracle from "./Oracle.ts"
import * as Points from "./Points.ts"
import * as Subjects from "./Subjects.ts"

const subject = Subjects.agent
const client = Client.of(subject)

/** The runs inside of a team's run are stored. */
const teamPoints = ["inner.before.1", "inner.during.1", "inner.after.1"]

const points = [
  "begin.during.1",
  "begin.after.1",
  "append.during.1",
  "model.before.1",
  "model.begun.1",
  "model.piece.2",
  ...[1, 2, 3, 4, 5, 6].flatMap((
    count
  ) => [`record.before.${count}`, `record.during.${count}`, `record.after.${count}`]),
  "look.before.1",
  "reserve.during.1",
  "pay.before.1",
  "pay.during.1",
  "pay.begun.1",
  "pay.end.1",
  "model.begun.2",
  "pay.before.2",
  "pay.end.2",
  "model.end.3",
  "finish.before.1",
  "finish.during.1",
  "finish.after.1"
]

/** A call that has begun, and the calls that begin with it, cannot be stopped by a look at the store. */
const isInsideOfCall = (point: string) => /^(?:look|reserve|pay)\./.test(point)

/** A run that was not stored yet when its node froze is begun when it wakes up. */
const isTaken = Effect.fnUntraced(function*(nodes: Nodes.Nodes, run: string) {
  return (yield* nodes.query(`select 1 from svc_runs where run_id = '${run}' and attempt > 1`)).length > 0
})

const frozenAt = Effect.fnUntraced(function*(
  nodes: Nodes.Nodes,
  [a, b]: readonly [a: Nodes.Node, b: Nodes.Node],
  subject: Subjects.Subject,
  point: string,
  trial: number
) {
  const client = Client.of(subject)
  const run = Points.frozenAt(point, trial)
  const asking = yield* Effect.forkChild(Client.attempt(() => client.start(a.url, run)))
  yield* Freezes.reached([a], `freezes ${run}`, Fiber.await(asking))
  // longer than the other one waits: until that has taken the run over, or there is nothing to take over
  yield* nodes.heartbeats(8)
  yield* Nodes.stopped(nodes, [run])
  const isLost = yield* isTaken(nodes, run)
  const begun = Freezes.begun(a, run)
  yield* a.signal("SIGCONT")
  const received = yield* Fiber.join(asking)
  // what it still does, it does now
  yield* nodes.heartbeats(8)
  const found = yield* Client.attempt(() => client.find(b.url, run))
  if (isLost && !isInsideOfCall(point)) {
    assert.deepStrictEqual(Freezes.begun(a, run), begun, `${run}: called by a node that had lost it`)
  }
  if (found === undefined) {
    assert.deepStrictEqual(Client.parse(received.text), [], `${run}: lost`)
    assert.deepStrictEqual(nodes.ledger.of(run), [], `${run}: effects of a run that never was`)
    return "refused"
  }
  if (found.status === "CANCELLED" && received.status === 503) {
    assert.deepStrictEqual(nodes.ledger.of(run), [], `${run}: effects of a run that was refused`)
    return "refused"
  }
  return yield* Oracle.conclude({ nodes, url: b.url, subject, run, received })
})

Tier.oneIn(3)

describe("two nodes, of which one freezes for longer than its timeout", () => {
  it.live("two nodes lose no run and do nothing twice, and the one that wakes up does nothing for a run that it has lost", () =>
    Effect.scoped(Effect.gen(function*() {
      const nodes = yield* Nodes.make()
      const [a, b] = [yield* nodes.start("a"), yield* nodes.start("b")]
      // the next point needs it
      const at = (subject: Subjects.Subject) => (_: Nodes.Nodes, point: string, trial: number) =>
        Effect.ensuring(frozenAt(nodes, [a, b], subject, point, trial), a.signal("SIGCONT"))
      yield* Freezes.through("a run", nodes, Tier.some(points, 1), at(Subjects.agent))
      yield* Freezes.through("a team", nodes, Tier.some(teamPoints, 1), at(Subjects.team))
      yield* Oracle.works(nodes, a.url, subject, "after")
    })))
})

/** In the attempt of the node that takes a run over. */
const takeoverPoints = ["taken.after.1", "load.after.1", "record.before.1", "record.during.1", "finish.before.1"]

const takeoverFrozenAt = Effect.fnUntraced(function*(nodes: Nodes.Nodes, point: string, trial: number) {
  const [a, b, c] = [yield* nodes.start("a"), yield* nodes.start("b"), yield* nodes.start("c")]
  const run = Points.frozenIn([[1, "record.after.2"], [2, point]], trial)
  const asking = yield* Effect.forkChild(Client.attempt(() => client.start(a.url, run)))
  const stopped = Nodes.stopped(nodes, [run])
  yield* Freezes.reached([a], `freezes ${run}`, Fiber.await(asking))
  const frozen = yield* Freezes.reached([b, c], `freezes ${run}`, stopped)
  const third = frozen === b ? c : b
  yield* stopped
  const begun = [a, frozen].map((node) => Freezes.begun(node, run))
  for (const node of [a, frozen]) yield* node.signal("SIGCONT")
  const received = yield* Fiber.join(asking)
  // what they still do, they do now
  yield* nodes.heartbeats(12)
  const since = [a, frozen].map((node) => Freezes.begun(node, run))
  assert.deepStrictEqual(since, begun, `${run}: called by a node that had lost it`)
  yield* Oracle.conclude({ nodes, url: third.url, subject, run, received })
  yield* Oracle.works(nodes, frozen.url, subject, `after-${point}`)
})

describe("three nodes, of which two freeze, one after the other, in one run", () => {
  it.live("the third node takes the run over, and the nodes that wake up do nothing for it", () =>
    Effect.scoped(Effect.gen(function*() {
      const nodes = yield* Nodes.make()
      yield* Freezes.through("a takeover", nodes, Tier.some(takeoverPoints, 1), takeoverFrozenAt)
    })))
})

const jobPoints = [
  "acquire.after.1",
  "reserve.before.1",
  "reserve.during.1",
  "reserve.end.1",
  "finish.before.1",
  "finish.during.1",
  "finish.after.1"
]

const endOf = (nodes: Nodes.Nodes, id: string) =>
  nodes.query(`select status, attempts, updated_at::text from svc_jobs where id = '${id}'`).pipe(
    Effect.tap(() => Effect.sleep("50 millis")),
    Effect.repeat({ until: ([job]) => job?.["status"] === "COMPLETED" || job?.["status"] === "FAILED" })
  )

const jobFrozenAt = Effect.fnUntraced(function*(
  nodes: Nodes.Nodes,
  all: ReadonlyArray<Nodes.Node>,
  point: string,
  trial: number
) {
  const id = Points.frozenAt(point, trial)
  yield* nodes.query(
    `insert into svc_jobs (id, kind, status, payload, max_attempts, is_due, turn, run_at)
      values ('${id}', 'delivery', 'PENDING', '{"run":"${id}"}', 5, true, 0, now())`
  )
  const frozen = yield* Freezes.reached(all, `freezes ${id}`, endOf(nodes, id))
  yield* nodes.heartbeats(8)
  const before = yield* endOf(nodes, id)
  assert.strictEqual(before[0]?.["status"], "COMPLETED", id)
  yield* frozen.signal("SIGCONT")
  // what it still does, it does now
  yield* nodes.heartbeats(8)
  assert.deepStrictEqual(yield* endOf(nodes, id), before, `${id}: its end was changed by a node that had lost it`)
  assert.deepStrictEqual([...new Set(nodes.ledger.of(id).map(({ key }) => key))], [id], id)
})

describe("two nodes, of which one freezes while it executes a job", () => {
  it.live.runIf(Tier.isWhole)(
    "the other node completes the job, and the one that wakes up changes nothing of it and executes other jobs",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const nodes = yield* Nodes.make()
        const all = [yield* nodes.start("a"), yield* nodes.start("b")]
        const wakeUp = Effect.forEach(all, (node) => node.signal("SIGCONT"))
        yield* Freezes.through(
          "a job",
          nodes,
          Tier.some(jobPoints, 1),
          (_, point, trial) => Effect.ensuring(jobFrozenAt(nodes, all, point, trial), wakeUp)
        )
      }))
  )
})
