// Leases of runs: which runs a node acquires, how it gives them back, and what happens to runs that no node can
// execute.
import { assert, type Vitest } from "@effect/vitest"
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { Acquired, Takeover } from "@svc-runtime/engine/node/LeasedRuns"
import { storedComponents } from "@svc-runtime/engine/run/leases/TakeoverRules"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { component } from "@svc-runtime/features/components/test/ComponentStoreSuite"
import { Effect, Option } from "effect"
import { ending, events, newId, newRun, presence, sessionId } from "../Samples.ts"
import { begin } from "./begin.ts"

const anyone = { owner: Owner.anyone }

/** Tests share a database: only what this one has made counts. */
const acquire = Effect.fnUntraced(function*(begun: NewRun, fields: Partial<Takeover> = {}) {
  const runs = yield* RunStore
  const takeover = { node: newId("node"), isStarting: false, limit: 1000, ...fields }
  const all = yield* runs.takeOver({
    ...takeover,
    components: takeover.components ?? [`${begun.kind}/${begun.component_id}`]
  })
  return all.find(({ run_id }) => run_id === begun.run_id)
})

const acquired = (begun: NewRun, fields: Partial<Takeover> = {}): Effect.Effect<Acquired, unknown, RunStore> =>
  Effect.flatMap(acquire(begun, fields), Effect.fromNullishOr)

/** Its holder dies, and another one acquires it. */
const lose = (begun: NewRun, fields: Partial<Takeover> = {}) => acquired(begun, { dead: "every", ...fields })

const rare = () => ({ component_id: newId("component"), node: newId("node") })

const outputOf = (begun: NewRun, reason: string): AnyRun.Output => ({
  ...AnyRun.running({ ...begun, input: { input_content: "" } }),
  status: "ERROR",
  content: reason
})

const find = (begun: NewRun) =>
  RunStore.use((runs) => Effect.flatMap(runs.find(begun.session_id, begun.run_id, anyone), Effect.fromOption))

