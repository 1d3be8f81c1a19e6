// Remote agents as tools of agents of this service.
import { assert, describe, it } from "@effect/vitest"
import * as RemoteAgent from "@svc-runtime/agents/agent/remote/RemoteAgent"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect } from "effect"
import { at, list } from "../Wire.ts"
import * as RemoteServer from "./RemoteServer.ts"

const fetch = { allow: ["127.0.0.1"] }

const form = (fields: Readonly<Record<string, string>>) => ({ method: "POST", body: new URLSearchParams(fields) })

const ask = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string, fields: Record<string, string>) {
  const response = yield* server.fetch(path, form(fields))
  return JSON.parse(yield* Effect.promise(() => response.text())) as unknown
})

describe("a remote agent as a tool", () => {
  const asking = Effect.fnUntraced(function*(answer: RemoteServer.Answer, ...turns: ReadonlyArray<Script.Turn>) {
    const remote = yield* RemoteServer.make(answer)
    const script = yield* Script.make(turns)
    const far = RemoteAgent.a2a({ id: "far", url: remote.url, role: "Knows cities", timeout: "10 seconds" })
    const agent = Agent.make({ id: "near", model: script.model, tools: [RemoteAgent.tool(far)] })
    return { remote, script, server: yield* TestServer.make({ agents: [agent], fetch }) }
  })

  it.live("the model reads the question of the tool, and its next call answers the same task", () =>
    Effect.gen(function*() {
      const { remote, server } = yield* asking(
        ({ params }, response) => {
          const isAnswer = at(params, "message", "taskId") === "task"
          RemoteServer.stream(response, RemoteServer.task("WORKING"))
          response.end(RemoteServer.frame(
            isAnswer ? RemoteServer.task("COMPLETED", "Rainy.") : RemoteServer.status("INPUT_REQUIRED", "Which city?")
          ))
        },
        [Script.toolCall("far", { message: "weather" })],
        [Script.toolCall("far", { message: "Bern", task_id: "task" })],
        [Script.text("It rains.")]
      )
      const run = yield* ask(server, "/agents/near/runs", { message: "hi", stream: "false" })
      const results = list(at(run, "tools")).map((tool) => String(at(tool, "result")))
      assert.include(results[0], "Which city?")
      assert.include(results[0], "task_id task")
      assert.strictEqual(results[1], "Rainy.")
      assert.strictEqual(at(run, "content"), "It rains.")
      assert.strictEqual(remote.received.length, 2)
    }))

  it.live("a failed task is a result for the model, and a cancelled run cancels the task", () =>
    Effect.gen(function*() {
      const failing = yield* asking(
        (_, response) => RemoteServer.rpc(response, RemoteServer.task("FAILED")),
        [Script.toolCall("far", { message: "weather" })],
        [Script.text("Sorry.")]
      )
      const run = yield* ask(failing.server, "/agents/near/runs", { message: "hi", stream: "false" })
      assert.deepInclude(list(at(run, "tools"))[0], { tool_call_error: true, result: "The remote agent far failed" })
      const [begun, cancelled] = [yield* Deferred.make<void>(), yield* Deferred.make<unknown>()]
      const { server } = yield* asking(({ method, params }, response) => {
        if (method === "CancelTask") {
          Deferred.doneUnsafe(cancelled, Effect.succeed(params))
          return RemoteServer.rpc(response, RemoteServer.task("CANCELED"))
        }
        RemoteServer.stream(response, RemoteServer.task("WORKING"))
        Deferred.doneUnsafe(begun, Effect.void)
      }, [Script.toolCall("far", { message: "weather" })])
      const run_id = crypto.randomUUID()
      yield* server.fetch(
        "/agents/near/runs",
        form({ message: "hi", stream: "false", background: "true", session_id: "s", run_id })
      )
      yield* Deferred.await(begun)
      yield* server.fetch(`/agents/near/runs/${run_id}/cancel?session_id=s`, { method: "POST" })
      assert.deepStrictEqual(yield* Deferred.await(cancelled), { id: "task" })
    }))
})
