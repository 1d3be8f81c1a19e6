// What a factory opens for its agent is open until the run has ended, however it ends, and not a moment longer; a
// request that is refused leaves nothing open.
import { assert, describe, it } from "@effect/vitest"
import { FactoryPermissionError } from "@svc-runtime/agents/factory/FactoryErrors"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, failed, type Fields, frames, kindsOf, notFound, run, runWhole } from "../Wire.ts"
import { names, type Opened, started } from "./Lifetimes.ts"

Tier.oneIn(10)

const only = (all: ReadonlyArray<Opened>): Opened => {
  assert.strictEqual(all.length, 1)
  return all[0]!
}

const closedOf = (all: ReadonlyArray<Opened>) => Deferred.await(only(all).closed)

describe("the lifetime of a factory lasts as long as its run, and closes", () => {
  /** A model that waits in the middle of its answer. */
  const waiting = Effect.gen(function*() {
    const [speaking, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const turns = [Script.text("Hel"), Script.wait(Deferred.succeed(speaking, undefined)), Script.wait(gate)]
    return { turns, speaking: Deferred.await(speaking), release: Deferred.succeed(gate, undefined) }
  })

  const ways: ReadonlyArray<readonly [string, Fields]> = [
    ["is answered", { stream: "false" }],
    ["is streamed", { stream: "true" }],
    ["runs in the background", { stream: "false", background: "true" }],
    ["runs and streams in the background", { stream: "true", background: "true" }]
  ]
  for (const [what, fields] of ways) {
    it.effect(`a lifetime closes when its run ${what} and has ended`, () =>
      Effect.gen(function*() {
        const { release, speaking, turns } = yield* waiting
        const { all, server } = yield* started({ turns })
        const answering = yield* Effect.forkChild(run(server, "made", { ...names, ...fields }))
        yield* speaking
        if (fields["background"] === "true" && fields["stream"] === "false") {
          assert.strictEqual((yield* Fiber.join(answering)).status, 202)
        }
        assert.isTrue(only(all).isOpen)
        yield* release
        yield* closedOf(all)
        yield* Fiber.join(answering)
      }))
  }

  it.effect("a lifetime closes when its run is cancelled", () =>
    Effect.gen(function*() {
      const { speaking, turns } = yield* waiting
      const { all, server } = yield* started({ turns })
      const answering = yield* Effect.forkChild(run(server, "made", names))
      yield* speaking
      assert.isTrue(only(all).isOpen)
      yield* ask(server, "/agents/made/runs/r/cancel", { method: "POST" })
      yield* closedOf(all)
      assert.strictEqual(kindsOf(frames((yield* Fiber.join(answering)).text)).at(-1), "RunCancelled")
    }))

  it.effect("a lifetime closes when its run was cancelled before it was accepted", () =>
    Effect.gen(function*() {
      const { all, server } = yield* started()
      yield* ask(server, "/agents/made/runs/r/cancel", { method: "POST" })
      const answer = yield* runWhole(server, "made", names)
      assert.strictEqual(at(answer.json, "status"), "CANCELLED")
      yield* closedOf(all)
    }))

  it.effect("a lifetime closes when its run fails", () =>
    Effect.gen(function*() {
      const { all, server } = yield* started({ turns: [Script.fail("provider is down")] })
      assert.strictEqual(at((yield* runWhole(server, "made", names)).json, "status"), "ERROR")
      yield* closedOf(all)
    }))

  it.effect("a lifetime closes when the end of its run has waited for the database", () =>
    Effect.gen(function*() {
      let tries = 0
      const { all, server } = yield* started({
        server: {
          database: (database) => ({
            ...database,
            runs: {
              ...database.runs,
              finish: (ending) =>
                Effect.suspend(() =>
                  ++tries < 4 ? Effect.fail(new StorageUnavailable({ cause: "gone" })) : database.runs.finish(ending)
                )
            }
          })
        }
      })
      const running = yield* Effect.forkChild(runWhole(server, "made", names))
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow), {
        until: () => running.pollUnsafe() !== undefined
      })
      assert.strictEqual(at((yield* Fiber.join(running)).json, "status"), "COMPLETED")
      yield* closedOf(all)
    }))

  it.effect("a lifetime closes when its run is cancelled by a disconnect", () =>
    Effect.gen(function*() {
      const { speaking, turns } = yield* waiting
      const { all, server } = yield* started({ turns })
      const leaving = new AbortController()
      const body = new URLSearchParams({ ...names, on_disconnect: "cancel" })
      const response = yield* server.fetch("/agents/made/runs", { method: "POST", body, signal: leaving.signal })
      yield* speaking
      assert.isTrue(only(all).isOpen)
      yield* Effect.promise(() => response.body!.cancel())
      yield* closedOf(all)
    }))

  it.effect("a lifetime closes when the service stops", () =>
    Effect.gen(function*() {
      const { speaking, turns } = yield* waiting
      const all = yield* Effect.scoped(Effect.gen(function*() {
        const { all, server } = yield* started({ turns })
        yield* runWhole(server, "made", { ...names, background: "true" })
        yield* speaking
        assert.isTrue(only(all).isOpen)
        return all
      }))
      assert.isFalse(only(all).isOpen)
    }))
})

