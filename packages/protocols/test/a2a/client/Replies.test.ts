import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Interface } from "../../../src/a2a/client/RemoteCard.ts"
import * as Replies from "../../../src/a2a/client/Replies.ts"
import type { StreamResponse } from "../../../src/a2a/Model.ts"
import * as Proto03 from "../../../src/a2a/Proto03.ts"
import * as V03 from "../../../src/a2a/V03.ts"
import * as V10 from "../../../src/a2a/V10.ts"

const targetOf = (version: Interface["version"], binding: Interface["binding"]): Interface => ({
  url: "https://a.example",
  version,
  binding,
  tenant: undefined
})

const wires = [
  { name: "1.0", wire: V10.wire, target: targetOf("1.0", "JSONRPC") },
  { name: "0.3 on JSON-RPC", wire: V03.wire, target: targetOf("0.3", "JSONRPC") },
  { name: "0.3 on HTTP", wire: Proto03.wire, target: targetOf("0.3", "HTTP+JSON") }
]

const ids = { taskId: "t", contextId: "c" }
const parts = [{ text: "hi" }, { data: { answer: 42 } }, { url: "https://a.example/x.png", mediaType: "image/png" }]
const timestamp = "2026-11-21T00:00:00.000Z"

const items: ReadonlyArray<StreamResponse> = [
  {
    task: {
      id: "t",
      contextId: "c",
      status: { state: "TASK_STATE_CANCELED", timestamp },
      artifacts: [{ artifactId: "answer", parts }]
    }
  },
  { message: { messageId: "m", role: "ROLE_AGENT", parts } },
  {
    statusUpdate: {
      ...ids,
      status: {
        state: "TASK_STATE_INPUT_REQUIRED",
        timestamp,
        message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Which?" }] }
      }
    }
  },
  { artifactUpdate: { ...ids, artifact: { artifactId: "answer", parts }, append: true, lastChunk: false } }
]

const read = (target: Interface, body: object, status = 200) =>
  Replies.reply(target, status, JSON.stringify(target.binding === "JSONRPC" ? { result: body } : body))

describe("the answer of a remote agent", () => {
  it.each(wires)("an answer of $name has the tasks, messages and changes that were sent", ({ target, wire }) => {
    const replies = items.map((item) => Result.getOrThrow(read(target, wire.item(item))))
    assert.deepStrictEqual(replies.map(({ _tag }) => _tag), ["Task", "Message", "Status", "Artifact"])
    const [task, message, status, artifact] = replies
    assert.deepInclude(task, { ...ids, artifacts: [{ artifactId: "answer", parts }] })
    assert.deepInclude(task, { status: { state: "TASK_STATE_CANCELED", message: undefined } })
    assert.deepInclude(message, { message: { taskId: undefined, contextId: undefined, parts } })
    assert.strictEqual(
      status?._tag === "Status" ? status.status.message?.parts[0]?.text : undefined,
      "Which?"
    )
    assert.deepInclude(artifact, { append: true, artifact: { artifactId: "answer", parts } })
  })

  it("an error has the reason of its details, of its code, or of its status", () => {
    const reasonOf = (status: number, body: unknown) => {
      const reply = Replies.reply(targetOf("1.0", "HTTP+JSON"), status, JSON.stringify(body))
      return Result.isFailure(reply) ? `${reply.failure.reason}: ${reply.failure.message}` : "none"
    }
    assert.strictEqual(
      reasonOf(404, { error: { code: 404, message: "gone", details: [{ reason: "TASK_NOT_FOUND" }] } }),
      "TASK_NOT_FOUND: gone"
    )
    assert.strictEqual(reasonOf(200, { error: { code: -32004, message: "no" } }), "UNSUPPORTED_OPERATION: no")
    assert.strictEqual(reasonOf(503, "down"), "UNAVAILABLE: The service is not available")
    assert.strictEqual(reasonOf(401, {}), "PERMISSION_DENIED: Permission denied")
    assert.strictEqual(reasonOf(400, { error: { code: -1, message: "x".repeat(9999) } }).length, 517)
  })

  it.each([
    ["no JSON", "<html>"],
    ["no object", "[]"],
    ["no task", "{\"id\":\"t\"}"],
    ["a task without an id", "{\"task\":{\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}"],
    ["an unknown state", "{\"task\":{\"id\":\"t\",\"status\":{\"state\":\"constructor\"}}}"],
    ["a part without content", "{\"message\":{\"messageId\":\"m\",\"parts\":[{}]}}"]
  ])("an answer is unreadable when it is %s", (_, text) => {
    const reply = Replies.reply(targetOf("1.0", "HTTP+JSON"), 200, text)
    assert.strictEqual(Result.isFailure(reply) ? reply.failure.reason : undefined, "INVALID_AGENT_RESPONSE")
  })
})
