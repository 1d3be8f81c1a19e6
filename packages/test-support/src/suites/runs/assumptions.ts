// What a run assumes about stored components has to be so when it is stored.
import { assert, type Vitest } from "@effect/vitest"
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import * as Component from "@svc-runtime/domain/Component"
import * as Owner from "@svc-runtime/domain/Owner"
import type { Assumption } from "@svc-runtime/engine/ComponentPrecondition"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { component } from "@svc-runtime/features/components/test/ComponentStoreSuite"
import { Effect, Option } from "effect"
import { newRun, runId, sessionId } from "../Samples.ts"
import { anyone } from "./QueuedRuns.ts"
import { refusalOf } from "./stored.ts"

type Stores = ComponentStore | RunStore | SessionStore

const stored = Effect.gen(function*() {
  const store = yield* ComponentStore
  const { component_id, component_type, current_version, name } = yield* store.create(component({ name: "A \u0000" }))
  const assumed: Assumption = { id: component_id, name, current: { component_type, current_version } }
  const change = (fields: object) => store.change(component_id, { at: 2_000, ...fields })
  return { assumed, change, linked: { ...assumed, current: null }, remove: store.remove(component_id, 2_000) }
})

const begin = (...assumes: ReadonlyArray<Assumption>) => newRun({ run_id: runId(), session_id: sessionId(), assumes })

export const assumptions = (it: Vitest.MethodsNonLive<Stores>) => {
  it.effect("a run whose components are as it takes them to be is accepted", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [one, other] = [yield* stored, yield* stored]
      yield* runs.create(begin(one.assumed, other.linked))
      yield* runs.create(begin())
      yield* other.change({ config: { config: {}, stage: "published" } })
      yield* runs.create(begin(other.linked))
      yield* other.remove
      yield* runs.create(begin(other.linked))
    }))

  it.effect("a run of which a component has another version, name or type, or is removed, is not stored", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const refused = Effect.fnUntraced(function*(...assumes: ReadonlyArray<Assumption>) {
        const run = begin(...assumes)
        assert.strictEqual(yield* refusalOf(run), "ComponentOutdated")
        assert.deepStrictEqual(yield* runs.find(run.session_id, run.run_id, anyone), Option.none())
        assert.deepStrictEqual(yield* sessions.find(run.session_id, Owner.anyone), Option.none())
      })
      const same = yield* stored
      const [published, renamed, typed, removed] = [yield* stored, yield* stored, yield* stored, yield* stored]
      yield* published.change({ config: { config: {}, stage: "published" } })
      yield* renamed.change({ fields: { name: "B" } })
      yield* typed.change({ fields: { component_type: "team" } })
      yield* removed.remove
      for (const { assumed } of [published, renamed, typed, removed]) yield* refused(same.assumed, assumed)
      yield* refused(renamed.linked)
      yield* refused({ ...same.assumed, id: Component.Id.make(runId()) })
    }))

  it.effect("a run whose component has changed is refused alone, among runs that are stored at once", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [one, changed] = [yield* stored, yield* stored]
      yield* changed.change({ fields: { name: "B" } })
      const { session_id } = begin()
      const all = [begin(one.assumed), { ...begin(changed.assumed), session_id }, { ...begin(), session_id }, begin()]
      const outcomes = yield* Effect.all(all.map((run) => Effect.option(runs.create(run))), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(outcomes.map(Option.isSome), [true, false, true, true])
    }))
}