describe("what a factory opens is closed when the request is refused", () => {
  const refusals: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>, number]> = [
    ["by the factory", Effect.fail(new FactoryPermissionError({ message: "no" })), 403],
    ["because the factory fails", Effect.fail("no"), 500],
    ["because the factory dies", Effect.die(new Error("no")), 500]
  ]
  for (const [why, after, status] of refusals) {
    it.effect(why, () =>
      Effect.gen(function*() {
        const { all, server } = yield* started({ after })
        assert.strictEqual((yield* run(server, "made", names)).status, status)
        assert.isFalse(only(all).isOpen)
      }))
  }

  it.effect("a lifetime closes when the factory takes too long", () =>
    Effect.gen(function*() {
      const { all, opening, server } = yield* started({ after: Effect.never })
      const answering = yield* Effect.forkChild(run(server, "made", names))
      yield* Deferred.await(opening)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(answering)).status, 500)
      assert.isFalse(only(all).isOpen)
    }))

  it.effect("a lifetime closes when the message does not fit the agent that was made", () =>
    Effect.gen(function*() {
      const { all, server } = yield* started({ agent: { inputSchema: { type: "object" } } })
      failed(yield* run(server, "made", names), 422, "VALIDATION_ERROR")
      assert.isFalse(only(all).isOpen)
    }))

  it.effect("a lifetime closes when the session is another agent's", () =>
    Effect.gen(function*() {
      const { all, server } = yield* started()
      yield* runWhole(server, "other", { message: "x", session_id: "s" })
      notFound(yield* run(server, "made", names))
      assert.isFalse(only(all).isOpen)
    }))

  it.effect("a lifetime closes when the run id is used", () =>
    Effect.gen(function*() {
      const { all, server } = yield* started()
      yield* runWhole(server, "made", names)
      yield* closedOf(all)
      failed(yield* runWhole(server, "made", names), 409, "CONFLICT")
      assert.deepStrictEqual(all.map(({ isOpen }) => isOpen), [false, false])
    }))

  it.effect("a lifetime closes when the database does not reply", () =>
    Effect.gen(function*() {
      const create = () => Effect.fail(new StorageUnavailable({ cause: "gone" }))
      const { all, server } = yield* started({
        server: { database: (database) => ({ ...database, runs: { ...database.runs, create } }) }
      })
      failed(yield* run(server, "made", names), 503, "SERVICE_UNAVAILABLE")
      assert.isFalse(only(all).isOpen)
    }))

  it.effect("a lifetime closes when its client disconnects while the factory executes", () =>
    Effect.gen(function*() {
      const { all, opening, server } = yield* started({ after: Effect.never })
      const leaving = new AbortController()
      const body = new URLSearchParams(names)
      const answering = yield* Effect.forkChild(
        Effect.exit(server.fetch("/agents/made/runs", { method: "POST", body, signal: leaving.signal }))
      )
      yield* Deferred.await(opening)
      leaving.abort()
      yield* closedOf(all)
      yield* Fiber.await(answering)
    }))
})
