// What has to be so of a run in whatever befell its node: it is not lost and not stuck, nothing that must be done once
// was done twice without a person having asked for it, it claims nothing that did not happen, and it has shown nothing
// that is not stored.
import { assert } from "@effect/vitest"
import type * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import { Effect } from "effect"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Operator from "./Operator.ts"
import * as Progress from "./Progress.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import type { Subject } from "./Subjects.ts"

export interface Case {
  readonly nodes: Nodes.Nodes
  /** Where to ask. */
  readonly url: string
  readonly subject: Subject
  readonly run: string
  readonly received?: ServiceClient.Received | undefined
}

const checkEffects = ({ nodes: { ledger }, run, subject }: Case, content: string) => {
  const calls = ledger.of(run)
  const paid = calls.filter(({ tool }) => tool === "pay").map(({ key }) => key)
  assert.deepStrictEqual(paid.filter((key, index) => paid.indexOf(key) !== index), [], `${run}: paid twice`)
  const keys = new Set(calls.map(({ key }) => key))
  assert.strictEqual(keys.size, subject.effects.length, `${run}: each effect of it, under one key`)
  const receipts = calls.map(({ receipt }) => receipt)
  assert.includeMembers(receipts, [...SideEffectLog.receiptsIn(content)], `${run}: it claims what did not happen`)
  assert.strictEqual(SideEffectLog.receiptsIn(content).length, subject.effects.length, `${run}: ${content}`)
}

const checkEvents = (run: string, received: ServiceClient.Received | undefined, kept: ServiceClient.Received) => {
  assert.isTrue(kept.isWhole, `${run}: its stream ends`)
  const all = Client.parse(kept.text)
  assert.deepStrictEqual(all.map(({ index }) => index), all.map((_, index) => index), `${run}: no gap, no repeat`)
  const shown = received === undefined ? [] : Client.parse(received.text)
  Client.checkShown(shown, all, `${run}: what was shown is not taken back`)
}

/** Answers what the run asks, truthfully, until it has ended as it should. */
const concluded = Effect.fnUntraced(function*(that: Case) {
  const { received, nodes, run, subject, url } = that
  const client = Client.of(subject)
  yield* Nodes.stopped(nodes, [run])
  const first = yield* Client.attempt(() => client.find(url, run))
  assert.isDefined(first, `${run}: lost`)
  yield* Operator.answer({ subject, ledger: nodes.ledger, url, run, unknown: [] })
  yield* Nodes.stopped(nodes, [run])
  const output = (yield* Client.attempt(() => client.find(url, run)))!
  assert.strictEqual(output.status, "COMPLETED", `${run}: ${output.content}`)
  checkEffects(that, output.content)
  checkEvents(run, received, yield* Client.attempt(() => client.watch(url, run)))
  return first!.status
})

/** Gives how the run has come to a stop by itself. */
export const conclude = (that: Case) => Progress.watched(that.run, that.nodes.signs, concluded(that))

/** A run that begins now comes to its end: the node is in order again. */
export const works = Effect.fnUntraced(function*(nodes: Nodes.Nodes, url: string, subject: Subject, run: string) {
  const client = Client.of(subject)
  const received = yield* Progress.watched(run, nodes.signs, Client.attempt(() => Nodes.begin(client, () => url, run)))
  return yield* conclude({ nodes, url, subject, run, received })
})

/** The node beats, and takes over what another one leaves: it executes one run of which the other one is killed. */
export const takesOver = Effect.fnUntraced(function*(
  nodes: Nodes.Nodes,
  from: { readonly name: string; readonly url: string },
  to: { readonly url: string },
  subject: Subject,
  run: string
) {
  const client = Client.of(subject)
  const until = (text: string) => Client.parse(text).length > 0
  const started = Effect.gen(function*() {
    const received = yield* Client.attempt(() => Nodes.begin(client, () => from.url, run, until))
    yield* nodes.kill(from.name)
    return received
  })
  const received = yield* Progress.watched(run, nodes.signs, started)
  return yield* conclude({ nodes, url: to.url, subject, run, received })
})
