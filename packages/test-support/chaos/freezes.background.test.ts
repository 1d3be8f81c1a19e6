// A node that stops in the middle of retention, or of its own end, for longer than NODE_TIMEOUT, and then continues
// with a clock that has jumped by four days.
import { assert, describe, it } from "@effect/vitest"
import type { ServiceProcess } from "@svc-runtime/test-support"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import * as Client from "./Client.ts"
import * as Freezes from "./Freezes.ts"
import * as Nodes from "./Nodes.ts"
import * as Oracle from "./Oracle.ts"
import * as Points from "./Points.ts"
import * as Subjects from "./Subjects.ts"

const subject = Subjects.agent
const client = Client.of(subject)

const clock = fileURLToPath(new URL("shift-clock.ts", import.meta.url))

/** The settings of a node that freezes once, two days ahead of the others. */
const freezing = (point: string) => ({
  FREEZE_AT: Points.frozenAt(point),
  CLOCK_SHIFT: "172800",
  NODE_OPTIONS: `--import=${clock}`,
  SHUTDOWN_TIMEOUT: "1 second",
  DRAIN_TIMEOUT: "1 second"
})

const continues = (node: ServiceProcess.Launched) => Effect.andThen(node.signal("SIGUSR2"), node.signal("SIGCONT"))

const points = ["sessions.during", "folds.during", "folds.after", "events.during", "journals.before", "journals.after"]

/** Executions of retention that have begun: a lost one is repeated by a job of its own, or by the same one again. */
const executions = (nodes: Nodes.Nodes) =>
  Effect.map(
    nodes.query(`
      select coalesce(sum(lease), 0)::int as begun, count(*) filter (where status = 'RUNNING')::int as running
      from svc_jobs where kind = 'retention'`),
    ([job]) => ({ begun: Number(job?.["begun"]), running: Number(job?.["running"]) })
  )

/** Waits until retention has been executed so often, or begins to be executed. No two are executed at once. */
const executed = (nodes: Nodes.Nodes, count: number) =>
  Effect.delay(executions(nodes), "50 millis").pipe(
    Effect.tap(({ running }) => Effect.sync(() => assert.isAtMost(running, 1))),
    Effect.repeat({ until: ({ begun, running }) => begun >= count && running === 0 })
  )

/** What is left of a run: it is `count` of each. */
const leftOf = (nodes: Nodes.Nodes, run: string) =>
  Effect.map(
    nodes.query(`
      select (select count(*)::int from svc_runs where run_id = r.run_id) as runs,
        (select count(*)::int from svc_run_events where run_seq = r.seq) as events,
        (select count(*)::int from svc_run_event_folds where run_seq = r.seq) as folds,
        (select count(*)::int from svc_run_journal where run_seq = r.seq) as entries
      from svc_runs r where r.run_id = '${run}'`),
    ([counts]) => counts
  )

const prunesFrozenAt = Effect.fnUntraced(function*(nodes: Nodes.Nodes, point: string) {
  const [kept, old, removed] = ["kept", "old", "removed"].map((name) => `${name}-${point}`) as [string, string, string]
  const first = yield* nodes.start("first")
  for (const run of [kept, old, removed]) yield* Client.attempt(() => Nodes.begin(client, () => first.url, run))
  yield* Nodes.stopped(nodes, [kept, old, removed])
  yield* nodes.kill("first")
  // no node executes retention now, and each one that starts executes it at once
  const { begun } = yield* executions(nodes)
  yield* nodes.query(`update svc_runs set updated_at = 1 where run_id = '${old}'`)
  yield* nodes.query(`update svc_sessions set removed_at = 1 where session_id = '${removed}'`)
  // a run that was updated in the future is never folded
  yield* nodes.query(`update svc_runs set updated_at = updated_at + 86400 where run_id = '${kept}'`)
  const before = yield* leftOf(nodes, kept)
  const a = yield* nodes.launch("a", freezing(`${point}.1`))
  yield* a.saying("freezes ")
  const b = yield* nodes.start("b")
  yield* b.saying("job(s) whose node stopped are executed again")
  yield* executed(nodes, begun + 2)
  yield* continues(a)
  yield* a.saying("A job is no longer held by this node")
  const url = yield* a.greeted
  const { events, ...others } = (yield* leftOf(nodes, old)) ?? {}
  assert.deepStrictEqual([events, others], [1, { runs: 1, folds: 0, entries: 0 }], point)
  assert.isUndefined(yield* leftOf(nodes, removed), point)
  assert.deepStrictEqual(yield* leftOf(nodes, kept), before, point)
  yield* Oracle.conclude({ nodes, url, subject, run: kept })
  yield* Oracle.works(nodes, url, subject, `after-${point}`)
  for (const name of ["a", "b"]) yield* nodes.kill(name)
})

/** In `drain` its run is still executed. */
const drainPoints = ["drain", "release.before.1", "release.during.1", "release.after.1"]

const endsFrozenAt = Effect.fnUntraced(function*(nodes: Nodes.Nodes, point: string, trial: number) {
  const run = `drained-${point}-${trial}`
  const a = yield* nodes.start("a", freezing(point))
  const b = yield* nodes.start("b")
  const until = (text: string) => Client.parse(text).length > 2
  const received = yield* Client.attempt(() => Nodes.begin(client, () => a.url, run, until))
  yield* a.signal("SIGTERM")
  if (point === "drain") {
    yield* Freezes.reached([a], "Waiting for 1 running run(s) to finish", a.ended)
    yield* a.signal("SIGSTOP")
  } else yield* a.saying("freezes ")
  yield* Nodes.stopped(nodes, [run])
  const ended = yield* leftOf(nodes, run)
  const begun = Freezes.begun(a, run)
  yield* continues(a)
  assert.strictEqual(yield* a.ended, 0, a.stdout())
  assert.deepStrictEqual(Freezes.begun(a, run), begun, `${run}: called by a node that had lost it`)
  assert.deepStrictEqual(yield* leftOf(nodes, run), ended, `${run}: changed by a node that had lost it`)
  yield* Oracle.conclude({ nodes, url: b.url, subject, run, received })
  for (const name of ["a", "b"]) yield* nodes.kill(name)
})

describe("a node that freezes for longer than its timeout, beside its runs", () => {
  it.live.each(Tier.some(
    [
      ["retention", prunesFrozenAt, Tier.some(points, 1), {}],
      ["its end", endsFrozenAt, Tier.some(drainPoints, 1), { everyMillis: 60 }]
    ] as const,
    1
  ))(
    "another node does the rest once, and nothing is lost, where a node freezes in %s",
    ([what, at, sample, options]) =>
      Effect.scoped(Effect.gen(function*() {
        const nodes = yield* Nodes.make(options)
        yield* Freezes.through(what, nodes, sample, at)
      }))
  )
})