export const leases = (it: Vitest.MethodsNonLive<ComponentStore | RunStore | SessionStore>) => {
  it.effect("a run whose node never sent a heartbeat is acquired, and a run whose node sends heartbeats is not", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [unseen, seen] = [yield* begin(rare()), yield* begin(rare())]
      yield* runs.heartbeat(presence(seen.node))
      assert.isDefined(yield* acquire(unseen, { isSteady: true }))
      assert.isUndefined(yield* acquire(seen, { isSteady: true }))
      assert.isDefined(yield* acquire(seen, { dead: [{ node: seen.node, seenAt: null }] }), "it is known to be dead")
    }))

  it.effect("an acquired run has the id of the start that has stored it, also when that had an idempotency key", () =>
    Effect.gen(function*() {
      const [begin_id, claimed] = [newId("begin"), newId("begin")]
      assert.strictEqual((yield* acquired(yield* begin({ ...rare(), begin_id }), { dead: "every" })).begin_id, begin_id)
      const withClaim = yield* begin({ ...rare(), begin_id: claimed, claim: newId("claim") })
      assert.strictEqual((yield* acquired(withClaim, { dead: "every" })).begin_id, claimed)
    }))

  it.effect("a run of a component that the node does not have is left to other nodes", () =>
    Effect.gen(function*() {
      const begun = yield* begin(rare())
      assert.isUndefined(yield* acquire(begun, { dead: "every", components: ["agent/another"] }))
      assert.deepInclude(yield* acquired(begun), { attempt: 2, isUnserved: false })
    }))

  it.effect("a guest acquires its own runs and those of its program, and no others", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const program = newId("program")
      const [dead, released, own] = [yield* begin(rare()), yield* begin(rare()), yield* begin(rare())]
      const former = yield* begin({ ...rare(), node: `guest:${program}@0#a` })
      yield* runs.release(released.node)
      const components = [dead, released, own, former].map((each) => `${each.kind}/${each.component_id}`)
      const taken = yield* runs.takeOver({
        node: own.node,
        isStarting: true,
        guest: `guest:${program}@`,
        dead: "every",
        components,
        limit: 1000
      })
      assert.sameMembers(taken.map(({ run_id }) => run_id), [own.run_id, former.run_id])
      assert.isDefined(yield* acquire(released))
    }))

  it.effect("a service executes no run of a guest, also if it was released, and sets it aside after its time", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = `guest:${newId("program")}@0#a`
      const begun = yield* begin({ ...rare(), node })
      const components = [`${begun.kind}/${begun.component_id}`]
      const other = newId("node")
      yield* runs.heartbeat(presence(other, { components }))
      yield* runs.release(node)
      assert.isUndefined(yield* acquire(begun, { dead: "every", components, unservedAfter: 3600 }))
      assert.isUndefined(yield* acquire(begun, { dead: "every", components, unservedAfter: 3600 }))
      assert.deepInclude(yield* acquired(begun, { dead: "every", components, unservedAfter: 0 }), { isUnserved: true })
      yield* runs.release(other)
    }))

  it.effect("a node with stored components acquires their runs, also after they are removed", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const components = yield* ComponentStore
      const stored = component()
      yield* components.create(stored)
      yield* components.remove(stored.component_id, 2_000)
      const begun = yield* begin({ ...rare(), component_id: stored.component_id })
      const foreign = yield* begin(rare())
      const without = { isSteady: true, components: ["agent/another"], unservedAfter: 0 }
      const withStored = { dead: "every" as const, components: ["agent/another", storedComponents] }
      assert.isUndefined(yield* acquire(foreign, withStored))
      const node = newId("node")
      yield* runs.heartbeat(presence(node, { components: [storedComponents] }))
      assert.isUndefined(yield* acquire(begun, without), "it begins to wait")
      assert.isUndefined(yield* acquire(begun, without))
      assert.deepInclude(yield* acquired(begun, withStored), { isUnserved: false })
      yield* runs.release(node)
    }))

  it.effect("a run that no living node can execute is acquired after its time, and not while one of them can", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin(rare())
      const foreign = { isSteady: true, components: ["agent/another"] }
      assert.isUndefined(yield* acquire(begun, { ...foreign, unservedAfter: 3600 }), "it begins to wait")
      assert.isUndefined(yield* acquire(begun, { ...foreign, unservedAfter: 3600 }))
      const node = newId("node")
      yield* runs.heartbeat(presence(node, { components: [`${begun.kind}/${begun.component_id}`] }))
      assert.isUndefined(yield* acquire(begun, { ...foreign, unservedAfter: 0 }))
      yield* runs.release(node)
      assert.deepInclude(yield* acquired(begun, { ...foreign, unservedAfter: 0 }), { isUnserved: true })
    }))

  it.effect("a released run is acquired after its delay, and its releases are counted", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin(rare())
      const first = yield* lose(begun)
      yield* runs.postpone({ ...first, seconds: 3600 })
      assert.isUndefined(yield* acquire(begun, { dead: "every" }))
      const other = yield* begin(rare())
      yield* runs.postpone({ ...(yield* lose(other)), seconds: 0 })
      assert.deepInclude(yield* acquired(other), { attempt: 3, postponed: 1 })
      yield* runs.postpone({ ...first, attempt: 1, seconds: 0 })
      assert.isUndefined(yield* acquire(begun), "an old attempt releases nothing")
    }))

  it.effect("a run in a stored format that the node cannot read is left to nodes that can", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin(rare())
      yield* runs.postpone({ ...(yield* lose(begun, { format: 1 })), seconds: 0, format: 2 })
      assert.isUndefined(yield* acquire(begun, { format: 1 }))
      assert.deepInclude(yield* acquired(begun, { format: 2 }), { attempt: 3 })
    }))

  it.effect("takeovers are counted until the run has finished a step, and not where its node released it in order", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin(rare())
      const { run_id } = begun
      for (const takeovers of [1, 2, 3]) assert.deepInclude(yield* lose(begun), { takeovers })
      assert.isUndefined(yield* acquire(begun, { dead: "every", suspects: false }))
      assert.deepInclude(yield* lose(begun, { suspects: true }), { takeovers: 4 })
      yield* runs.record({ run_id, attempt: 5, position: 0, entry: { step: 1 }, events: [] })
      const node = newId("node")
      assert.deepInclude(yield* lose(begun, { node }), { takeovers: 1 })
      yield* runs.release(node)
      assert.deepInclude(yield* acquired(begun), { takeovers: 1 })
    }))

  it.effect("a run in the session queue is not counted: no node executed it", () =>
    Effect.gen(function*() {
      const first = yield* begin({ ...rare(), isSerialized: true })
      const second = yield* begin({ ...first, run_id: newRun().run_id })
      assert.deepInclude(yield* lose(second), { status: "PENDING", takeovers: 0 })
    }))

  it.effect("a node asks for some of its runs by their ids", () =>
    Effect.gen(function*() {
      const own = rare()
      const [one, two] = [yield* begin(own), yield* begin(own)]
      const takeover = { node: own.node, isStarting: true, only: [two.run_id] }
      assert.isUndefined(yield* acquire(one, { ...takeover, only: [] }))
      assert.isDefined(yield* acquire(two, takeover))
    }))

  it.effect("a run is loaded under its attempt alone", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { attempt, run_id } = yield* lose(yield* begin(rare()))
      assert.isTrue(Option.isSome(yield* runs.load({ run_id, attempt })))
      assert.isTrue(Option.isNone(yield* runs.load({ run_id, attempt: attempt - 1 })))
    }))

  it.effect("the attempt of a run is that of its last lease, also when it has ended, and none of an unknown run", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin(rare())
      const { run_id, session_id } = begun
      assert.deepStrictEqual(yield* runs.attemptOf(session_id, run_id), Option.some(1))
      const { attempt } = yield* lose(begun)
      yield* runs.finish(ending(begun, { attempt }))
      assert.deepStrictEqual(yield* runs.attemptOf(session_id, run_id), Option.some(2))
      assert.deepStrictEqual(yield* runs.attemptOf(sessionId(), run_id), Option.none())
    }))

  it.effect("a run that is large is loaded as it was stored", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const text = "漢 ".repeat(300_000)
      const begun = yield* begin({ ...rare(), input: { input_content: text } })
      const { run_id } = begun
      for (const position of [0, 1, 2]) {
        yield* runs.record({ run_id, attempt: 1, position, entry: { position, text }, events: events(begun, 1) })
      }
      const loaded = yield* Effect.flatMap(runs.load(yield* lose(begun)), Effect.fromOption)
      assert.deepStrictEqual(loaded.entries, [0, 1, 2].map((position) => ({ position, text })))
      assert.deepInclude(loaded, { attempt: 2, kind: begun.kind, component_id: begun.component_id })
      const { output } = yield* Effect.flatMap(runs.snapshot(begun.session_id, run_id, anyone), Effect.fromOption)
      assert.deepStrictEqual(loaded.output, output)
    }))

  it.effect("a run whose journal has a gap is not loaded, and is read with its damage and the entries before the gap", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin(rare())
      const { run_id, session_id } = begun
      const record = (position: number, attempt = 1) =>
        runs.record({ run_id, attempt, position, entry: { position }, events: [] })
      yield* record(0)
      yield* record(2)
      const held = yield* lose(begun)
      const error = yield* Effect.flip(runs.load(held))
      assert.strictEqual(error._tag, "RunUnreadable")
      assert.include(error.message, "entries of its journal are missing")
      const aside = { reason: "why", output: outputOf(begun, "why"), last: undefined, updated_at: 7 }
      yield* runs.setAside({ run_id, attempt: held.attempt, ...aside })
      const found = yield* Effect.flatMap(runs.snapshot(session_id, run_id, anyone), Effect.fromOption)
      assert.deepStrictEqual(found.entries, [{ position: 0 }])
      assert.include(found.damage, "entries of its journal are missing")
      const { attempt } = held
      const resumed = yield* runs.resume({ run_id, attempt, node: newId("node"), entry: { position: 1 } })
      yield* record(2, Option.getOrThrow(resumed))
      const loaded = yield* Effect.flatMap(runs.load(yield* lose(begun)), Effect.fromOption)
      assert.deepStrictEqual(loaded.entries, [0, 1, 2].map((position) => ({ position })))
    }))

  it.effect("a run that has called tools and has no journal entries is not loaded", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin(rare())
      const called = { ...events(begun, 0)[0], event: "ToolCallStarted" } as RunEvent.RunEvent
      yield* runs.appendEvents([{ run_id: begun.run_id, attempt: 1, events: [called] }])
      const error = yield* Effect.flip(runs.load(yield* lose(begun)))
      assert.include(error.message, "entries of its journal are missing")
    }))

  it.effect("a run that is set aside is shown with the reason, lets the next one begin, and is whole when continued", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin({ ...rare(), isSerialized: true })
      const { run_id, session_id } = begun
      const next = yield* begin({ ...begun, run_id: newRun().run_id })
      yield* runs.record({ run_id, attempt: 1, position: 0, entry: { step: 1 }, events: [] })
      const held = yield* lose(begun)
      const stored = yield* Effect.flatMap(runs.load(held), Effect.fromOption)
      const aside = { reason: "why", output: outputOf(begun, "why"), last: undefined, updated_at: 7 }
      assert.isFalse(yield* runs.setAside({ run_id, attempt: 1, ...aside }), "it is not held any more")
      assert.isTrue(yield* runs.setAside({ run_id, attempt: held.attempt, ...aside }))
      assert.deepInclude(yield* find(begun), { status: "ERROR", content: "why" })
      assert.isUndefined(yield* acquire(begun, { dead: "every" }))
      const node = newId("node")
      yield* lose(next, { node })
      const turns = yield* runs.dequeue({ node, sessions: [session_id], uncertain: [] })
      assert.deepStrictEqual(turns.map((turn) => turn.run_id), [next.run_id])

      const found = yield* Effect.flatMap(runs.snapshot(session_id, run_id, anyone), Effect.fromOption)
      assert.deepInclude(found, { status: "ERROR", entries: stored.entries, damage: undefined })
      assert.deepStrictEqual(found.output.input, stored.output.input)
      const resumed = yield* runs.resume({ run_id, attempt: found.attempt, node, entry: undefined })
      assert.deepStrictEqual(Option.getOrUndefined(resumed), found.attempt + 1)
      assert.deepInclude(yield* lose(begun), { takeovers: 1 }, "it is counted anew")
      const again = yield* Effect.flatMap(runs.load({ run_id, attempt: found.attempt + 2 }), Effect.fromOption)
      assert.deepStrictEqual(again.output, stored.output)
      yield* runs.finish({ ...ending(begun), attempt: found.attempt + 2 })
      assert.deepInclude(yield* find(begun), { status: "COMPLETED" })
    }))

  it.effect("the last event of a run that is set aside is stored with the other events", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin({ ...rare(), startEvent: events(newRun(), 1)[0] })
      const held = yield* lose(begun)
      assert.strictEqual(held.eventCount, 1)
      const last = { ...events(begun, 2)[1]!, event_index: 1 }
      yield* runs.setAside({ ...held, reason: "why", output: outputOf(begun, "why"), last, updated_at: 7 })
      const read = yield* Effect.flatMap(
        runs.readEvents(begun.session_id, begun.run_id, anyone, { after: 0, limit: 9 }),
        Effect.fromOption
      )
      assert.deepStrictEqual(read.events.map(({ event_index }) => event_index), [1])
    }))

  it.effect("the living nodes and their incarnations are known, until they hand over", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      yield* runs.heartbeat(presence(node, { process: "here 1" }))
      const own = Effect.map(runs.nodes, (nodes) => nodes.filter((known) => known.node === node))
      const [known] = yield* own
      assert.deepInclude(known, { node, process: "here 1" })
      assert.isBelow(known!.silentFor, 60)
      yield* runs.release(node)
      assert.deepStrictEqual(yield* own, [])
    }))

  it.effect("the runs of a node are counted until they end, and runs that it hands over are of no node", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const countOf = (node: string) =>
        Effect.map(runs.nodeRuns, (counted) => counted.find((each) => each.node === node)?.runs ?? 0)
      const first = yield* begin({ node })
      yield* begin({ node })
      assert.strictEqual(yield* countOf(node), 2)
      yield* runs.finish(ending(first))
      assert.strictEqual(yield* countOf(node), 1)
      yield* runs.release(node)
      assert.strictEqual(yield* countOf(node), 0)
      assert.isAtLeast(yield* countOf(""), 1)
    }))
}
