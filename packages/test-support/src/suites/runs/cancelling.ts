// How the end of a run is asked for, by any node, and found by the one that executes it.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, newId, newRun, runId, sessionId, userId } from "../Samples.ts"
import * as Views from "../Views.ts"

const anyone = { owner: Owner.anyone }

export const cancelling = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a cancel request is found by the node of the run, and by no other, until the run has ended", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const [wanted, other] = [newRun({ node }), newRun({ node })]
      yield* Effect.forEach([wanted, other], runs.create, { discard: true })
      assert.deepStrictEqual(yield* runs.cancelRequested(node), [])
      assert.isTrue(Option.isSome(yield* runs.requestCancel(wanted.run_id, undefined, anyone)))
      assert.isTrue(Option.isSome(yield* runs.requestCancel(wanted.run_id, wanted.session_id, anyone)), "again")
      assert.deepStrictEqual(yield* runs.cancelRequested(node), [wanted.run_id])
      assert.deepStrictEqual(yield* runs.cancelRequested(newId("node")), [])
      yield* runs.finish(ending(wanted, { run: { status: "CANCELLED" } }))
      assert.deepStrictEqual(yield* runs.cancelRequested(node), [])
    }))

  it.effect("a cancel request changes nothing about a run that has ended, and finds it", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const begun = newRun({ node })
      yield* runs.create(begun)
      yield* runs.finish(ending(begun))
      const before = yield* runs.find(begun.session_id, begun.run_id, anyone)
      assert.isTrue(Option.isSome(yield* runs.requestCancel(begun.run_id, begun.session_id, anyone)))
      assert.deepStrictEqual(yield* runs.find(begun.session_id, begun.run_id, anyone), before)
      assert.deepStrictEqual(yield* runs.cancelRequested(node), [])
    }))

  it.effect("a run that does not exist, is in another session, or of another component is not found", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const node = newId("node")
      const begun = newRun({ node })
      yield* runs.create(begun)
      const component = { kind: "agent", id: "another" } as const
      assert.isFalse(Option.isSome(yield* runs.requestCancel(runId(), undefined, anyone)))
      assert.isFalse(Option.isSome(yield* runs.requestCancel(begun.run_id, sessionId(), anyone)))
      assert.isFalse(Option.isSome(yield* runs.requestCancel(begun.run_id, undefined, { ...anyone, component })))
      assert.deepStrictEqual(yield* runs.cancelRequested(node), [])
    }))

  it.effect("a run is cancelled only by an owner who covers its session", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { all, owners } = Views.make()
      for (const user_id of owners) {
        for (const { covered, owner, who } of all) {
          const node = newId("node")
          const begun = newRun({ node, user_id })
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

  it.effect("the unfinished runs of sessions are those of the owner without a cancel request, up to a limit", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [user_id, another] = [userId(), userId()]
      const [first, second, ended] = [newRun({ user_id }), newRun({ user_id }), newRun({ user_id })]
      const [others, unnamed] = [newRun({ user_id: another }), newRun({ user_id })]
      yield* Effect.forEach([first, second, ended, others, unnamed], runs.create, { discard: true })
      yield* runs.finish(ending(ended))
      const ids = [first, second, ended, others, first].map(({ session_id }) => session_id)
      const found = (limit: number) =>
        Effect.map(
          runs.unfinished([...ids, sessionId()], Owner.user(user_id), limit),
          (all) => all.map(({ run_id }) => run_id)
        )
      assert.sameMembers([...yield* found(9)], [first.run_id, second.run_id])
      const [one, ...more] = yield* found(1)
      assert.deepStrictEqual(more, [])
      yield* runs.requestCancel(one as Run.Id, undefined, anyone)
      assert.deepStrictEqual(yield* found(9), [first, second].map(({ run_id }) => run_id).filter((id) => id !== one))
    }))
}
