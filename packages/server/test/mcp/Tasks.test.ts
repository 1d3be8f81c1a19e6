// Tasks of the revision 2026-07-28: a call whose run takes long becomes a task, which the client polls, answers and
// cancels.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Latch, Schema } from "effect"
import { TestClock } from "effect/testing"
import { closed, token } from "../authorization/Closed.ts"
import { at, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"
import { authorized, initialize, post } from "./Mcp.ts"

Tier.oneIn(4)

const extension = "io.modelcontextprotocol/tasks"
const tasks = { extensions: { [extension]: {} } }
const asking = { ...tasks, elicitation: {} }

interface Asking {
  readonly capabilities?: object
  readonly bearer?: string
  readonly name?: string
}

const ask = (server: TestServer.TestServer, method: string, params: object, given: Asking = {}) => {
  const { bearer, capabilities = asking } = given
  const { name = "name" in params ? params.name : "taskId" in params ? params.taskId : undefined } = given
  return post(server, {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities
      }
    }
  }, {
    headers: {
      ...authorized(bearer),
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": String(name) })
    }
  })
}

const resultOf = (answer: { readonly json: unknown; readonly text: string }) => {
  assert.isDefined(at(answer.json, "result"), answer.text)
  return at(answer.json, "result")
}

const call = (server: TestServer.TestServer, id: string, given?: Asking) => {
  const params = { name: "run_agent", arguments: { agent_id: id, message: "hi", session_id: "s" } }
  return ask(server, "tools/call", params, given)
}

const getTask = (server: TestServer.TestServer, taskId: unknown, given?: Asking) =>
  Effect.map(ask(server, "tasks/get", { taskId }, given), resultOf)

/** Until the run has come so far. */
const until = Effect.fnUntraced(function*(server: TestServer.TestServer, taskId: unknown, status: string) {
  for (let count = 0; count < 1000; count++) {
    const task = yield* getTask(server, taskId)
    if (at(task, "status") === status) return task
    yield* TestClock.adjust("10 millis")
  }
  return assert.fail(`The task is not ${status}`)
})

/** A service with an agent that answers when the test says so. */
const slow = Effect.fnUntraced(function*(more: Partial<TestServer.Options> = {}) {
  const requested = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const { model } = yield* Script.make([[
    Script.wait(Deferred.succeed(requested, undefined)),
    Script.wait(release),
    Script.text("Done.")
  ]])
  const server = yield* serve({ agents: [Agent.make({ id: "slow", model })], ...more })
  return { server, requested: Deferred.await(requested), release: Deferred.succeed(release, undefined) }
})

/** The task that a call becomes after five seconds. */
const begun = Effect.fnUntraced(function*(
  { requested, server }: Effect.Success<ReturnType<typeof slow>>,
  given?: Asking
) {
  const calling = yield* Effect.forkChild(call(server, "slow", given), { startImmediately: true })
  yield* requested
  yield* TestClock.adjust("5 seconds")
  return resultOf(yield* Fiber.join(calling))
})

const publish = Tool.make({
  name: "publish",
  parameters: Schema.Struct({ title: Schema.String }),
  requiresConfirmation: true,
  execute: ({ title }) => `published ${title}`
})

const shareTwice = Effect.gen(function*() {
  const calls = ["a", "b"].map((title, n) => Script.toolCall("publish", { title }, `call_${n}`))
  const script = yield* Script.make([calls, [Script.text("It is done.")]])
  return yield* serve({ agents: [Agent.make({ id: "press", model: script.model, tools: [publish] })] })
})

