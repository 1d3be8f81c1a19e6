// What a factory opens for its agent is open until the run has ended, however it ends, and not a moment longer; a
// request that is refused leaves nothing open.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import * as Agent from "@svc/runtime/agent/Agent"
import * as AgentFactory from "@svc/runtime/agent/AgentFactory"
import { FactoryPermissionError } from "@svc/runtime/factory/FactoryErrors"
import * as Script from "@svc/testing/ScriptedModel"
import type * as TestServer from "@svc/testing/TestServer"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, failed, type Fields, frames, kindsOf, notFound, run, runWhole, serve } from "../Wire.ts"

interface Opened {
  readonly closed: Deferred.Deferred<void>
  isOpen: boolean
}

interface Given {
  readonly turns?: ReadonlyArray<Script.Step>
  readonly agent?: Partial<Agent.Options>
  /** Goes wrong after something was opened. */
  readonly after?: Effect.Effect<unknown, unknown>
  readonly server?: TestServer.Options
}

/** A service whose factory opens something for each agent, the way Effects do it. */
const started = Effect.fnUntraced(function*({ after = Effect.void, agent, server, turns }: Given = {}) {
  const all: Array<Opened> = []
  const opening = yield* Deferred.make<void>()
  const { model } = yield* Script.make(Array.from({ length: 20 }, () => turns ?? [Script.text("Hello.")]))
  const open = Effect.acquireRelease(
    Effect.map(Deferred.make<void>(), (closed) => {
      const opened: Opened = { closed, isOpen: true }
      all.push(opened)
      return opened
    }),
    (opened) => {
      opened.isOpen = false
      return Deferred.succeed(opened.closed, undefined)
    }
  )
  const factory = AgentFactory.make({
    id: "made",
    build: () =>
      Effect.gen(function*() {
        yield* open
        yield* Deferred.succeed(opening, undefined)
        yield* after
        return Agent.make({ id: "made", model, ...agent })
      })
  })
  return { all, opening, server: yield* serve({ agents: [factory, Agent.make({ id: "other", model })], ...server }) }
})

const only = (all: ReadonlyArray<Opened>): Opened => {
  assert.strictEqual(all.length, 1)
  return all[0]!
}

const closedOf = (all: ReadonlyArray<Opened>) => Deferred.await(only(all).closed)

const names = { message: "x", session_id: "s", run_id: "r" }

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

  it.effect("a lifetime closes when the database does not answer", () =>
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

  it.effect("a repeated request gets the first answer without the factory", () =>
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
