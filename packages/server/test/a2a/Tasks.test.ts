// The life of tasks through the official client: lists, cancels, subscriptions, and what waits for a person.
import { assert, describe, it } from "@effect/vitest"
import { CheckFailed } from "@svc-runtime/agents/agent/define/Hook"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { at, column } from "../Wire.ts"
import { down, plain, toolUser } from "../wire/Fixtures.ts"
import { mail } from "./Mail.ts"
import * as Sdk from "./Sdk.ts"

Tier.oneIn(10)

const careful = Effect.gen(function*() {
  const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
  return { script, agent: Agent.make({ id: "careful", name: "Careful", model: script.model, tools: [mail] }) }
})

const rejection = (promise: () => Promise<unknown>) =>
  Effect.promise(() => promise().then(() => undefined, (error: unknown) => error as { readonly name: string }))

const onlyTea = {
  name: "check",
  run: () => Effect.fail(new CheckFailed({ reason: "off_topic", message: "Only about tea" }))
}

describe.each(Sdk.dialects)("A2A $version on $binding", (dialect) => {
  it.live("a paused task asks for input, and a message with its id continues it", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [(yield* careful).agent] })
      const client = yield* Sdk.connect(`${url}/a2a/agents/careful`, dialect)
      const items = yield* Sdk.collect(client.sendMessageStream(Sdk.message("mail ann")))
      const last = at(items.at(-1), "payload", "value")
      assert.strictEqual(at(last, "status", "state"), 6)
      assert.strictEqual(at(last, "status", "message", "parts", 1, "content", "value", "name"), "send_mail")
      const ids = { taskId: at(last, "taskId"), contextId: at(last, "contextId") }
      const task = yield* Effect.promise(() => client.getTask({ id: String(ids.taskId), tenant: "" } as never))
      assert.strictEqual(at(task, "status", "state"), 6)
      const refused = yield* rejection(() => client.sendMessage(Sdk.message("yes", { ...ids, contextId: "other" })))
      assert.isDefined(refused)
      const sent = yield* Effect.promise(() => client.sendMessage(Sdk.message("yes", ids)))
      assert.strictEqual(at(sent, "id"), ids.taskId)
      assert.strictEqual(at(sent, "status", "state"), 3)
      assert.deepStrictEqual(column(at(sent, "history"), "role"), [1, 1])
      const late = yield* rejection(() => client.sendMessage(Sdk.message("again", ids)))
      assert.strictEqual(late?.name, "UnsupportedOperationError")
    }))

  it.live("a task that works is watched from its text so far, and cancelled", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const script = yield* Script.make([[Script.text("One"), Script.wait(gate), Script.text(" two"), Script.hang]])
      const agent = Agent.make({ id: "slow", name: "Slow", model: script.model })
      const { url } = yield* TestServer.listen({ agents: [agent] })
      const client = yield* Sdk.connect(`${url}/a2a/agents/slow`, dialect)
      const first = client.sendMessageStream(Sdk.message("count"))
      const id = String(at(yield* Effect.promise(() => first.next()), "value", "payload", "value", "id"))
      for (;;) {
        const item = yield* Effect.promise(() => first.next())
        if (at(item, "value", "payload", "$case") === "artifactUpdate") break
      }
      const watching = client.resubscribeTask({ id, tenant: "" } as never)
      const task = at(yield* Effect.promise(() => watching.next()), "value", "payload", "value")
      assert.strictEqual(at(task, "id"), id)
      assert.strictEqual(at(task, "artifacts", 0, "parts", 0, "content", "value"), "One")
      yield* Deferred.succeed(gate, undefined)
      const next = at(yield* Effect.promise(() => watching.next()), "value", "payload", "value")
      assert.strictEqual(at(next, "artifact", "parts", 0, "content", "value"), " two")
      const cancelled = yield* Effect.promise(() => client.cancelTask({ id, tenant: "", metadata: undefined } as never))
      assert.strictEqual(at(cancelled, "status", "state"), 5)
      const rest = yield* Sdk.collect(watching)
      assert.strictEqual(at(rest.at(-1), "payload", "value", "status", "state"), 5)
      const again = yield* rejection(() => client.cancelTask({ id, tenant: "", metadata: undefined } as never))
      assert.strictEqual(again?.name, "TaskNotCancelableError")
      const unknown = yield* rejection(() => client.getTask({ id: "none", tenant: "" } as never))
      assert.strictEqual(unknown?.name, "TaskNotFoundError")
    }))

  it.live("a paused task is cancelled, and takes no answer afterwards", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [(yield* careful).agent] })
      const client = yield* Sdk.connect(`${url}/a2a/agents/careful`, dialect)
      const sent = yield* Effect.promise(() => client.sendMessage(Sdk.message("mail ann")))
      const id = String(at(sent, "id"))
      assert.strictEqual(at(sent, "status", "state"), 6)
      const cancelled = yield* Effect.promise(() => client.cancelTask({ id, tenant: "", metadata: undefined } as never))
      assert.strictEqual(at(cancelled, "status", "state"), 5)
      const late = yield* rejection(() => client.sendMessage(Sdk.message("yes", { taskId: id })))
      assert.strictEqual(late?.name, "UnsupportedOperationError")
    }))

  it.live("a task whose input a hook does not accept is rejected, and one whose model fails has failed", () =>
    Effect.gen(function*() {
      const { script } = yield* plain
      const strict = Agent.make({
        id: "strict",
        name: "Strict",
        model: script.model,
        preHooks: [onlyTea]
      })
      const { url } = yield* TestServer.listen({ agents: [strict, (yield* down).agent] })
      for (const [id, state] of [["strict", 7], ["down", 4]] as const) {
        const client = yield* Sdk.connect(`${url}/a2a/agents/${id}`, dialect)
        const sent = yield* Effect.promise(() => client.sendMessage(Sdk.message("hi")))
        assert.strictEqual(at(sent, "status", "state"), state)
        const read = yield* Effect.promise(() => client.getTask({ id: String(at(sent, "id")), tenant: "" } as never))
        assert.strictEqual(at(read, "status", "state"), state)
        const items = yield* Sdk.collect(client.sendMessageStream(Sdk.message("hi")))
        assert.strictEqual(at(items.at(-1), "payload", "value", "status", "state"), state)
        assert.isDefined(at(items.at(-1), "payload", "value", "status", "message", "parts", 0))
      }
    }))

  it.live("teams and workflows answer as agents do", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const team = Team.make({ id: "desk", name: "Desk", model: (yield* plain).script.model, members: [agent] })
      const workflow = Workflow.make({
        id: "flow",
        name: "Flow",
        steps: [Step.make({ name: "answer", agent }), Step.make({ name: "end", run: () => "Done." })]
      })
      const { url } = yield* TestServer.listen({ agents: [agent], teams: [team], workflows: [workflow] })
      for (const [path, answer] of [["teams/desk", "Hello."], ["workflows/flow", "Done."]] as const) {
        const client = yield* Sdk.connect(`${url}/a2a/${path}`, dialect)
        const items = yield* Sdk.collect(client.sendMessageStream(Sdk.message("hi")))
        const id = String(at(items[0], "payload", "value", "id"))
        assert.strictEqual(at(items.at(-1), "payload", "value", "status", "state"), 3)
        const task = yield* Effect.promise(() => client.getTask({ id, tenant: "" } as never))
        assert.strictEqual(at(task, "artifacts", 0, "parts", 0, "content", "value"), answer, path)
      }
    }))
})

