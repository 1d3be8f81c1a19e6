// What has to be so of a run whose service was killed and started again: it has ended or asks what only a person can
// know, it has done nothing twice and left nothing out, and it tells the truth about it.
import { assert } from "@effect/vitest"
import type { ServiceProcess } from "@svc-runtime/test-support"
import type * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import { Effect } from "effect"
import * as Client from "./Client.ts"
import * as Journal from "./Journal.ts"
import * as Operator from "./Operator.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import type { Subject } from "./Subjects.ts"

export interface Started extends ServiceProcess.ServiceProcess {
  readonly startedAt: number
}

export interface Case {
  readonly subject: Subject
  readonly ledger: SideEffectLog.Ledger
  readonly run: string
  /** The processes that resumed it, in their order. */
  readonly services: ReadonlyArray<Started>
  /** What was shown before the first of them was there. */
  readonly received: ServiceClient.Received
  /** The calls that a person decided meanwhile, and those left out. */
  readonly decisions?: { readonly effects: ReadonlyArray<string>; readonly left: ReadonlyArray<string> } | undefined
}

/** The stored run as the last process that resumed it found it. Undefined when none did. */
const takenIn = (services: ReadonlyArray<Started>, run: string): Journal.Taken | undefined =>
  services.flatMap(({ stdout }) => stdout().split("\n"))
    .filter((line) => line.startsWith("taken "))
    .map((line) => JSON.parse(line.slice("taken ".length)) as Journal.Taken)
    .findLast(({ run_id }) => run_id === run)

/**
 * The effects of a run with an unknown outcome, as its last process has them. A process that had nothing to resume
 * found the run as it was left.
 */
export const unknownIn = ({ run, decisions, services }: Case, status: string): ReadonlyArray<string> => {
  const last = takenIn(services.slice(-1), run)
  if (last !== undefined) return Journal.unknownIn(last)
  return decisions !== undefined && status !== "PAUSED" ? [] : Journal.unknownIn(takenIn(services, run))
}

const repeated = (keys: ReadonlyArray<string>) => keys.filter((key, index) => keys.indexOf(key) !== index)

const runsIn = (run: Client.Output): ReadonlyArray<Client.Output> => {
  const { member_responses = [], step_executor_runs = [] } = run
  return [run, ...[...member_responses, ...step_executor_runs].flatMap(runsIn)]
}

/** Nothing has happened twice that must not, and nothing is claimed that has not happened. */
const checkEffects = ({ ledger, run, subject }: Case, output: Client.Output) => {
  const calls = ledger.of(run)
  const once = calls.filter(({ tool }) => tool === "pay").map(({ key }) => key)
  assert.deepStrictEqual(repeated(once), [], `${run}: paid twice`)
  for (const name of ["look", "reserve", "pay"] as const) {
    const keys = new Set(calls.filter(({ tool }) => tool === name).map(({ key }) => key))
    const most = subject.effects.filter((effect) => effect === name).length
    assert.isAtMost(keys.size, most, `${run}: ${name} under an id of its own`)
  }
  for (const { run_id, tools = [] } of runsIn(output)) {
    for (const tool of tools) {
      if (tool.result === null || !["look", "reserve", "pay"].includes(tool.tool_name)) continue
      const made = calls.filter(({ key }) => key === Operator.effectOf(run_id, tool)).map(({ receipt }) => receipt)
      assert.include(made, tool.result, `${run}: ${tool.tool_call_id} claims what did not happen`)
    }
  }
  const claimed = SideEffectLog.receiptsIn(JSON.stringify(output))
  assert.includeMembers(calls.map(({ receipt }) => receipt), [...claimed], `${run}: it claims what did not happen`)
}

/**
 * Everything has happened, in a run that is there, and the answer says so of all but what a person had it pass over.
 */
const checkCompleted = ({ ledger, run, subject }: Case, output: Client.Output, left: ReadonlySet<string>) => {
  assert.strictEqual(output.status, "COMPLETED", `${run}: stuck`)
  const keys = [...new Set(ledger.of(run).map(({ key }) => key))]
  assert.strictEqual(keys.length, subject.effects.length, `${run}: something was left out`)
  assert.strictEqual(
    SideEffectLog.receiptsIn(output.content).length,
    keys.length - left.size,
    `${run}: ${output.content}`
  )
  const runs = runsIn(output)
  for (const { run_id, status } of runs) assert.strictEqual(status, "COMPLETED", `${run}: ${run_id} inside of it`)
  const owners = new Set(keys.map((key) => /^(.*?)(?:\/.*|\.\d+\.\d+)$/.exec(key)![1]!))
  assert.includeMembers(runs.map(({ run_id }) => run_id), [...owners], `${run}: done in an unknown run`)
}

