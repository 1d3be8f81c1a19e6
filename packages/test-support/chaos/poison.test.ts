// Rows that cannot be read any more: damaged, written by another version, too large. The run that they belong
// to may be lost to them; nothing else is.
import { assert, describe, it } from "@effect/vitest"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Oracle from "./Oracle.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"
import * as Tasks from "./Tasks.ts"

const subject = Subjects.agent
const client = Client.of(subject)

const seq = (run: string) => `(select seq from svc_runs where run_id = '${run}')`
const journal = (body: string) => (run: string) =>
  `update svc_run_journal set body = ${body} where run_seq = ${seq(run)} and position = 0`
const row = (change: string) => (run: string) => `update svc_runs set ${change} where run_id = '${run}'`

/** Beyond what the driver takes in one message. */
const large = "json_build_object('kind', 'answered', 'call', 0, 'pad', repeat('x', 140000000))"

const poisons: ReadonlyArray<readonly [name: string, statement: (run: string) => string]> = [
  ["journal-of-another-kind", journal(`'{"kind":"nonsense"}'`)],
  ["journal-that-is-a-number", journal("'3'")],
  ["journal-too-large", journal(large)],
  ["journal-too-deep", journal("(repeat('[', 5000) || repeat(']', 5000))::json")],
  ["output-that-is-empty", row("output = '{}'")],
  ["output-that-is-a-text", row(`output = '"text"'`)],
  ["output-too-large", row("output = (output::jsonb || jsonb_build_object('pad', repeat('x', 140000000)))::json")],
  ["command-that-is-empty", row("command = null")],
  ["command-without-options", row(`command = '{"options":3}'`)],
  ["command-of-a-newer-version", row(`command = '{"v":1000,"options":3}'`)],
  ["event-that-is-a-number", (run) => `update svc_run_events set body = '3' where run_seq = ${seq(run)}`],
  ["message-that-is-a-number", (run) =>
    `insert into svc_messages (run_seq, position, role, from_history, body)
      values (${seq(run)}, 1000, 'user', false, '3')`],
  ["history-that-is-too-long", row("history_runs = 2147483647")]
]

/** It waits for a node that can read it, and so does its session. No other run waits. */
const isLeft = (run: string) => run === "poison-command-of-a-newer-version"

/** Slow enough that all of them are found in the middle. */
const everyMillis = 250

/** Begins them all on a node and kills it when each has an entry in its journal. */
const cutOff = Effect.fnUntraced(function*(nodes: Nodes.Nodes, runs: ReadonlyArray<string>) {
  const { url } = yield* nodes.start("a")
  const until = (text: string) => Client.parse(text).length > 0
  yield* Effect.forEach(
    runs,
    (run) => Client.attempt(() => Nodes.begin(client, () => url, run, until)),
    { concurrency: "unbounded" }
  )
  const begun = `select count(distinct run_seq)::int as count from svc_run_journal`
  while ((yield* nodes.query(begun))[0]?.["count"] !== runs.length) yield* Effect.sleep("50 millis")
  yield* nodes.kill("a")
})

/** Another run in the session of one that was damaged. */
const inSession = (base: string, session: string) => {
  const run = `${session}-next`
  const body = new URLSearchParams({
    message: Tasks.tell("Pay", run),
    run_id: run,
    session_id: session,
    stream: "false"
  })
  const send = () => ServiceClient.send(`${base}${subject.path}/runs`, { init: { method: "POST", body } })
  return Effect.map(Client.attempt(() => ServiceClient.whileRefused(send)), ({ status, text }) => {
    assert.strictEqual(status, 200, `a run after ${session}: ${text}`)
    return JSON.parse(text) as Client.Output
  })
}

const checked = Effect.fnUntraced(function*(
  nodes: Nodes.Nodes,
  url: string,
  poisoned: ReadonlyArray<string>,
  innocents: ReadonlyArray<string>
) {
  for (const run of innocents) yield* Oracle.conclude({ nodes, url, subject, run })
  yield* Progress.watched("the damaged runs", nodes.signs, Nodes.stopped(nodes, poisoned.filter((run) => !isLeft(run))))
  const fates = yield* nodes.query(
    `select run_id, status, attempt from svc_runs where run_id like 'poison-%' and run_id not like '%-next' order by seq`
  )
  process.stdout.write(`damaged: ${fates.map((fate) => Object.values(fate).join(" ")).join(", ")}\n`)
  for (const { attempt, run_id } of fates) {
    assert.isAtMost(Number(attempt), 10, `${String(run_id)}: taken over again and again`)
  }
  for (const { run_id, status } of fates) {
    if (isLeft(String(run_id))) {
      assert.strictEqual(status, "RUNNING", `${String(run_id)}: ended by a node that cannot read it`)
    }
  }
  for (const run of poisoned) {
    const paid = nodes.ledger.of(run).filter(({ tool }) => tool === "pay").map(({ key }) => key)
    assert.strictEqual(new Set(paid).size, paid.length, `${run}: paid twice`)
    if (isLeft(run)) continue
    const next = yield* Progress.watched(`after ${run}`, nodes.signs, inSession(url, run))
    assert.strictEqual(next.status, "COMPLETED", `a run after ${run}: ${JSON.stringify(next)}`)
  }
  yield* Oracle.works(nodes, url, subject, "after")
})

const settings = Effect.gen(function*() {
  const nodes = yield* Nodes.make({ everyMillis })
  const chosen = Tier.some(poisons, 1)
  const innocents = Array.from({ length: 5 }, (_, index) => `innocent-${index}`)
  const poisoned = chosen.map(([name]) => `poison-${name}`)
  const damage = Effect.forEach(chosen, ([name, statement]) => nodes.query(statement(`poison-${name}`)))
  return { nodes, innocents, poisoned, damage }
})

Tier.oneIn(2)

describe("runs whose rows are damaged while their node is down", () => {
  it.live("a damaged run neither keeps the service from starting nor other runs from ending", () =>
    Effect.scoped(Effect.gen(function*() {
      const { damage, innocents, nodes, poisoned } = yield* settings
      yield* Progress.watched("beginning", nodes.signs, cutOff(nodes, [...poisoned, ...innocents]))
      yield* damage
      const { url } = yield* nodes.start("a")
      yield* checked(nodes, url, poisoned, innocents)
    })))

  it.live("a damaged run does not keep another node from taking over the runs beside it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { damage, innocents, nodes, poisoned } = yield* settings
      yield* Progress.watched("beginning", nodes.signs, cutOff(nodes, [...poisoned, ...innocents]))
      yield* damage
      const { url } = yield* nodes.start("b")
      yield* checked(nodes, url, poisoned, innocents)
    })))
})