describe.each(Sdk.dialects.filter(({ version }) => version === "1.0"))("A2A $version on $binding", (dialect) => {
  it.live("tasks are listed in pages, by context and by state", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const client = yield* Sdk.connect(`${url}/a2a/agents/plain`, dialect)
      for (const contextId of ["one", "one", "two"]) {
        yield* Effect.promise(() => client.sendMessage(Sdk.message("hi", { contextId })))
      }
      const none = { tenant: "", contextId: "", status: 0, pageToken: "" }
      const list = (query: object) => Effect.promise(() => client.listTasks({ ...none, ...query } as never))
      const first = yield* list({ pageSize: 2 })
      assert.deepStrictEqual([first.tasks.length, first.totalSize, first.pageSize], [2, 3, 2])
      assert.isUndefined(at(first.tasks[0], "artifacts", 0))
      const second = yield* list({ pageSize: 2, pageToken: first.nextPageToken })
      assert.deepStrictEqual([second.tasks.length, second.nextPageToken], [1, ""])
      const ofOne = yield* list({ contextId: "one", status: 3, includeArtifacts: true })
      assert.deepStrictEqual(column(ofOne.tasks, "contextId"), ["one", "one"])
      assert.strictEqual(at(ofOne.tasks[0], "artifacts", 0, "parts", 0, "content", "value"), "Hello.")
      assert.deepStrictEqual((yield* list({ status: 4 })).tasks, [])
      assert.isDefined(yield* rejection(() => client.listTasks({ ...none, pageSize: 101 } as never)))
    }))

  it.live("a rejected task is listed as rejected, and not as failed", () =>
    Effect.gen(function*() {
      const { script } = yield* plain
      const strict = Agent.make({ id: "strict", model: script.model, preHooks: [onlyTea] })
      const { url } = yield* TestServer.listen({ agents: [strict] })
      const client = yield* Sdk.connect(`${url}/a2a/agents/strict`, dialect)
      const sent = yield* Effect.promise(() => client.sendMessage(Sdk.message("hi")))
      const list = (status: number) =>
        Effect.promise(() => client.listTasks({ tenant: "", contextId: "", pageToken: "", status } as never))
      const rejected = yield* list(7)
      assert.deepStrictEqual([column(rejected.tasks, "id"), rejected.totalSize], [[at(sent, "id")], 1])
      assert.strictEqual(at(rejected.tasks[0], "status", "state"), 7)
      assert.deepStrictEqual((yield* list(4)).tasks, [])
    }))
})
