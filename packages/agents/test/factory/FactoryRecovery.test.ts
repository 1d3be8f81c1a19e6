// A run of an agent that a factory made, after its process has stopped: the factory makes the agent again, from the
// same input, and for the run alone. A caller who continues it sends no input.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { open, session } from "../../../engine/test/run/Engine.ts"
import * as AgentFactory from "../../src/agent/define/AgentFactory.ts"
import type { FactoryContext } from "../../src/factory/FactoryContext.ts"
import { FactoryPermissionError } from "../../src/factory/FactoryErrors.ts"
import * as FactoryInput from "../../src/factory/FactoryInput.ts"
import { FactoryResolver } from "../../src/factory/FactoryResolver.ts"
import { commandOf, logged } from "../agent/Harness.ts"

type Build = Parameters<typeof AgentFactory.make>[0]["build"]

/**
 * What is left of a run that was cut off in the middle of its first answer, and the factory that had made its agent.
 */
const cutOff = Effect.fnUntraced(function*(again: (agent: Agent.Agent) => ReturnType<Build>) {
  const speaking = yield* Deferred.make<void>()
  const { model } = yield* Script.make([
    [Script.wait(Deferred.succeed(speaking, undefined)), Script.hang],
    ...Array.from({ length: 5 }, () => [Script.text("Hello again.")])
  ])
  const seen: Array<FactoryContext<unknown>> = []
  const closed: Array<number> = []
  const agent = Agent.make({ id: "made", model })
  const factory = AgentFactory.make({
    id: "made",
    build: (context) => {
      const time = seen.push(context)
      context.onClose(() => void closed.push(time))
      return time === 1 ? agent : again(agent)
    }
  })
  const before = yield* open({ drainTimeout: 0 })
  const resolver = yield* Effect.provide(FactoryResolver, FactoryResolver.layer({ timeout: "1 second" }))
  yield* Effect.scoped(Effect.gen(function*() {
    const caller = {
      userId: null,
      sessionId: null,
      trusted: { claims: { a: 1 }, scopes: new Set(["b"]) },
      request: null
    }
    const input = FactoryInput.text(`{"tenant":"acme"}`)
    const { component, ...made } = yield* resolver.resolve(factory, { ...caller, input })
    yield* before.engine.start(commandOf(component, { ...made, stream: false, user_id: Ids.UserId.make("ann") }))
  }))
  yield* Deferred.await(speaking)
  yield* before.close
  return { before, closed, factory, seen }
})

const request = { run_id: "run" as never, session_id: session, filter: { owner: Owner.anyone } }

