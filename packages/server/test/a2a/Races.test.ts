// Answers to a question that lose against another request, and answers that are sent again while the first one works.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Option } from "effect"
import { ask, at, list } from "../Wire.ts"
import { mail } from "./Mail.ts"
import { current } from "./Requests.ts"

Tier.oneIn(3)

const path = "/a2a/agents/careful"

const requestOf = (method: string, params: object) => ({
  method: "POST",
  headers: current,
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
})

const call = (server: TestServer.TestServer, method: string, params: object) =>
  Effect.map(ask(server, path, requestOf(method, params)), ({ json }) => json)

const answer = (taskId: unknown, messageId: string, configuration: object = {}) => ({
  message: { messageId, taskId, role: "ROLE_USER", parts: [{ text: "yes" }] },
  configuration
})

const question = { message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }] } }

/**
 * A task that asks. What `between` sets is done once, after a request has read the task and before it continues it.
 * What `resumed` sets is done once, after a request has resumed the task and before the task shows it. What `watched`
 * sets is done once, after a request has counted the events of the task.
 */
const asking = Effect.fnUntraced(function*(...turn: ReadonlyArray<Script.Step>) {
  const script = yield* Script.make([[Script.toolCall("send_mail", { to: "ann" }, "call_1")], turn])
  let first: Effect.Effect<unknown> = Effect.void
  const factory = AgentFactory.make({
    id: "careful",
    build: async () => {
      const now = first
      first = Effect.void
      await Effect.runPromise(now)
      return Agent.make({ id: "careful", model: script.model, tools: [mail] })
    }
  })
  let afterResume: Effect.Effect<unknown> = Effect.void
  const resume = (runs: RunStore["Service"]): RunStore["Service"]["resume"] => (resumption) =>
    Effect.tap(runs.resume(resumption), (attempt) => Option.isSome(attempt) ? afterResume : Effect.void)
  let afterCount: Effect.Effect<unknown> = Effect.void
  const readEvents = (runs: RunStore["Service"]): RunStore["Service"]["readEvents"] => (...given) =>
    Effect.tap(runs.readEvents(...given), () => {
      const now = afterCount
      afterCount = Effect.void
      return now
    })
  const server = yield* TestServer.make({
    agents: [factory],
    database: (database) => ({
      ...database,
      runs: { ...database.runs, resume: resume(database.runs), readEvents: readEvents(database.runs) }
    })
  })
  const taskId = at(yield* call(server, "SendMessage", question), "result", "task", "id")
  const between = (effect: Effect.Effect<unknown>) => {
    first = effect
  }
  const resumed = (effect: Effect.Effect<unknown>) => {
    afterResume = effect
  }
  const watched = (effect: Effect.Effect<unknown>) => {
    afterCount = effect
  }
  return { between, resumed, script, server, taskId, watched }
})

/** The states that a stream shows. */
const statesOf = (text: string): ReadonlyArray<unknown> =>
  text.split("\n").filter((line) => line.startsWith("data: ")).flatMap((line) => {
    const { result } = JSON.parse(line.slice("data: ".length)) as { readonly result: unknown }
    return at(result, "task", "status", "state") ?? at(result, "statusUpdate", "status", "state") ?? []
  })

const working = "The task is working. It takes no messages until it asks"
const ended = "The task has ended. Send a message without its taskId"

const refused = (json: unknown) => [at(json, "error", "code"), at(json, "error", "message")]