describe("the extension", () => {
  it.effect("discovery offers the extension, and older revisions have none", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const discovered = resultOf(yield* ask(server, "server/discover", {}))
      assert.deepStrictEqual(at(discovered, "capabilities", "extensions", extension), {})
      assert.isUndefined(at((yield* post(server, initialize())).json, "result", "capabilities", "extensions"))
    }))

  it.effect("a service without the tools that run components offers no tasks", () =>
    Effect.gen(function*() {
      const server = yield* serve({ settings: { mcp: { enabled: true, options: { includeTags: ["session"] } } } })
      const discovered = resultOf(yield* ask(server, "server/discover", {}))
      assert.isUndefined(at(discovered, "capabilities", "extensions"))
      assert.strictEqual(at((yield* ask(server, "tasks/get", { taskId: "x" })).json, "error", "code"), -32601)
    }))

  it.effect("a client that does not declare the extension gets no task, and an error for what it asks about one", () =>
    Effect.gen(function*() {
      const served = yield* slow()
      const calling = yield* Effect.forkChild(call(served.server, "slow", { capabilities: {} }), {
        startImmediately: true
      })
      yield* served.requested
      yield* TestClock.adjust("9 seconds")
      yield* served.release
      assert.strictEqual(at(resultOf(yield* Fiber.join(calling)), "content", 0, "text"), "Done.")
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        const answer = yield* ask(served.server, method, { taskId: "x", inputResponses: {} }, { capabilities: {} })
        assert.strictEqual(answer.status, 400)
        assert.deepInclude(at(answer.json, "error"), { code: -32021, data: { requiredCapabilities: tasks } })
      }
      const listen = { notifications: { taskIds: ["x"] } }
      const refused = yield* ask(served.server, "subscriptions/listen", listen, { capabilities: {} })
      assert.strictEqual(at(refused.json, "error", "code"), -32021)
    }))
})

describe("a call of a client with tasks", () => {
  it.effect("a run that ends at once is the result, and no task", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const result = resultOf(yield* call(server, "plain"))
      assert.strictEqual(at(result, "resultType"), "complete")
      assert.strictEqual(at(result, "content", 0, "text"), "Hello.")
    }))

  it.effect("a long run becomes a task, which has the result of the tool in the end", () =>
    Effect.gen(function*() {
      const served = yield* slow()
      const task = yield* begun(served)
      assert.deepInclude(task, { resultType: "task", status: "working", ttlMs: null, pollIntervalMs: 2000 })
      assert.notProperty(task, "result")
      const taskId = at(task, "taskId")
      const working = yield* getTask(served.server, taskId)
      assert.deepInclude(working, { taskId, resultType: "complete", status: "working" })
      yield* served.release
      const done = yield* until(served.server, taskId, "completed")
      assert.deepStrictEqual(at(done, "result", "content"), [{ type: "text", text: "Done." }])
      assert.deepInclude(at(done, "result", "structuredContent"), { status: "COMPLETED", session_id: "s" })
      assert.strictEqual(at(done, "createdAt"), at(working, "createdAt"))
    }))

  it.effect("a task of a failed run has completed, with the error as the result of the tool", () =>
    Effect.gen(function*() {
      const requested = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const { model } = yield* Script.make([[
        Script.wait(Deferred.succeed(requested, undefined)),
        Script.wait(release),
        Script.fail("provider is down")
      ]])
      const server = yield* serve({ agents: [Agent.make({ id: "slow", model })] })
      const task = yield* begun({
        server,
        requested: Deferred.await(requested),
        release: Deferred.succeed(release, undefined)
      })
      yield* Deferred.succeed(release, undefined)
      const done = yield* until(server, at(task, "taskId"), "completed")
      assert.isTrue(at(done, "result", "isError"))
      assert.match(String(at(done, "result", "content", 0, "text")), /^Error calling tool 'run_agent': /)
    }))

  it.effect("a cancelled task is cancelled, and a task that has ended stays as it is", () =>
    Effect.gen(function*() {
      const served = yield* slow()
      const taskId = at(yield* begun(served), "taskId")
      const ended = resultOf(yield* ask(served.server, "tasks/cancel", { taskId }))
      assert.deepStrictEqual(ended, { resultType: "complete" })
      yield* until(served.server, taskId, "cancelled")
      assert.deepStrictEqual(resultOf(yield* ask(served.server, "tasks/cancel", { taskId })), {
        resultType: "complete"
      })
    }))
})

