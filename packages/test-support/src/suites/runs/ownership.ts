// Whose runs a call may see, and whose sessions a run may go into.
import { assert, type Vitest } from "@effect/vitest"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import type { RunFilter } from "@svc-runtime/engine/run/store/RunReads"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, newRun, runId, session, sessionId, userId } from "../Samples.ts"
import * as Views from "../Views.ts"
import { findSession, refusalOf, runsOf } from "./stored.ts"

const isolated = (fields: Partial<NewRun> = {}) => newRun({ isolated: true, ...fields })

/** Two sessions of each owner: as a run leaves it, and as `POST /sessions` makes it, for a run to fill in. */
const sessionsOf = Effect.fnUntraced(function*(user_id: Ids.UserId | null) {
  const ran = newRun({ user_id })
  const made = session({ user_id })
  yield* RunStore.use((store) => store.create(ran))
  yield* SessionStore.use((store) => store.create(made))
  return [ran.session_id, made.session_id]
})

export const ownership = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("the runs of a covered session are shown, and of no other, whatever the filter", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const { all, owners } = Views.make()
      const begun = owners.map((user_id) => newRun({ user_id }))
      for (const run of begun) {
        yield* store.create(run)
        yield* store.finish(ending(run))
      }
      const component = { kind: "agent", id: "assistant" } as const
      const times = { createdAfter: 0, createdBefore: Number.MAX_SAFE_INTEGER }
      const filters: ReadonlyArray<Partial<RunFilter>> = [{}, { component }, { status: "COMPLETED" }, times]
      for (const { covered, owner, who } of all) {
        for (const { run_id, session_id, user_id } of begun) {
          const isCovered = covered.includes(user_id)
          const message = `${who}, a session of ${user_id}`
          for (const filter of filters) {
            const found = yield* store.find(session_id, run_id, { ...filter, owner })
            const listed = yield* store.list(session_id, { ...filter, owner })
            if (isCovered) {
              assert.deepStrictEqual(Option.map(found, (run) => run.run_id), Option.some(run_id), message)
              assert.deepStrictEqual(listed, Option.map(found, (run) => [run]), message)
            } else {
              assert.deepStrictEqual([found, listed], [Option.none(), Option.none()], message)
            }
          }
          // nor does an empty list tell that there is a session
          const none = yield* store.list(session_id, { owner, status: "PENDING" })
          assert.deepStrictEqual(none, isCovered ? Option.some([]) : Option.none(), message)
        }
      }
    }))

  it.effect("the owner of the session decides, whatever user ran in it", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const first = newRun()
      const second = { ...first, run_id: runId(), user_id: userId() }
      const filter = { owner: Owner.user(second.user_id) }
      yield* store.create(first)
      assert.isTrue(Option.isNone(yield* store.find(first.session_id, first.run_id, filter)))
      yield* store.create(second)
      assert.isTrue(Option.isSome(yield* store.find(first.session_id, first.run_id, filter)))
      const listed = Option.getOrThrow(yield* store.list(first.session_id, filter))
      assert.deepStrictEqual(listed.map(({ run_id }) => run_id), [first.run_id, second.run_id])
    }))

  it.effect("an isolated user owns the session that a run creates", () =>
    Effect.gen(function*() {
      const begun = isolated({ user_id: userId() })
      assert.deepStrictEqual(yield* RunStore.use((store) => store.create(begun)), {
        isQueued: false,
        session_state: {},
        history: []
      })
      assert.strictEqual((yield* findSession(begun.session_id))?.user_id, begun.user_id)
      assert.deepStrictEqual(yield* runsOf(begun.session_id), [begun.run_id])
    }))

  it.effect("an isolated user runs in a session of their own, again and again", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      for (const session_id of yield* sessionsOf(user_id)) {
        const before = yield* runsOf(session_id)
        const begun = [isolated({ session_id, user_id }), isolated({ session_id, user_id, component_data: {} })]
        for (const run of begun) yield* store.create(run)
        assert.strictEqual((yield* findSession(session_id))?.user_id, user_id)
        assert.deepStrictEqual(yield* runsOf(session_id), [...before, ...begun.map(({ run_id }) => run_id)])
      }
    }))

  it.effect("an isolated user does not find a session of another user or without one, and nothing is stored", () =>
    Effect.gen(function*() {
      for (const owner of [userId(), null]) {
        for (const session_id of yield* sessionsOf(owner)) {
          const user_id = userId()
          assert.strictEqual(yield* refusalOf(isolated({ session_id, user_id })), "SessionNotFound")
          const renamed = isolated({ session_id, user_id, component_data: { name: "Renamed" } })
          assert.strictEqual(yield* refusalOf(renamed), "SessionNotFound")
        }
      }
    }))

  it.effect("an isolated caller without a name creates sessions, and never finds one", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      for (const owner of [userId(), null]) {
        for (const session_id of yield* sessionsOf(owner)) {
          assert.strictEqual(yield* refusalOf(isolated({ session_id })), "SessionNotFound")
        }
      }
      const begun = isolated()
      yield* store.create(begun)
      assert.isNull((yield* findSession(begun.session_id))?.user_id)
      assert.strictEqual(yield* refusalOf({ ...begun, run_id: runId() }), "SessionNotFound")
      assert.strictEqual(yield* refusalOf({ ...begun, run_id: runId(), user_id: userId() }), "SessionNotFound")
    }))

  it.effect("an isolated user does not learn of a used run id in the session of another user", () =>
    Effect.gen(function*() {
      const begun = newRun()
      yield* RunStore.use((store) => store.create(begun))
      assert.strictEqual(yield* refusalOf({ ...begun, isolated: true, user_id: userId() }), "SessionNotFound")
    }))

  for (const runs of [1, 10]) {
    it.effect(`exactly one of two isolated users who create ${runs} run(s) each in a new session at once gets it`, () =>
      Effect.gen(function*() {
        const store = yield* RunStore
        const session_id = sessionId()
        const users = [userId(), userId()]
        const begun = Array.from(
          { length: runs * 2 },
          (_, place) => isolated({ session_id, user_id: users[place % 2]! })
        )
        // the first goes alone, the rest share a statement
        const [, ...outcomes] = yield* Effect.forEach(
          [isolated(), ...begun],
          (run) => Effect.map(Effect.result(store.create(run)), (result) => ({ run, result })),
          { concurrency: "unbounded" }
        )
        const owner = (yield* findSession(session_id))?.user_id
        assert.include(users, owner)
        for (const { result, run } of outcomes) {
          const outcome = result._tag === "Failure" ? result.failure._tag : "accepted"
          assert.strictEqual(outcome, run.user_id === owner ? "accepted" : "SessionNotFound")
        }
        assert.deepStrictEqual(
          (yield* runsOf(session_id)).toSorted(),
          begun.filter(({ user_id }) => user_id === owner).map(({ run_id }) => run_id).toSorted()
        )
      }))
  }

  it.effect("each of the runs that are created at once is checked for its own caller", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const begun = newRun()
      yield* store.create(begun)
      const callers = [{ isolated: false }, { isolated: true }, { isolated: true, user_id: userId() }]
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, place) => ({ ...begun, run_id: runId(), ...callers[place % 3] })),
        (run) => Effect.map(Effect.result(store.create(run)), ({ _tag }) => [run.isolated, _tag]),
        { concurrency: "unbounded" }
      )
      for (const [isIsolated, tag] of outcomes) assert.strictEqual(tag, isIsolated ? "Failure" : "Success")
      assert.isNull((yield* findSession(begun.session_id))?.user_id)
      assert.strictEqual((yield* runsOf(begun.session_id)).length, 1 + 10)
    }))
}
