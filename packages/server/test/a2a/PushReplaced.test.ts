// A config of push notifications that changes while a call to its address is open.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { at } from "../Wire.ts"
import { holdingReceiver, receiver } from "./Receivers.ts"

const completed = "TASK_STATE_COMPLETED"

const opened = Effect.gen(function*() {
  const { model } = yield* Script.make([[Script.text("Hello.")]])
  const agents = [Agent.make({ id: "plain", model })]
  const { url } = yield* TestServer.listen({ agents, fetch: { allow: ["127.0.0.1"] } })
  const call = (method: string, params: object) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}/a2a/agents/plain`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      })
      return at(await response.json(), "result")
    })
  const old = yield* holdingReceiver
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] }
  const taskPushNotificationConfig = { id: "hook", url: old.url }
  const sent = yield* call("SendMessage", { message, configuration: { taskPushNotificationConfig } })
  const taskId = String(at(sent, "task", "id"))
  let change = yield* old.next
  // the first change can be that it works
  if (at(change, "status", "state") !== completed) {
    yield* old.releaseOne
    change = yield* old.next
  }
  assert.strictEqual(at(change, "status", "state"), completed)
  return { call, taskId, release: old.release }
})

describe("a call to the old address of a config is open", () => {
  it.live("the change is sent to the new address of a config that is replaced", () =>
    Effect.gen(function*() {
      const { call, release, taskId } = yield* opened
      const fresh = yield* receiver()
      yield* call("CreateTaskPushNotificationConfig", { taskId, id: "hook", url: fresh.url })
      yield* release
      const { body } = yield* fresh.next
      assert.strictEqual(at(body, "statusUpdate", "status", "state"), completed)
    }))

  it.live("the change is sent with the new token of a config that is deleted and made again", () =>
    Effect.gen(function*() {
      const { call, release, taskId } = yield* opened
      const fresh = yield* receiver()
      yield* call("DeleteTaskPushNotificationConfig", { taskId, id: "hook" })
      yield* call("CreateTaskPushNotificationConfig", { taskId, id: "hook", url: fresh.url, token: "again" })
      yield* release
      const { body, headers } = yield* fresh.next
      assert.strictEqual(at(body, "statusUpdate", "status", "state"), completed)
      assert.strictEqual(headers["x-a2a-notification-token"], "again")
    }))
})
