// What a removal of many sessions asks of the database.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type { Database } from "@svc-runtime/engine/database/Database"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import type { TraceStore } from "@svc-runtime/features/traces/TraceStore"
import { runId, sessionId } from "@svc-runtime/test-support/suites/Samples"
import { Deferred, Effect, Fiber, Option } from "effect"
import * as SessionRemoval from "../../src/sessions/SessionRemoval.ts"

const traces = {
  recordRemovalOfSessions: () => Effect.void,
  removeOfSessions: () => Effect.succeed(0)
} as unknown as TraceStore["Service"]

describe("a removal of many sessions", () => {
  it.effect("the unfinished runs of thousands of sessions without one are one question to the database", () =>
    Effect.gen(function*() {
      const calls: Array<string> = []
      const asking = <A>(name: string, answer: A) => () => Effect.sync(() => (calls.push(name), answer))
      const database = {
        runs: { list: asking("list", Option.none()), unfinished: asking("unfinished", []) },
        sessions: { remove: asking("remove", undefined) }
      } as unknown as Database
      const engine = { cancel: asking("cancel", true) } as unknown as RunEngine["Service"]
      const ids = Array.from({ length: 5000 }, () => sessionId())
      yield* SessionRemoval.remove({ engine, traces }, database, ids, { owner: Owner.anyone })
      assert.deepStrictEqual(calls, ["unfinished", "remove"])
    }))

  it.effect("the removal of traces is recorded first, and completed if the client disconnects meanwhile", () =>
    Effect.gen(function*() {
      const calls: Array<string> = []
      const removing = yield* Deferred.make<void>()
      const called = (name: string) => () => Effect.sync(() => void calls.push(name))
      const traces = {
        recordRemovalOfSessions: called("recorded"),
        removeOfSessions: called("traces")
      } as unknown as TraceStore["Service"]
      const database = {
        runs: { unfinished: () => Effect.succeed([]) },
        sessions: {
          remove: () =>
            Deferred.succeed(removing, undefined).pipe(Effect.andThen(Effect.yieldNow), Effect.tap(called("sessions")))
        }
      } as unknown as Database
      const engine = {} as unknown as RunEngine["Service"]
      const request = yield* Effect.forkChild(
        SessionRemoval.remove({ engine, traces }, database, [sessionId()], { owner: Owner.anyone })
      )
      yield* Deferred.await(removing)
      yield* Fiber.interrupt(request)
      assert.deepStrictEqual(calls, ["recorded", "sessions", "traces"])
    }))

  it.effect("unfinished runs are cancelled some at a time, each once, although their nodes end them later", () =>
    Effect.gen(function*() {
      const runs = Array.from({ length: 2500 }, () => ({ run_id: runId(), session_id: sessionId() }))
      const unended = new Set(runs)
      const cancelled = new Map<string, number>()
      let [current, most] = [0, 0]
      const database = {
        runs: {
          unfinished: (_: unknown, __: unknown, limit: number) => Effect.sync(() => [...unended].slice(0, limit))
        },
        sessions: { remove: () => Effect.void }
      } as unknown as Database
      const cancel = ({ run_id }: { readonly run_id: string }) =>
        Effect.gen(function*() {
          most = Math.max(most, ++current)
          yield* Effect.yieldNow
          current--
          cancelled.set(run_id, (cancelled.get(run_id) ?? 0) + 1)
          // every other node is slow
          const run = runs.find((each) => each.run_id === run_id)
          if (run !== undefined && cancelled.size % 2 === 0) unended.delete(run)
        })
      const engine = { cancel } as unknown as RunEngine["Service"]
      yield* SessionRemoval.remove({ engine, traces }, database, [], { owner: Owner.anyone })
      assert.isAtLeast(most, 2)
      assert.isAtMost(most, 32)
      assert.isAtLeast(cancelled.size, 1000)
      assert.deepStrictEqual([...new Set(cancelled.values())], [1])
    }))
})