describe("an answer of A2A that loses against another request", () => {
  it.live("the task is working, if another answer has continued it", () =>
    Effect.gen(function*() {
      const { between, server, taskId } = yield* asking(Script.hang)
      between(call(server, "SendMessage", answer(taskId, "m2", { returnImmediately: true })))
      assert.deepStrictEqual(refused(yield* call(server, "SendMessage", answer(taskId, "m3"))), [-32004, working])
    }))

  it.live("the task has ended, if another answer has continued it to its end", () =>
    Effect.gen(function*() {
      const { between, server, taskId } = yield* asking(Script.text("Sent."))
      between(call(server, "SendMessage", answer(taskId, "m2")))
      assert.deepStrictEqual(refused(yield* call(server, "SendMessage", answer(taskId, "m3"))), [-32004, ended])
    }))

  it.live("the task has ended, if a cancellation was faster", () =>
    Effect.gen(function*() {
      const { between, server, taskId } = yield* asking()
      between(call(server, "CancelTask", { id: taskId }))
      assert.deepStrictEqual(refused(yield* call(server, "SendMessage", answer(taskId, "m2"))), [-32004, ended])
    }))

  it.live.each(["before", "after"] as const)(
    "the task has ended, if it was read %s a cancellation that is ending it",
    (read) =>
      Effect.gen(function*() {
        const { between, resumed, server, taskId } = yield* asking()
        const [isEnding, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        resumed(Effect.andThen(Deferred.succeed(isEnding, undefined), Deferred.await(mayEnd)))
        const cancelling = yield* Deferred.make<unknown>()
        const cancel = Effect.gen(function*() {
          yield* Effect.forkDetach(Deferred.complete(cancelling, call(server, "CancelTask", { id: taskId })))
          yield* Deferred.await(isEnding)
        })
        if (read === "before") between(cancel)
        else yield* cancel
        assert.deepStrictEqual(refused(yield* call(server, "SendMessage", answer(taskId, "m2"))), [-32004, ended])
        yield* Deferred.succeed(mayEnd, undefined)
        const task = at(yield* Deferred.await(cancelling), "result")
        assert.strictEqual(at(task, "status", "state"), "TASK_STATE_CANCELED")
      })
  )

  it.live("the same answer at the same moment gets the task, and counts once", () =>
    Effect.gen(function*() {
      const { between, script, server, taskId } = yield* asking(Script.text("Sent."))
      between(call(server, "SendMessage", answer(taskId, "m2")))
      const task = at(yield* call(server, "SendMessage", answer(taskId, "m2")), "result", "task")
      assert.deepStrictEqual([at(task, "id"), at(task, "status", "state")], [taskId, "TASK_STATE_COMPLETED"])
      assert.lengthOf(list(task, "history"), 2)
      assert.lengthOf(yield* script.calls, 2)
    }))
})

describe("a subscription to a task of A2A", () => {
  it.live("nothing follows a task that ends while the subscription begins", () =>
    Effect.gen(function*() {
      const { server, taskId, watched } = yield* asking()
      watched(call(server, "CancelTask", { id: taskId }))
      const response = yield* server.fetch(path, requestOf("SubscribeToTask", { id: taskId }))
      const states = statesOf(yield* Effect.promise(() => response.text()))
      assert.deepStrictEqual(states, ["TASK_STATE_CANCELED"])
    }))
})

describe("an answer of A2A that is sent again while the task works", () => {
  it.live("such an answer gets the task as it is, or waits for its end, and counts once", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { script, server, taskId } = yield* asking(Script.wait(gate), Script.text("Sent."))
      const atOnce = { returnImmediately: true }
      yield* call(server, "SendMessage", answer(taskId, "m2", atOnce))
      const now = at(yield* call(server, "SendMessage", answer(taskId, "m2", atOnce)), "result", "task")
      assert.deepStrictEqual([at(now, "id"), at(now, "status", "state")], [taskId, "TASK_STATE_WORKING"])
      const waiting = yield* Effect.forkChild(call(server, "SendMessage", answer(taskId, "m2")))
      assert.deepStrictEqual(refused(yield* call(server, "SendMessage", answer(taskId, "m3"))), [-32004, working])
      yield* Deferred.succeed(gate, undefined)
      const task = at(yield* Fiber.join(waiting), "result", "task")
      assert.deepStrictEqual([at(task, "id"), at(task, "status", "state")], [taskId, "TASK_STATE_COMPLETED"])
      assert.lengthOf(yield* script.calls, 2)
    }))

  it.live("such an answer that is streamed before the task has begun to work follows the task to its end", () =>
    Effect.gen(function*() {
      for (const isAtOnce of [false, true]) {
        const { between, resumed, script, server, taskId } = yield* asking(Script.text("Sent."))
        const [begun, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        resumed(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate)))
        const stream = server.fetch(path, requestOf("SendStreamingMessage", answer(taskId, "m2")))
        const textOf = (response: Response) => Effect.promise(() => response.text())
        const read = yield* Deferred.make<void>()
        if (isAtOnce) between(Effect.andThen(Deferred.succeed(read, undefined), Deferred.await(begun)))
        const early = isAtOnce ? yield* Effect.forkChild(stream) : undefined
        if (isAtOnce) yield* Deferred.await(read)
        const first = yield* Effect.forkChild(Effect.flatMap(stream, textOf))
        yield* Deferred.await(begun)
        const second = yield* (early === undefined ? stream : Fiber.join(early))
        yield* Deferred.succeed(gate, undefined)
        for (const text of [yield* Fiber.join(first), yield* textOf(second)]) {
          const states = statesOf(text)
          assert.notInclude(states, "TASK_STATE_INPUT_REQUIRED")
          assert.strictEqual(states.at(-1), "TASK_STATE_COMPLETED")
        }
        assert.lengthOf(yield* script.calls, 2)
      }
    }))
})
