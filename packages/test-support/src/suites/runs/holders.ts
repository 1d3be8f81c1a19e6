// What a node learns of the nodes whose runs it acquires.
import { assert, type Vitest } from "@effect/vitest"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"
import { newId, presence } from "../Samples.ts"
import { begin } from "./begin.ts"

const held = () => ({ component_id: newId("component"), node: newId("node") })

const acquired = ({ component_id, kind, node, run_id }: NewRun) =>
  Effect.gen(function*() {
    const runs = yield* RunStore
    const components = [`${kind}/${component_id}`]
    const takeover = { node: newId("node"), isStarting: false, dead: [{ node, seenAt: null }], limit: 10 }
    const all = yield* runs.takeOver({ ...takeover, components })
    return yield* Effect.fromNullishOr(all.find((run) => run.run_id === run_id))
  })

export const holders = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("an acquired run names the node that held it, and the age of its last heartbeat", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [seen, unseen] = [yield* begin(held()), yield* begin(held())]
      yield* runs.heartbeat(presence(seen.node))
      const known = yield* acquired(seen)
      assert.strictEqual(known.holder, seen.node)
      assert.isAtLeast(known.silentFor ?? -1, 0)
      assert.isBelow(known.silentFor ?? Infinity, 600)
      assert.deepInclude(yield* acquired(unseen), { holder: unseen.node, silentFor: null })
    }))

  it.effect("a released run names no node when it is acquired", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin(held())
      yield* runs.release(begun.node)
      assert.deepInclude(yield* acquired(begun), { holder: "", silentFor: null })
    }))
}
