// Stored workflows on sockets: both paths, a chosen version, and the scopes of one workflow.
import { assert, describe, it } from "@effect/vitest"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { closed, token } from "../authorization/Closed.ts"
import { at, second } from "../Wire.ts"
import { model, registry, workflow } from "../wire/StoredComponents.ts"
import { open } from "./SocketClient.ts"

type Client = Effect.Success<ReturnType<typeof open>>

const served = Effect.fnUntraced(function*(options: TestServer.Options = {}, bearer?: string) {
  yield* TestClock.setTime(second * 1000)
  const { url } = yield* TestServer.listen({ registry: yield* registry, ...options })
  const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  const send = Effect.fnUntraced(function*(method: string, path: string, body: object) {
    const headers = { "content-type": "application/json", ...authorization }
    const answer = yield* Effect.promise(() => fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) }))
    assert.isTrue(answer.ok, yield* Effect.promise(() => answer.text()))
  })
  yield* send("POST", "/agents", { name: "Host", model, instructions: "First" })
  yield* send("POST", "/workflows", workflow)
  return { url, send }
})

const until = Effect.fnUntraced(function*(client: Client, event: string) {
  for (;;) {
    const frame = yield* client.next
    assert.notStrictEqual(at(frame, "event"), "error", JSON.stringify(frame))
    if (at(frame, "event") === event) return frame
  }
})

const start = { action: "start-workflow", message: "Hi", session_id: "s" }

describe("stored workflows on a socket", () => {
  it.effect("a workflow is started by the path of the socket, by a message, and in a version", () =>
    Effect.gen(function*() {
      const { send, url } = yield* served()
      const own = yield* open(url, "/workflows/flow/ws")
      yield* own.send(start)
      assert.strictEqual(at(yield* until(own, "WorkflowCompleted"), "content"), "First!")
      yield* send("PATCH", "/workflows/flow", { steps: [{ name: "ask", agent_id: "host" }] })
      const any = yield* open(url, "/workflows/ws")
      yield* any.send({ ...start, workflow_id: "flow" })
      assert.strictEqual(at(yield* until(any, "WorkflowCompleted"), "content"), "First")
      yield* any.send({ ...start, workflow_id: "flow", version: 1 })
      assert.strictEqual(at(yield* until(any, "WorkflowCompleted"), "content"), "First!")
      assert.include(String(at(yield* any.ask({ ...start, workflow_id: "gone" }), "error")), "not found")
    }))

  it.effect("a socket reads a run again after its workflow is deleted", () =>
    Effect.gen(function*() {
      const { send, url } = yield* served()
      const client = yield* open(url, "/workflows/flow/ws")
      yield* client.send({ ...start, run_id: "r" })
      yield* until(client, "WorkflowCompleted")
      yield* send("DELETE", "/workflows/flow", {})
      yield* client.send({ action: "reconnect", run_id: "r", session_id: "s" })
      assert.strictEqual(at(yield* until(client, "WorkflowCompleted"), "content"), "First!")
    }))

  it.effect("the scope of one workflow allows to start that one", () =>
    Effect.gen(function*() {
      const author = yield* token("eve", "agents:write", "workflows:write")
      const { url } = yield* served({ authorization: yield* closed }, author)
      const client = yield* open(url, "/workflows/ws")
      yield* client.send({ action: "authenticate", token: yield* token("ann", "workflows:flow:run") })
      yield* until(client, "authenticated")
      yield* client.send({ ...start, workflow_id: "flow" })
      assert.strictEqual(at(yield* until(client, "WorkflowCompleted"), "content"), "First!")
      const refused = yield* client.ask({ ...start, workflow_id: "other" })
      assert.strictEqual(at(refused, "error"), "Insufficient permissions to run this workflow")
    }))
})
