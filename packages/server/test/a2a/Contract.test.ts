// The contract's own wire of A2A, read as raw bytes.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Agent from "@svc-runtime/features/Agent"
import { defaultProtocols } from "@svc-runtime/http/Settings"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { ask, at, column, failed, get, list, post, serve } from "../Wire.ts"
import { assistant, down, plain } from "../wire/Fixtures.ts"

Tier.oneIn(3)

const message = (text: string, more: object = {}) => ({
  messageId: "m1",
  role: "user",
  parts: [{ kind: "text", text }],
  contextId: "c1",
  ...more
})

const envelope = (text: string, more: object = {}) => ({
  jsonrpc: "2.0",
  id: "r1",
  params: { message: message(text) },
  ...more
})

interface Frame {
  readonly event: string
  readonly result: unknown
}

const framesOf = (text: string): ReadonlyArray<Frame> =>
  text.split("\n\n").filter((frame) => frame.startsWith("event: ")).map((frame) => {
    const [event = "", data = ""] = frame.split("\n")
    const { id, jsonrpc, result } = JSON.parse(data.slice("data: ".length))
    assert.deepStrictEqual([id, jsonrpc], ["r1", "2.0"])
    return { event: event.slice("event: ".length), result }
  })

const shownAs = ({ event, result }: Frame) =>
  event === "TaskStatusUpdateEvent"
    ? `${at(result, "status", "state")} ${at(result, "metadata", "svc_event_type") ?? at(result, "final")}`
    : event === "Message"
    ? `text ${at(result, "parts", 0, "text")}`
    : `task ${at(result, "status", "state")}`

describe("the contract's wire of A2A", () => {
  it.effect("message:send responds with the task, without null keys", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const { json, status } = yield* post(server, "/a2a/agents/plain/v1/message:send", envelope("hi"))
      assert.strictEqual(status, 200)
      assert.deepStrictEqual([at(json, "id"), at(json, "jsonrpc")], ["r1", "2.0"])
      const result = at(json, "result")
      assert.deepStrictEqual(result, {
        id: at(result, "id"),
        contextId: "c1",
        kind: "task",
        status: { state: "completed" },
        history: [{
          kind: "message",
          messageId: at(result, "history", 0, "messageId"),
          role: "agent",
          parts: [{ kind: "text", text: "Hello." }],
          contextId: "c1",
          taskId: at(result, "id")
        }]
      })
    }))

  it.effect("message:stream names its frames, and ends with a final status and the task", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* assistant).agent] })
      const { text } = yield* post(server, "/a2a/agents/assistant/v1/message:stream", envelope("hi"))
      const frames = framesOf(text)
      assert.deepStrictEqual(frames.map(shownAs), [
        "working false",
        "working tool_call_started",
        "working tool_call_completed",
        "text Tea is",
        "text  a leaf.",
        "completed true",
        "task completed"
      ])
      const ids = frames.flatMap(({ event, result }) => event === "Message" ? [at(result, "messageId")] : [])
      assert.strictEqual(new Set([...ids, at(frames.at(-1)?.result, "history", 0, "messageId")]).size, 1)
      assert.isDefined(at(frames.at(-1)?.result, "history", 0, "metadata", "metrics"))
    }))

  it.effect("a failed run ends its stream as failed", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* down).agent] })
      const { text } = yield* post(server, "/a2a/agents/down/v1/message:stream", envelope("hi"))
      assert.deepStrictEqual(framesOf(text).map(shownAs), ["working false", "failed true", "task failed"])
    }))

  it.effect("a request that does not wait gets 202, and its task is polled with null keys", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const params = { message: message("hi"), configuration: { blocking: false } }
      const { json, status } = yield* post(server, "/a2a/agents/plain/v1/message:send", { id: 1, params })
      assert.deepStrictEqual([status, at(json, "result", "status", "state")], [202, "submitted"])
      const id = at(json, "result", "id")
      yield* get(server, `/agents/plain/runs/${id}/events?session_id=c1`)
      const polled = yield* post(server, "/a2a/agents/plain/v1/tasks:get", { params: { id, contextId: "c1" } })
      assert.deepInclude(polled.json, { id: "unknown", jsonrpc: "2.0" })
      assert.deepStrictEqual(at(polled.json, "result", "status"), {
        message: null,
        state: "completed",
        timestamp: null
      })
      assert.isNull(at(polled.json, "result", "artifacts"))
    }))

  it.effect("an anonymous caller names the user of the task, and no reserved one", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const send = (user: string) =>
        ask(server, "/a2a/agents/plain/v1/message:send", {
          method: "POST",
          headers: { "content-type": "application/json", "x-user-id": user },
          body: JSON.stringify({ id: 1, params: { message: message("hi", { contextId: user }) } })
        })
      const { json } = yield* send("ann")
      assert.deepStrictEqual(at(json, "result", "history", 0, "metadata"), { userId: "ann" })
      assert.strictEqual((yield* send("sa:robot")).status, 403)
    }))

  it.effect("missing ids, other methods and other roles are refused with 400, and unknown tasks with 404", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const refused = (path: string, body: unknown) =>
        Effect.map(
          post(server, `/a2a/agents/plain/v1/${path}`, body),
          ({ json, status }) => [status, at(json, "detail")]
        )
      assert.deepStrictEqual(
        yield* refused("message:send", { id: 1, params: { message: message("hi", { role: "agent" }) } }),
        [400, "Only user messages are accepted"]
      )
      assert.strictEqual((yield* refused("message:send", envelope("hi", { method: "tasks/get" })))[0], 400)
      assert.strictEqual((yield* refused("message:send", { params: {} }))[0], 400)
      assert.strictEqual((yield* refused("message:send", "{"))[0], 400)
      assert.deepStrictEqual(yield* refused("tasks:get", { params: {} }), [400, "Task ID (params.id) is required"])
      assert.deepStrictEqual(
        yield* refused("tasks:get", { params: { id: "x" } }),
        [400, "contextId is required to poll a task"]
      )
      const unknown = yield* refused("tasks:get", { params: { id: "x", contextId: "c1" } })
      assert.deepStrictEqual(unknown, [404, "Task not found"])
      const other = yield* post(server, "/a2a/agents/none/v1/message:send", envelope("hi"))
      assert.strictEqual(other.status, 404)
      assert.match(String(at(other.json, "detail")), /^Agent not found: '/)
    }))

  it.effect("the deprecated routes find the component by the body or by a header", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const body = { id: 1, params: { message: message("hi", { agentId: "plain" }) } }
      const named = yield* post(server, "/a2a/message/send", body)
      assert.strictEqual(at(named.json, "result", "status", "state"), "completed")
      const headers = { "content-type": "application/json", "x-agent-id": "plain" }
      const other = yield* ask(server, "/a2a/message/stream", {
        method: "POST",
        headers,
        body: JSON.stringify(envelope("hi"))
      })
      assert.strictEqual(framesOf(other.text).at(-1)?.event, "Task")
      assert.strictEqual((yield* post(server, "/a2a/message/send", envelope("hi"))).status, 400)
      const unknown = { id: 1, params: { message: message("hi", { agentId: "none" }) } }
      assert.strictEqual((yield* post(server, "/a2a/message/send", unknown)).status, 404)
    }))

  it.effect("the deprecated routes name the kind of component that the caller may not run", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bearer = yield* token("ann", "agents:run")
      for (const [agentId, kind] of [["desk", "team"], ["brief", "workflow"]]) {
        const body = JSON.stringify({ id: 1, params: { message: message("hi", { agentId }) } })
        const init = { method: "POST", headers: { "content-type": "application/json" }, body }
        for (const path of ["/a2a/message/send", "/a2a/message/stream"]) {
          const refused = yield* call(server, { path, init }, bearer)
          failed(refused, 403, "FORBIDDEN", `Insufficient permissions to run this ${kind}`)
        }
      }
    }))

  it.effect("what a message carries is in the metadata of the run", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const body = { id: 1, params: { message: message("hi", { metadata: { team: "a" } }) } }
      yield* post(server, "/a2a/agents/plain/v1/message:send", body)
      const { json } = yield* get(server, "/sessions/c1/runs")
      const [run] = list(json)
      const found = yield* get(server, `/agents/plain/runs/${at(run, "run_id")}?session_id=c1`)
      assert.deepStrictEqual(at(found.json, "metadata"), {
        a2a: { messageId: "m1", contextId: "c1", metadata: { team: "a" } }
      })
      assert.deepStrictEqual(column([run], "run_input"), ["hi"])
    }))
})