describe("a run of an agent that a factory made", () => {
  it.effect("a run resumes with an agent that the factory makes again of the same input, for the run alone", () =>
    Effect.gen(function*() {
      const { before, closed, factory, seen } = yield* cutOff((agent) => agent)
      assert.deepStrictEqual(closed, [1], "what the first one had opened is closed with its process")
      const after = yield* open({ memory: before.memory, agents: [factory] })
      assert.strictEqual(yield* after.engine.recover, 1)
      const output = Option.getOrThrow(yield* after.engine.output(request))
      assert.deepInclude(output, { status: "COMPLETED", content: "Hello again.", agent_id: "made" })
      const [first, second] = seen
      assert.deepStrictEqual(first?.input, { tenant: "acme" })
      assert.deepInclude(second, { input: { tenant: "acme" }, sessionId: session, request: null })
      assert.strictEqual(String(second?.userId), "ann")
      assert.deepStrictEqual(second?.trusted, { claims: {}, scopes: new Set<string>() })
      yield* Effect.repeat(Effect.yieldNow, { until: () => closed.length === 2 })
      // the first events were stored without a watcher, and so are the later events
      const events = (yield* after.find()).events?.map(({ event }) => event)
      assert.deepStrictEqual([events?.[0], events?.includes("RunContinued"), events?.at(-1)], [
        "RunStarted",
        true,
        "RunCompleted"
      ])
    }))

  it.effect("a run fails when its factory refuses to make the agent without a caller, and leaves nothing open", () =>
    Effect.gen(function*() {
      const { before, closed, factory } = yield* cutOff(() =>
        Effect.fail(new FactoryPermissionError({ message: "Who is it?" }))
      )
      const after = yield* open({ memory: before.memory, agents: [factory] })
      const { lines } = yield* logged(after.engine.recover)
      const output = yield* after.find()
      assert.strictEqual(output.status, "ERROR")
      assert.include(String(output.content), "The agent factory 'made' refuses to make it again")
      assert.notInclude(String(output.content), "Who is it?")
      assert.deepStrictEqual(closed, [1, 2])
      const logLine = lines.filter(({ text }) => text.includes("A run cannot be resumed without its agent"))
      assert.deepStrictEqual(logLine.map(({ annotations }) => annotations["run_id"]), ["run"])
    }))

  it.effect("a run is released when its factory fails, and resumes when the factory works again", () =>
    Effect.gen(function*() {
      let isBroken = true
      const { before, closed, factory } = yield* cutOff((agent) => isBroken ? Effect.die(new Error("hunter2")) : agent)
      const after = yield* open({ memory: before.memory, agents: [factory] })
      const { lines } = yield* logged(after.engine.recover)
      assert.strictEqual((yield* after.find()).status, "RUNNING")
      assert.deepStrictEqual(closed, [1, 2])
      const logLine = lines.find(({ text }) => text.includes("A run is released and retried in 1 s"))
      assert.include(logLine?.text, "The agent factory 'made' failed to make it again")
      assert.strictEqual(logLine?.annotations["session_id"], session)
      isBroken = false
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* after.find(), { status: "COMPLETED", content: "Hello again." })
    }))

  it.effect("a run fails when its factory fails as often as MAX_RESTORES allows", () =>
    Effect.gen(function*() {
      const { before, factory, seen } = yield* cutOff(() => Effect.die(new Error("hunter2")))
      const after = yield* open({ memory: before.memory, agents: [factory], limits: { maxRestores: 3 } })
      yield* after.engine.recover
      yield* TestClock.adjust("1 minute")
      const output = yield* after.find()
      assert.strictEqual(output.status, "ERROR")
      assert.include(String(output.content), "This was tried 3 times, as MAX_RESTORES allows")
      assert.notInclude(String(output.content), "hunter2")
      assert.strictEqual(seen.length, 4)
    }))

  it.effect("the service waits for a factory only until its timeout", () =>
    Effect.gen(function*() {
      const called = yield* Deferred.make<void>()
      const { before, factory } = yield* cutOff(() => {
        Deferred.doneUnsafe(called, Effect.void)
        return new Promise(() => {})
      })
      const after = yield* open({ memory: before.memory, agents: [factory] })
      const recovering = yield* Effect.forkChild(after.engine.recover)
      yield* Deferred.await(called)
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(recovering)
      assert.strictEqual((yield* after.find()).status, "RUNNING", "another node may make it")
    }))

  it.effect("a caller continues a run with the agent that was made for them", () =>
    Effect.gen(function*() {
      const { before, closed, factory, seen } = yield* cutOff((agent) => agent)
      const after = yield* open({ memory: before.memory, agents: [factory] })
      const [taken] = yield* after.runs.takeOver({ node: "other", isStarting: false, dead: "every", limit: 1 })
      const snapshot = Option.getOrThrow(yield* after.runs.load(taken!))
      const resolver = yield* Effect.provide(FactoryResolver, FactoryResolver.layer({ timeout: "1 second" }))
      const trusted = { claims: { plan: "gold" }, scopes: new Set<string>() }
      const handle = yield* Effect.scoped(Effect.gen(function*() {
        const caller = { userId: null, sessionId: null, trusted, request: null, input: FactoryInput.none }
        const resolved = yield* resolver.resolve(factory, caller)
        const { attempt, run_id } = snapshot
        // as a run that has paused
        yield* after.runs.finish({
          attempt,
          run: { ...snapshot.output, status: "PAUSED" },
          events: null,
          state_changes: undefined,
          usage: {},
          updated_at: 1
        })
        return yield* after.engine.continue({
          snapshot: { ...snapshot, run_id },
          entry: undefined,
          stream: true,
          background: false,
          resolved
        })
      }))
      const events = yield* Stream.runCollect(Option.getOrThrow(handle).events)
      assert.strictEqual(events.at(-1)?.event, "RunCompleted")
      assert.strictEqual(seen.length, 2, "it is not made once more")
      assert.deepStrictEqual(seen[1]?.trusted, trusted)
      yield* Effect.repeat(Effect.yieldNow, { until: () => closed.length === 2 })
    }))
})
