// The lease of a run: the node that acquired it last holds it, and no other node can write into the run.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type { Acquired, KnownNode } from "@svc-runtime/engine/node/LeasedRuns"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import * as Tier from "../../Tier.ts"
import { ending, events, newId, newRun, presence, talk } from "../Samples.ts"
import { begin } from "./begin.ts"

const anyone = { owner: Owner.anyone }

const statusOf = ({ run_id, session_id }: NewRun) =>
  RunStore.use((runs) =>
    Effect.map(Effect.flatMap(runs.find(session_id, run_id, anyone), Effect.fromOption), ({ status }) => status)
  )

const quiet = { limit: 100 }

/** Sends a heartbeat, and reads what is known of the node then. */
const beat = Effect.fnUntraced(function*(node: string, maxGap = 30) {
  const runs = yield* RunStore
  yield* runs.heartbeat(presence(node, { maxGap }))
  return yield* Effect.fromNullishOr((yield* runs.nodes).find((each) => each.node === node))
})

export const runLeases = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a node that starts again acquires the runs that it was executing, and no others", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [node, otherNode] = [newId("node"), newId("node")]
      const [one, two, done] = [yield* begin({ node }), yield* begin({ node }), yield* begin({ node })]
      yield* begin({ node: otherNode })
      yield* runs.finish(ending(done))
      yield* runs.record({ run_id: one.run_id, attempt: 1, position: 0, entry: { step: 1 }, events: events(one, 0) })
      const taken = yield* runs.takeOver({ node, isStarting: true, ...quiet })
      assert.deepStrictEqual(taken.map(({ run_id }) => run_id), [one.run_id, two.run_id])
      assert.deepInclude(taken[0], { attempt: 2, eventCount: 3, status: "RUNNING", component_id: one.component_id })
      const loaded = yield* Effect.flatMap(runs.load(taken[0]!), Effect.fromOption)
      assert.deepInclude(loaded, { attempt: 2, entries: [{ step: 1 }], eventCount: 3, status: "RUNNING" })
      assert.deepStrictEqual(yield* runs.takeOver({ node, isStarting: false, ...quiet }), [])
    }))

  it.effect("many runs are taken over in portions", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const all = yield* Effect.forEach(Array.from({ length: 5 }), () => begin({ node }))
      const portion = runs.takeOver({ node, isStarting: true, limit: 3 })
      assert.deepStrictEqual((yield* portion).map(({ run_id }) => run_id), all.slice(0, 3).map(({ run_id }) => run_id))
    }))

  it.effect("a run is acquired by one of many nodes", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const all = yield* Effect.forEach(Array.from({ length: 10 }), () => begin({ node }))
      yield* runs.release(node)
      const others = Array.from({ length: 5 }, () => newId("node"))
      const taken = yield* Effect.forEach(
        others,
        (other) => runs.takeOver({ node: other, isStarting: false, ...quiet }),
        { concurrency: "unbounded" }
      )
      const wanted = new Set(all.map(({ run_id }) => run_id))
      const ids = taken.flat().map(({ run_id }) => run_id).filter((id) => wanted.has(id))
      assert.strictEqual(ids.length, all.length)
      assert.strictEqual(new Set(ids).size, all.length)
    }))

  it.effect("the runs of a node without heartbeats are taken over, and those of a living one are not", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [silent, alive, own] = [newId("node"), newId("node"), newId("node")]
      const lost = yield* begin({ node: silent })
      const kept = yield* begin({ node: alive })
      yield* runs.heartbeat(presence(silent))
      yield* runs.heartbeat(presence(alive))
      const taken = yield* runs.takeOver({ node: own, isStarting: false, isSteady: true, limit: 1000 })
      assert.notIncludeMembers(taken.map(({ run_id }) => run_id), [lost.run_id, kept.run_id])
      // a moment that is shorter than any between two statements
      const gone = yield* runs.takeOver({ node: own, isStarting: false, dead: "every", limit: 1000 })
      assert.includeMembers(gone.map(({ run_id }) => run_id), [lost.run_id, kept.run_id])
    }))

  it.effect("a silent node that has sent a heartbeat since it was judged keeps its runs", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const { run_id } = yield* begin({ node })
      const takeOver = ({ seenAt }: KnownNode) =>
        Effect.map(
          runs.takeOver({ node: newId("node"), isStarting: false, dead: [{ node, seenAt }], limit: 1000 }),
          (taken) => taken.some((each) => each.run_id === run_id)
        )
      const judged = yield* beat(node)
      const later = yield* Effect.repeat(beat(node), { until: ({ seenAt }) => seenAt !== judged.seenAt })
      assert.isFalse(yield* takeOver(judged))
      assert.isTrue(yield* takeOver(later))
    }))

  it.effect("a node is steady since its first heartbeat, and after a gap since the heartbeat that ends the gap", () =>
    Effect.gen(function*() {
      const node = newId("node")
      // until the time between two heartbeats can be measured
      const steadyAtLast = Effect.fnUntraced(function*(maxGap: number, isEnough: (micros: number) => boolean) {
        for (;;) {
          const { silentFor, steadyFor } = yield* beat(node, maxGap)
          const micros = Math.round((steadyFor - silentFor) * 1e6)
          if (isEnough(micros)) return micros
        }
      })
      assert.strictEqual(yield* steadyAtLast(30, () => true), 0)
      const first = yield* steadyAtLast(30, (micros) => micros > 0)
      yield* steadyAtLast(30, (micros) => micros > first)
      // no two statements are so close
      assert.strictEqual(yield* steadyAtLast(-1, () => true), 0)
      yield* steadyAtLast(30, (micros) => micros > 0)
    }))

  it.effect("a node that acquires its own run again, because it does not know that it has it, counts no takeover", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const { run_id } = yield* begin({ node })
      const taken = yield* runs.takeOver({ node, isStarting: true, ...quiet })
      assert.deepInclude(taken.find((each) => each.run_id === run_id), { attempt: 2, takeovers: 0 })
    }))

  it.effect("a node that has lost a run cannot write into it", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const begun = yield* begin({ node })
      const { run_id } = begun
      yield* runs.takeOver({ node, isStarting: true, ...quiet })
      const happened = events(begun, 1)
      assert.isFalse(yield* runs.record({ run_id, attempt: 1, position: 0, entry: { late: true }, events: happened }))
      assert.deepStrictEqual(yield* runs.appendEvents([{ run_id, attempt: 1, events: happened }]), [])
      yield* runs.finish(ending(begun))
      assert.strictEqual(yield* statusOf(begun), "RUNNING")
      assert.deepStrictEqual(
        yield* runs.appendEvents([{ run_id, attempt: 1, events: happened }, { run_id, attempt: 2, events: happened }]),
        [{ run_id, attempt: 2 }],
        "one process may have it under both"
      )
      assert.isTrue(yield* runs.record({ run_id, attempt: 2, position: 0, entry: { late: false }, events: [] }))
      yield* runs.finish({ ...ending(begun), attempt: 2 })
      assert.strictEqual(yield* statusOf(begun), "COMPLETED")
    }))

  it.effect("entries that were stored before a takeover are taken over with the run", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      // at one and the same moment, as often as it takes for each of them to have been the first
      for (let round = 0; round < Tier.size(20, 60); round++) {
        const [node, other] = [newId("node"), newId("node")]
        const { run_id } = yield* begin({ node })
        yield* runs.heartbeat(presence(node))
        const record = runs.record({ run_id, attempt: 1, position: 0, entry: { step: 1 }, events: [] })
        const take = runs.takeOver({ node: other, isStarting: false, dead: "every", limit: 1000 })
        const isFirst = round % 2 === 0
        const [one, two] = yield* Effect.all(isFirst ? [record, take] : [take, record], { concurrency: 2 })
        const [isRecorded, taken] = isFirst ? [one, two] : [two, one]
        const found = (taken as ReadonlyArray<Acquired>).find((acquired) => acquired.run_id === run_id)
        if (found === undefined || isRecorded !== true) continue
        const { entries } = yield* Effect.flatMap(runs.load(found), Effect.fromOption)
        assert.deepStrictEqual(entries, [{ step: 1 }])
      }
    }))

  it.effect("a node can tell the runs that it executes from runs that it was given and does not know", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const [known, unknown] = [yield* begin({ node }), yield* begin({ node })]
      const taken = yield* runs.takeOver({ node, isStarting: true, except: [known.run_id], ...quiet })
      assert.deepStrictEqual(taken.map(({ run_id }) => run_id), [unknown.run_id])
    }))

  it.effect("a node that ends a run learns whether it held the lease", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const begun = yield* begin({ node })
      yield* runs.takeOver({ node, isStarting: true, ...quiet })
      assert.isFalse(yield* runs.finish(ending(begun)))
      assert.isTrue(yield* runs.finish({ ...ending(begun), attempt: 2 }))
      assert.isTrue(yield* runs.finish({ ...ending(begun), attempt: 2 }), "sent again")
      assert.isFalse(yield* runs.finish(ending(begun)), "by another one, too late")
      assert.isTrue(yield* runs.finish(ending(newRun())), "there is no such run any more")
    }))

  it.effect("a paused or failed run is continued by the first caller, and no other run is", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      for (const status of ["PAUSED", "ERROR"] as const) {
        const begun = yield* begin()
        const resume = runs.resume({ run_id: begun.run_id, attempt: 1, node: "other", entry: { decision: "yes" } })
        assert.isTrue(Option.isNone(yield* resume), "it is running")
        yield* runs.finish(ending(begun, { run: { status } }))
        const answers = yield* Effect.all([resume, resume, resume], { concurrency: "unbounded" })
        assert.deepStrictEqual(answers.flatMap(Option.toArray), [2])
        assert.strictEqual(yield* statusOf(begun), "RUNNING")
        const found = yield* Effect.flatMap(runs.snapshot(begun.session_id, begun.run_id, anyone), Effect.fromOption)
        assert.deepStrictEqual(found.entries, [{ decision: "yes" }])
        yield* runs.finish({ ...ending(begun), attempt: 2 })
        assert.isTrue(Option.isNone(yield* runs.resume({ ...begun, attempt: 2, entry: undefined })), "it has ended")
      }
    }))

  it.effect("a run knows how many entries it had when it was last resumed, also when it is taken over", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin()
      const { run_id, session_id } = begun
      const resumedAt = Effect.map(
        Effect.flatMap(runs.snapshot(session_id, run_id, anyone), Effect.fromOption),
        (found) => found.resumedAt
      )
      const step = (attempt: number, position: number) =>
        runs.record({ run_id, attempt, position, entry: { position }, events: [] })
      yield* step(1, 0)
      assert.isUndefined(yield* resumedAt)
      yield* runs.finish(ending(begun, { run: { status: "PAUSED" } }))
      yield* runs.resume({ run_id, attempt: 1, node: "other", entry: { decision: "yes" } })
      yield* step(2, 2)
      assert.strictEqual(yield* resumedAt, 1)
      yield* runs.finish({ ...ending(begun, { run: { status: "ERROR" } }), attempt: 2 })
      yield* runs.resume({ run_id, attempt: 2, node: "other", entry: undefined })
      assert.strictEqual(yield* resumedAt, 3)
    }))

  it.effect("a run keeps the claims under which it was resumed, to its end and after it", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin()
      const resume = (attempt: number, claim: string | undefined) =>
        runs.resume({ run_id: begun.run_id, attempt, node: "other", entry: undefined, claim })
      const claims = Effect.map(
        Effect.flatMap(runs.snapshot(begun.session_id, begun.run_id, anyone), Effect.fromOption),
        ({ resumeClaims }) => resumeClaims
      )
      yield* runs.finish(ending(begun, { run: { status: "PAUSED" } }))
      assert.deepStrictEqual(yield* claims, [])
      yield* resume(1, "first")
      assert.isTrue(Option.isNone(yield* resume(1, "late")), "it is running")
      yield* runs.finish({ ...ending(begun, { run: { status: "PAUSED" } }), attempt: 2 })
      yield* resume(2, undefined)
      yield* runs.finish({ ...ending(begun, { run: { status: "ERROR" } }), attempt: 3 })
      yield* resume(3, "second")
      yield* runs.finish({ ...ending(begun), attempt: 4 })
      assert.deepStrictEqual(yield* claims, ["first", "second"])
    }))

  it.effect("the cancel request of a paused run is known when it is continued", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin()
      yield* runs.finish(ending(begun, { run: { status: "PAUSED" } }))
      assert.isTrue(Option.isSome(yield* runs.requestCancel(begun.run_id, undefined, anyone)))
      assert.strictEqual(yield* statusOf(begun), "PAUSED")
      const found = yield* Effect.flatMap(runs.snapshot(begun.session_id, begun.run_id, anyone), Effect.fromOption)
      assert.isTrue(found.isCancelRequested)
    }))

  it.effect("a run that is regenerated can be read, and is not part of later histories", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin()
      yield* runs.supersede(begun.run_id, 9)
      assert.strictEqual(yield* statusOf(begun), "RUNNING", "one that is running is left alone")
      yield* runs.finish(ending(begun, { run: { messages: talk("q", "a") } }))
      yield* runs.supersede(begun.run_id, 9)
      assert.strictEqual(yield* statusOf(begun), "REGENERATED")
      const { history } = yield* runs.create(newRun({ session_id: begun.session_id, history: 5 }))
      assert.deepStrictEqual(history, [])
    }))
}