describe("a task that asks", () => {
  const accept = (content: object = {}) => ({ action: "accept", content })

  it.effect("a paused run asks its questions, each can be answered alone, and the run continues with the last", () =>
    Effect.gen(function*() {
      const server = yield* shareTwice
      const task = resultOf(yield* call(server, "press"))
      assert.deepInclude(task, { resultType: "task", status: "input_required" })
      assert.notProperty(task, "inputRequests")
      const taskId = at(task, "taskId")
      const requests = at(yield* getTask(server, taskId), "inputRequests") as Readonly<Record<string, unknown>>
      const [first, second] = Object.keys(requests) as [string, string]
      assert.strictEqual(at(requests[first], "method"), "elicitation/create")
      assert.include(String(at(requests[first], "params", "message")), `"title": "a"`)
      const update = (inputResponses: object) =>
        Effect.map(ask(server, "tasks/update", { taskId, inputResponses }), resultOf)
      assert.deepStrictEqual(yield* update({ other: accept(), [first]: { action: "cancel" } }), {
        resultType: "complete"
      })
      assert.lengthOf(Object.keys(at(yield* getTask(server, taskId), "inputRequests") as object), 2)
      yield* update({ [first]: accept() })
      const left = yield* getTask(server, taskId)
      assert.deepStrictEqual(Object.keys(at(left, "inputRequests") as object), [second])
      yield* update({ [second]: { action: "decline" } })
      const done = yield* until(server, taskId, "completed")
      assert.deepStrictEqual(at(done, "result", "content"), [{ type: "text", text: "It is done." }])
      // it is not open any more
      assert.deepStrictEqual(yield* update({ [second]: accept() }), { resultType: "complete" })
    }))

  it.effect("what a form does not have is refused, and the run stays paused", () =>
    Effect.gen(function*() {
      const server = yield* shareTwice
      const taskId = at(resultOf(yield* call(server, "press")), "taskId")
      const [question = ""] = Object.keys(at(yield* getTask(server, taskId), "inputRequests") as object)
      const contents = [
        { note: 5 },
        { title: "b" },
        { note: "Fine", accepted: false, title: "b" },
        { accepted: false },
        { approved: false },
        { accepted: true },
        { editedArgs: { title: "b" } }
      ]
      const declined = { action: "decline", content: { title: "b" } }
      for (const response of [...contents.map(accept), { action: "yes" }, {}, null, "accept", declined]) {
        const wrong = yield* ask(server, "tasks/update", { taskId, inputResponses: { [question]: response } })
        assert.strictEqual(at(wrong.json, "error", "code"), -32602, wrong.text)
      }
      assert.strictEqual(at(yield* getTask(server, taskId), "status"), "input_required")
    }))

  it.effect("a form of a step has no note, because no model reads it", () =>
    Effect.gen(function*() {
      const step = Step.make({ name: "ask", confirmation: { message: "Sure?" }, run: () => "done" })
      const server = yield* serve({ workflows: [Workflow.make({ id: "flow", steps: [step] })] })
      const params = { name: "run_workflow", arguments: { workflow_id: "flow", message: "hi" } }
      const taskId = at(resultOf(yield* ask(server, "tools/call", params)), "taskId")
      const [request] = Object.values(at(yield* getTask(server, taskId), "inputRequests") as object)
      assert.deepStrictEqual(at(request, "params", "requestedSchema", "properties"), {})
    }))

  it.effect("two last answers at the same time continue the run once, and neither is an error", () =>
    Effect.gen(function*() {
      // both requests find the paused run, before one of them continues it
      let continued = 0
      const both = yield* Latch.make()
      const { model } = yield* Script.make([[Script.toolCall("publish", { title: "a" }, "call")], [
        Script.text("Done.")
      ]])
      const factory = AgentFactory.make({
        id: "press",
        build: ({ id, run }) =>
          Effect.gen(function*() {
            if (run !== null && ++continued === 2) yield* both.open
            if (run !== null) yield* both.await
            return Agent.make({ id, model, tools: [publish] })
          })
      })
      const server = yield* serve({ agents: [factory] })
      const taskId = at(resultOf(yield* call(server, "press")), "taskId")
      const [question = ""] = Object.keys(at(yield* getTask(server, taskId), "inputRequests") as object)
      const inputResponses = { [question]: accept() }
      const updates = yield* Effect.replicateEffect(ask(server, "tasks/update", { taskId, inputResponses }), 2, {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(updates.map(resultOf), updates.map(() => ({ resultType: "complete" })))
      const done = yield* until(server, taskId, "completed")
      assert.deepStrictEqual(at(done, "result", "content"), [{ type: "text", text: "Done." }])
    }))

  it.effect("a client that cannot ask gets the paused run as the result, with its requirements", () =>
    Effect.gen(function*() {
      const server = yield* shareTwice
      const result = resultOf(yield* call(server, "press", { capabilities: tasks }))
      assert.deepInclude(at(result, "structuredContent"), { status: "PAUSED" })
      assert.lengthOf(at(result, "structuredContent", "requirements") as ReadonlyArray<unknown>, 2)
    }))

  it.effect("a step of a workflow asks for values in a form, and a wrong value is refused", () =>
    Effect.gen(function*() {
      const step = Step.make({
        name: "greet",
        userInput: {
          message: "Where?",
          schema: Schema.Struct({
            city: Schema.String.annotate({ description: "The city" }),
            count: Schema.Int
          })
        },
        run: ({ userInput }) => JSON.stringify(userInput)
      })
      const server = yield* serve({ workflows: [Workflow.make({ id: "flow", steps: [step] })] })
      const params = { name: "run_workflow", arguments: { workflow_id: "flow", message: "hi" } }
      const taskId = at(resultOf(yield* ask(server, "tools/call", params)), "taskId")
      const [[key, request]] = Object.entries(at(yield* getTask(server, taskId), "inputRequests") as object) as [
        [string, unknown]
      ]
      assert.deepStrictEqual(at(request, "params", "requestedSchema"), {
        type: "object",
        properties: { city: { type: "string", description: "The city" }, count: { type: "integer" } },
        required: ["city", "count"]
      })
      const update = (content: object) =>
        ask(server, "tasks/update", { taskId, inputResponses: { [key]: accept(content) } })
      const wrong = yield* update({ city: "Bern", count: "many" })
      assert.strictEqual(at(wrong.json, "error", "code"), -32602, wrong.text)
      resultOf(yield* update({ city: "Bern", count: 2 }))
      const done = yield* until(server, taskId, "completed")
      assert.include(String(at(done, "result", "content", 0, "text")), "Bern")
    }))
})

describe("whose task it is", () => {
  it.effect("another user's task, and one without its scope, is not there", () =>
    Effect.gen(function*() {
      const served = yield* slow({ authorization: yield* closed })
      const [ann, bob] = [yield* token("ann", "agents:run"), yield* token("bob", "agents:run")]
      const other = yield* token("ann", "agents:another:run")
      const taskId = at(yield* begun(served, { bearer: ann }), "taskId")
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        for (const bearer of [bob, other]) {
          const answer = yield* ask(served.server, method, { taskId, inputResponses: {} }, { bearer })
          assert.strictEqual(at(answer.json, "error", "code"), -32602, answer.text)
        }
      }
      assert.strictEqual(at(yield* getTask(served.server, taskId, { bearer: ann }), "status"), "working")
      yield* served.release
    }))

  it.effect("an unknown task, and a header that names another one, are refused", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const unknown = Buffer.from(JSON.stringify(["agent", "plain", "none"])).toString("base64url")
      for (const taskId of ["x", "", unknown, "x".repeat(5000), Buffer.from("[1]").toString("base64url")]) {
        const answer = yield* ask(server, "tasks/get", { taskId })
        assert.strictEqual(at(answer.json, "error", "code"), -32602, answer.text)
      }
      const mismatched = yield* ask(server, "tasks/get", { taskId: unknown }, { name: "other" })
      assert.deepStrictEqual([mismatched.status, at(mismatched.json, "error", "code")], [400, -32020])
      const untyped = yield* ask(server, "tasks/get", { taskId: 5 }, { name: "5" })
      assert.strictEqual(at(untyped.json, "error", "code"), -32602)
    }))
})