/**
 * The runs of the agents and teams in it are runs of its session, each of them once, and their cost counts once.
 */
const checkSession = ({ run, subject }: Case, output: Client.Output, { runs, tokens }: Client.Session) => {
  const cost = runsIn(output).reduce((sum, { metrics }) => sum + (metrics?.total_tokens ?? 0), 0)
  assert.strictEqual(cost, subject.tokens, `${run}: what it has cost`)
  // the session of a workflow does not say
  if (!subject.path.startsWith("/workflows/")) assert.strictEqual(tokens, cost, `${run}: what its session has cost`)
  const inner = (output.member_responses ?? []).flatMap(runsIn).map(({ run_id }) => run_id)
  assert.sameMembers(runs.map(({ run_id }) => run_id), [run, ...inner], `${run}: the runs of its session`)
  for (const { run_id, status } of runs) assert.strictEqual(status, "COMPLETED", `${run}: ${run_id} as kept`)
}

/** What was shown before is part of what is kept, and that has no gaps. */
const checkEvents = (run: string, received: ServiceClient.Received, kept: ServiceClient.Received) => {
  assert.isTrue(kept.isWhole, `${run}: its stream ends`)
  const all = Client.parse(kept.text)
  assert.deepStrictEqual(all.map(({ index }) => index), all.map((_, index) => index), `${run}: no gap, no repeat`)
  const shown = Client.parse(received.text)
  Client.checkShown(shown, all, `${run}: what was shown is not taken back`)
}

/** No call, and no step that is executed once, began before its intent was stored. */
const checkIntents = ({ ledger, run, services: [first] }: Case) => {
  const taken = first === undefined ? undefined : takenIn([first], run)
  if (first === undefined || taken === undefined) return
  const made = ledger.of(run)
    .filter(({ at, key, tool }) => at < first.startedAt && (tool === "pay" || !key.includes("/")))
    .map(({ key }) => key)
  assert.includeMembers(Journal.effectsIn(taken).map(({ id }) => id), made, `${run}: a call before it was written down`)
}

/** With the decisions of an informed person the run ends. It asks for those decisions, and for nothing else. */
const checkEnd = Effect.fnUntraced(function*(that: Case, unknown: ReadonlyArray<string>, kept: ServiceClient.Received) {
  const { ledger, run, decisions, services, subject } = that
  const { url } = services.at(-1)!
  const client = Client.of(subject)
  const end = yield* Operator.answer({ subject, ledger, url, run, unknown })
  // a run that was found as it was left may have received what was decisions before, or not
  const before = takenIn(services.slice(-1), run) === undefined ? decisions?.effects ?? [] : []
  const expected = new Set([...unknown, ...before])
  assert.sameMembers(
    [...new Set([...end.effects, ...before])],
    [...expected],
    `${run}: it asks for the unknown outcomes`
  )
  checkEvents(run, kept, yield* Client.attempt(() => client.watch(url, run)))
  const output = (yield* Client.attempt(() => client.find(url, run)))!
  checkEffects(that, output)
  checkCompleted(that, output, new Set([...decisions?.left ?? [], ...end.left]))
  checkSession(that, output, yield* Client.attempt(() => client.session(url, run)))
})

/** Gives how the run has come to a stop by itself. Undefined when it was never accepted. */
export const check = Effect.fnUntraced(function*(that: Case) {
  const { received, ledger, run, services, subject } = that
  const { url } = services.at(-1)!
  const client = Client.of(subject)
  if ((yield* Client.attempt(() => client.find(url, run))) === undefined) {
    assert.deepStrictEqual(Client.parse(received.text), [], `${run}: lost`)
    assert.deepStrictEqual(ledger.of(run), [], `${run}: effects of a run that never was`)
    return undefined
  }
  const kept = yield* Client.attempt(() => client.watch(url, run))
  checkEvents(run, received, kept)
  const output = (yield* Client.attempt(() => client.find(url, run)))!
  const unknown = unknownIn(that, output.status)
  assert.strictEqual(output.status, unknown.length > 0 ? "PAUSED" : "COMPLETED", run)
  checkIntents(that)
  checkEffects(that, output)
  yield* checkEnd(that, unknown, kept)
  return output.status
})
