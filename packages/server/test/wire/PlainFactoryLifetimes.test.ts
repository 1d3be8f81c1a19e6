// The lifetimes of factories that are no Effect, or cannot be interrupted, and of repeated requests.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import { FactoryPermissionError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, failed, type Fields, run, runWhole, serve } from "../Wire.ts"
import { names, started } from "./Lifetimes.ts"

Tier.oneIn(6)

describe("a factory that is no Effect", () => {
  /** Its agent has a tool, so that it can be seen what is open while the agent is at work. */
  const plain = Effect.fnUntraced(function*(close: () => unknown = () => undefined) {
    const happened: Array<string> = []
    const ended = yield* Deferred.make<void>()
    const { model } = yield* Script.make(
      Array.from(
        { length: 5 },
        () => [Script.wait(Effect.sync(() => void happened.push("run"))), Script.text("Hello.")]
      )
    )
    const factory = AgentFactory.make({
      id: "made",
      build: async ({ onClose, signal }) => {
        signal.addEventListener("abort", () => happened.push("aborted"))
        onClose(() => {
          happened.push("first")
          Deferred.doneUnsafe(ended, Effect.void)
        })
        onClose(async () => {
          happened.push("second")
          await close()
        })
        return Agent.make({ id: "made", model })
      }
    })
    return { happened, ended: Deferred.await(ended), server: yield* serve({ agents: [factory] }) }
  })

  it.effect("a plain factory has a signal that is aborted, and hooks that are called, the last one first", () =>
    Effect.gen(function*() {
      const { ended, happened, server } = yield* plain()
      yield* runWhole(server, "made", names)
      yield* ended
      assert.deepStrictEqual(happened, ["run", "aborted", "second", "first"])
    }))

  it.effect("a lifetime closes completely although one of its hooks fails, and the log has the error", () =>
    Effect.gen(function*() {
      const { ended, happened, server } = yield* plain(() => Promise.reject(new Error("hunter2")))
      const answer = yield* runWhole(server, "made", names)
      assert.strictEqual(at(answer.json, "status"), "COMPLETED")
      yield* ended
      assert.deepStrictEqual(happened.at(-1), "first")
      const logged = server.logs.filter(({ level }) => level === "ERROR")
      assert.deepStrictEqual(logged.map(({ message }) => message), ["What a factory had opened could not be closed"])
      assert.include(logged[0]?.cause, "hunter2")
    }))

  it.effect("a hook that hangs keeps no caller waiting", () =>
    Effect.gen(function*() {
      const { server } = yield* plain(() => new Promise(() => {}))
      assert.strictEqual(at((yield* runWhole(server, "made", names)).json, "status"), "COMPLETED")
      const isLogged = () => server.logs.some(({ message }) => message.includes("is not closed after 10s"))
      yield* Effect.repeat(TestClock.adjust("1 second"), { until: isLogged })
    }))

  it.effect("a resource that is opened after the timeout is closed at once", () =>
    Effect.gen(function*() {
      const [called, late] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const closed = yield* Deferred.make<void>()
      const factory = AgentFactory.make({
        id: "made",
        timeout: "1 second",
        build: async ({ onClose }) => {
          Deferred.doneUnsafe(called, Effect.void)
          await Effect.runPromise(Deferred.await(late))
          onClose(() => Deferred.doneUnsafe(closed, Effect.void))
          return Agent.make({ id: "made" })
        }
      })
      const server = yield* serve({ agents: [factory] })
      const answering = yield* Effect.forkChild(run(server, "made", names))
      yield* Deferred.await(called)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(answering)).status, 500)
      yield* Deferred.succeed(late, undefined)
      yield* Deferred.await(closed)
    }))
})

describe("an Effect that cannot be interrupted while it opens something", () => {
  it.effect("an uninterruptible Effect is not waited for, and what it opens after its timeout is closed at once", () =>
    Effect.gen(function*() {
      const [called, late] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const closed = yield* Deferred.make<void>()
      const factory = AgentFactory.make({
        id: "made",
        build: () =>
          Effect.as(
            Effect.acquireRelease(
              Effect.andThen(Deferred.succeed(called, undefined), Deferred.await(late)),
              () => Deferred.succeed(closed, undefined)
            ),
            Agent.make({ id: "made" })
          )
      })
      const server = yield* serve({ agents: [factory] })
      const answering = yield* Effect.forkChild(run(server, "made", names))
      yield* Deferred.await(called)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(answering)).status, 500)
      yield* Deferred.succeed(late, undefined)
      yield* Deferred.await(closed)
    }))
})

describe("an Idempotency-Key on a factory", () => {
  const send = (server: TestServer.TestServer, fields: Fields = {}) =>
    ask(server, "/agents/made/runs", {
      method: "POST",
      headers: { "idempotency-key": "k" },
      body: new URLSearchParams({ message: "x", stream: "false", ...fields })
    })

  it.effect("a repeated request gets the first response without the factory", () =>
    Effect.gen(function*() {
      const { all, server } = yield* started()
      const first = yield* send(server)
      assert.deepStrictEqual((yield* send(server)).json, first.json)
      assert.strictEqual(all.length, 1)
    }))

  it.effect("a key is free again when the factory has refused the request", () =>
    Effect.gen(function*() {
      let isAllowed = false
      const refuse = Effect.suspend(() =>
        isAllowed ? Effect.void : Effect.fail(new FactoryPermissionError({ message: "no" }))
      )
      const { all, server } = yield* started({ after: refuse })
      failed(yield* send(server), 403, "FORBIDDEN", "no")
      isAllowed = true
      const other = yield* send(server, { message: "another one" })
      assert.strictEqual(at(other.json, "input", "input_content"), "another one")
      yield* Deferred.await(all[1]!.closed)
      assert.deepStrictEqual(all.map(({ isOpen }) => isOpen), [false, false])
    }))

  it.effect("two equal requests at once start one run, and the lifetime of the other one closes", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { all, opening, server } = yield* started({ after: Deferred.await(gate) })
      const first = yield* Effect.forkChild(send(server))
      yield* Deferred.await(opening)
      const second = yield* Effect.forkChild(send(server))
      yield* Effect.repeat(Effect.yieldNow, { until: () => all.length === 2 })
      yield* Deferred.succeed(gate, undefined)
      const answers = [yield* Fiber.join(first), yield* Fiber.join(second)]
      assert.deepStrictEqual(answers[1]?.json, answers[0]?.json)
      for (const { closed } of all) yield* Deferred.await(closed)
    }))
})