describe("the card", () => {
  it.effect("a card of 0.3 keeps the address of streams, and can be kept by clients", () =>
    Effect.gen(function*() {
      const publicUrl = "https://agents.example.com"
      const settings = { protocols: { ...defaultProtocols, publicUrl } }
      const server = yield* serve({ agents: [(yield* plain).agent], settings })
      const path = "/a2a/agents/plain/.well-known/agent-card.json"
      const card = yield* get(server, path)
      assert.strictEqual(at(card.json, "protocolVersion"), "0.3.0")
      assert.strictEqual(at(card.json, "url"), `${publicUrl}/a2a/agents/plain/v1/message:stream`)
      assert.isTrue(at(card.json, "capabilities", "streaming"))
      const etag = card.headers.get("etag") ?? ""
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = yield* ask(server, path, { headers: { "if-none-match": known } })
        assert.deepStrictEqual([again.status, again.text], [304, ""], known)
      }
      const current = yield* get(server, `${path}?A2A-Version=1.0`)
      assert.isUndefined(at(current.json, "protocolVersion"))
      assert.deepStrictEqual(column(at(current.json, "supportedInterfaces"), "protocolVersion"), ["1.0", "1.0"])
    }))
})

describe("a factory", () => {
  it.effect("a factory reads what the message carries, and so does a hook", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { script } = yield* plain
      const factory = AgentFactory.make({
        id: "made",
        build: ({ metadata }) => {
          seen.push(at(metadata, "a2a", "messageId"))
          return Agent.make({
            id: "made",
            model: script.model,
            preHooks: [{
              name: "look",
              run: ({ context }) => void seen.push(at(context.metadata, "a2a", "metadata", "team"))
            }]
          })
        }
      })
      const server = yield* serve({ agents: [factory] })
      const body = { id: 1, params: { message: message("hi", { metadata: { team: "a" } }) } }
      yield* post(server, "/a2a/agents/made/v1/message:send", body)
      assert.deepStrictEqual(seen, ["m1", "a"])
    }))
})
