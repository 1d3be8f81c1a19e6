// A task has room for ten push configs.
import { assert, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { at } from "../Wire.ts"
import { toolUser } from "../wire/Fixtures.ts"
import { mail } from "./Mail.ts"
import { codeOf, current, message, rpc } from "./Requests.ts"

const configOf = (id: string) => ({ id, url: "http://127.0.0.1:9/changes" })

it.live("a message that continues a task with ten push configs is refused with another one, and the task still asks", () =>
  Effect.gen(function*() {
    const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
    const agents = [Agent.make({ id: "plain", model: script.model, tools: [mail] })]
    const server = yield* TestServer.make({ agents, fetch: { allow: ["127.0.0.1"] } })
    const call = (method: string, params: unknown) => rpc(server, method, params, current)
    const task = at((yield* call("SendMessage", message())).json, "result", "task")
    const taskId = at(task, "id")
    const set = (id: string) => call("CreateTaskPushNotificationConfig", { taskId, ...configOf(id) })
    yield* Effect.forEach(Array.from({ length: 10 }), (_, place) => set(`p${place}`))
    const approve = (id: string) =>
      call("SendMessage", {
        ...message({ messageId: "m2", taskId, parts: [{ text: "yes" }] }),
        configuration: { taskPushNotificationConfig: configOf(id) }
      })
    const refused = yield* approve("p10")
    assert.strictEqual(codeOf(refused), -32602)
    const state = at((yield* call("GetTask", { id: taskId })).json, "result", "status", "state")
    assert.strictEqual(state, "TASK_STATE_INPUT_REQUIRED")
    assert.lengthOf(yield* script.calls, 1)
    const continued = yield* approve("p9")
    assert.strictEqual(at(continued.json, "result", "task", "status", "state"), "TASK_STATE_COMPLETED")
    yield* call("DeleteTaskPushNotificationConfig", { taskId, id: "p9" })
    yield* set("p10")
    const repeated = yield* approve("p9")
    assert.strictEqual(at(repeated.json, "result", "task", "status", "state"), "TASK_STATE_COMPLETED")
  }))
