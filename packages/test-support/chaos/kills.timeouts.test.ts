// A node is killed while the time limits of runs, and of calls of components, are running and have just passed.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"

/** So many of each subject. */
const least = 8
const last = ["RunCompleted", "RunPaused", "RunError", "RunCancelled"]

const subjects = [
  { name: "limited", subject: Subjects.limited, status: "ERROR", inner: [], says: /reached its time limit of 3s/ },
  { name: "patient", subject: Subjects.patient, status: "COMPLETED", inner: ["CANCELLED"], says: /^I have/ }
]

const batch = (index: number) => subjects.map((each) => ({ ...each, run: `timeout-${each.name}-${index}` }))
type Run = ReturnType<typeof batch>[number]

const sessions = `session_id like 'timeout-%'`

/** One after the other, until the first has ended and the last ones run: each has used another part of its time. */
const begun = Effect.fnUntraced(function*(nodes: Nodes.Nodes, url: string) {
  const until = (text: string) => Client.parse(text).length > 0
  const all: Array<Run> = []
  for (let index = 0;; index++) {
    const last = batch(index)
    all.push(...last)
    yield* Effect.forEach(
      last,
      ({ run, subject }) => Client.attempt(() => Nodes.begin(Client.of(subject), () => url, run, until)),
      { concurrency: "unbounded" }
    )
    const rows = yield* nodes.query(`select run_id, status from svc_runs where ${sessions}`)
    const isEnded = rows.some(({ status }) => status === "ERROR" || status === "COMPLETED")
    const running = rows.filter(({ run_id, status }) => status === "RUNNING" && last.some(({ run }) => run === run_id))
    if (index + 1 >= least && isEnded && running.length === last.length) return all
    yield* Effect.sleep("400 millis")
  }
})

const ends = ({ query }: Nodes.Nodes) =>
  query(`select run_id, status, attempt, updated_at from svc_runs where ${sessions} order by run_id`)

describe("a node that is killed while time limits of components are running", () => {
  it.live("each run has one end, which is that of its time limit, and no run is left behind", () =>
    Effect.scoped(Effect.gen(function*() {
      const nodes = yield* Nodes.make()
      const a = yield* nodes.start("a")
      const all = yield* Progress.watched("begun", nodes.signs, begun(nodes, a.url))
      yield* nodes.kill("a")
      const b = yield* nodes.start("b")
      yield* Progress.watched("ended", nodes.signs, Nodes.stopped(nodes, all.map(({ run }) => run)))
      const before = yield* ends(nodes)
      assert.isTrue(before.some(({ attempt }) => Number(attempt) > 1), "some runs are taken over")
      for (const { inner, run, says, status, subject } of all) {
        const client = Client.of(subject)
        const output = yield* Client.attempt(() => client.find(b.url, run))
        assert.strictEqual(output?.status, status, run)
        assert.match(output?.content ?? "", says, run)
        const events = Client.parse((yield* Client.attempt(() => client.watch(b.url, run))).text)
        assert.deepStrictEqual(events.map(({ index }) => index), events.map((_, index) => index), run)
        assert.lengthOf(events.filter(({ kind }) => last.includes(kind)), 1, run)
        assert.include(last, events.at(-1)?.kind, run)
        const { runs } = yield* Client.attempt(() => client.session(b.url, run))
        const others = runs.filter(({ run_id }) => run_id !== run)
        assert.lengthOf(runs, 1 + others.length, run)
        assert.deepStrictEqual(others.map((each) => each.status), inner, run)
      }
      // what still runs would end now
      yield* nodes.heartbeats(16)
      assert.deepStrictEqual(yield* ends(nodes), before)
    })))
})
