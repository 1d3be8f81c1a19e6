// How the end of a run is asked for, by any node, and found by the one that executes it.
import { assert, type Vitest } from "@effect/vitest"
import { Owner } from "@svc/domain"
import { RunStore, type SessionStore } from "@svc/runtime"
import { Effect, Option } from "effect"
import { beginning, ending, newId, runId, sessionId } from "../Samples.ts"
import * as Views from "../Views.ts"

const anyone = { owner: Owner.anyone }

export const cancelling = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("is found by the node that runs it, and by no other, until the run has ended", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const [wanted, other] = [beginning({ node }), beginning({ node })]
      yield* Effect.forEach([wanted, other], runs.create, { discard: true })
      assert.deepStrictEqual(yield* runs.cancelRequested(node), [])
      assert.isTrue(Option.isSome(yield* runs.requestCancel(wanted.run_id, undefined, anyone)))
      assert.isTrue(Option.isSome(yield* runs.requestCancel(wanted.run_id, wanted.session_id, anyone)), "again")
      assert.deepStrictEqual(yield* runs.cancelRequested(node), [wanted.run_id])
      assert.deepStrictEqual(yield* runs.cancelRequested(newId("node")), [])
      yield* runs.finish(ending(wanted, { run: { status: "CANCELLED" } }))
      assert.deepStrictEqual(yield* runs.cancelRequested(node), [])
    }))

  it.effect("changes nothing about a run that has ended, which is there all the same", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const begun = beginning({ node })
      yield* runs.create(begun)
      yield* runs.finish(ending(begun))
      const before = yield* runs.find(begun.session_id, begun.run_id, anyone)
      assert.isTrue(Option.isSome(yield* runs.requestCancel(begun.run_id, begun.session_id, anyone)))
      assert.deepStrictEqual(yield* runs.find(begun.session_id, begun.run_id, anyone), before)
      assert.deepStrictEqual(yield* runs.cancelRequested(node), [])
    }))

  it.effect("does not find what is not there, in another session, or of another component", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const begun = beginning({ node })
      yield* runs.create(begun)
      const component = { kind: "agent", id: "another" } as const
      assert.isFalse(Option.isSome(yield* runs.requestCancel(runId(), undefined, anyone)))
      assert.isFalse(Option.isSome(yield* runs.requestCancel(begun.run_id, sessionId(), anyone)))
      assert.isFalse(Option.isSome(yield* runs.requestCancel(begun.run_id, undefined, { ...anyone, component })))
      assert.deepStrictEqual(yield* runs.cancelRequested(node), [])
    }))

  it.effect("may be asked for by those who may touch the session, and by nobody else", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { all, owners } = Views.make()
      for (const user_id of owners) {
        for (const { covered, owner, who } of all) {
          const node = newId("node")
          const begun = beginning({ node, user_id })
          yield* runs.create(begun)
          const isCovered = covered.includes(user_id)
          assert.strictEqual(
            Option.isSome(yield* runs.requestCancel(begun.run_id, begun.session_id, { owner })),
            isCovered,
            who
          )
          assert.deepStrictEqual(yield* runs.cancelRequested(node), isCovered ? [begun.run_id] : [], who)
        }
      }
    }))
}
