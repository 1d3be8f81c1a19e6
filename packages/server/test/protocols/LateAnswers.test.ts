// A client was asked about a step, and another step is decided elsewhere since: that asks again, or fails. The answer
// of the client is late, and right: the run waits for it as before. As raw requests of each protocol.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect } from "effect"
import * as Mcp from "../mcp/Mcp.ts"
import { ask, at, get, list, post, serve } from "../Wire.ts"
import { framesOf } from "./PausedWires.ts"

type Server = TestServer.TestServer

/** Begins a run, and answers yes to what it asks then. */
type Client = (server: Server) => Effect.Effect<{ readonly answer: Effect.Effect<void> }>

const path = "/workflows/flow"

const accepted = (answer: { readonly status: number; readonly text: string }) =>
  assert.strictEqual(answer.status, 200, answer.text)

const yes = { accepted: true }

const agui: Client = Effect.fnUntraced(function*(server) {
  const input = { threadId: "s", messages: [{ id: "m", role: "user", content: "go" }] }
  const begun = yield* post(server, `${path}/agui`, { ...input, runId: "r1", protocolVersion: "1.0" })
  const interrupts = list(framesOf(begun.text).at(-1), "outcome", "interrupts")
  const resume = interrupts.map((each) => ({ interruptId: at(each, "id"), status: "resolved", payload: yes }))
  const request = { ...input, runId: "r2", protocolVersion: "1.0", messages: [], resume }
  return {
    answer: Effect.map(post(server, `${path}/agui`, request), (answer) => {
      accepted(answer)
      assert.strictEqual(at(framesOf(answer.text).at(-1), "type"), "RUN_FINISHED", answer.text)
    })
  }
})

const chat: Client = Effect.fnUntraced(function*(server) {
  const user = { id: "m", role: "user", parts: [{ type: "text", text: "go" }] }
  const shown = framesOf((yield* post(server, `${path}/chat`, { id: "s", messages: [user] })).text)
  const ofType = (type: string) => shown.find((chunk) => at(chunk, "type") === type)
  const call = ofType("tool-input-available")
  const part = {
    type: "dynamic-tool",
    toolName: at(call, "toolName"),
    toolCallId: at(call, "toolCallId"),
    input: at(call, "input"),
    state: "approval-responded",
    approval: { id: at(ofType("tool-approval-request"), "approvalId"), approved: true }
  }
  const message = { id: at(ofType("start"), "messageId"), role: "assistant", parts: [part] }
  const request = { id: "s", messages: [user, message] }
  return { answer: Effect.map(post(server, `${path}/chat`, request), accepted) }
})

const a2a: Client = Effect.fnUntraced(function*(server) {
  const send = (message: object) =>
    Effect.map(
      ask(server, `/a2a${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "a2a-version": "1.0" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "SendMessage",
          params: { message: { role: "ROLE_USER", contextId: "s", ...message } }
        })
      }),
      (answer) => {
        assert.isUndefined(at(answer.json, "error"), answer.text)
        return at(answer.json, "result", "task")
      }
    )
  const task = yield* send({ messageId: "m1", parts: [{ text: "go" }] })
  const question = list(task, "status", "message", "parts").map((part) => at(part, "data")).find((data) =>
    at(data, "id") !== undefined
  )
  const parts = [{ data: { id: at(question, "id"), ...yes } }]
  return { answer: Effect.asVoid(send({ messageId: "m2", taskId: at(task, "id"), parts })) }
})

const responses: Client = Effect.fnUntraced(function*(server) {
  const model = "workflows/flow"
  const begun = yield* post(server, "/v1/responses", { model, input: "go" })
  const input = list(begun.json, "output").flatMap((item) =>
    at(item, "type") === "function_call"
      ? [{ type: "function_call_output", call_id: at(item, "call_id"), output: JSON.stringify(yes) }]
      : []
  )
  const request = { model, input, previous_response_id: at(begun.json, "id") }
  return { answer: Effect.map(post(server, "/v1/responses", request), accepted) }
})

const completions: Client = Effect.fnUntraced(function*(server) {
  const user = { role: "user", content: "go" }
  const body = { model: "workflows/flow", conversation: "s", user: "ann" }
  const begun = yield* post(server, "/v1/chat/completions", { ...body, messages: [user] })
  const message = at(begun.json, "choices", 0, "message")
  const results = list(message, "tool_calls").map((call) => ({
    role: "tool",
    tool_call_id: at(call, "id"),
    content: JSON.stringify(yes)
  }))
  const request = { ...body, messages: [user, message, ...results] }
  return { answer: Effect.map(post(server, "/v1/chat/completions", request), accepted) }
})

const mcp: Client = Effect.fnUntraced(function*(server) {
  const asking = { extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: {} }
  const rpc = Effect.fnUntraced(function*(method: string, params: object, name: unknown) {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": asking
    }
    const { json, text } = yield* Mcp.post(server, { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, {
      headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": String(name) }
    })
    assert.isDefined(at(json, "result"), text)
    return at(json, "result")
  })
  const run = { name: "run_workflow", arguments: { workflow_id: "flow", message: "go", session_id: "s" } }
  const taskId = at(yield* rpc("tools/call", run, run.name), "taskId")
  const requests = at(yield* rpc("tasks/get", { taskId }, taskId), "inputRequests") as object
  const inputResponses = Object.fromEntries(
    Object.keys(requests).map((id) => [id, { action: "accept", content: {} }])
  )
  return { answer: Effect.asVoid(rpc("tasks/update", { taskId, inputResponses }, taskId)) }
})

const clients: Readonly<Record<string, Client>> = {
  "AG-UI": agui,
  "the UI message stream": chat,
  A2A: a2a,
  "responses of OpenAI": responses,
  "completions of OpenAI": completions,
  MCP: mcp
}

const others = {
  "asks again": async ({ pause }: Pick<Durable, "pause">) => {
    await pause({ question: "Drafts?" })
    return await pause({ question: "All?" })
  },
  fails: async ({ pause }: Pick<Durable, "pause">) => {
    await pause({ question: "Drafts?" })
    throw new Error("broken")
  }
}

describe("a late answer to a question that is still open", () => {
  for (const [name, client] of Object.entries(clients)) {
    it.effect.each(["asks again", "fails"] as const)(
      `the answer counts while another step %s: ${name}`,
      (what) =>
        Effect.gen(function*() {
          const isDone = yield* Deferred.make<void>()
          const run = () => Effect.as(Deferred.succeed(isDone, undefined), "ok")
          const sure = Step.make({ name: "sure", confirmation: true, run })
          const other = Step.make({ name: "other", onError: "pause", run: others[what] })
          const flow = Workflow.make({ id: "flow", steps: [Parallel.make({ name: "all", steps: [sure, other] })] })
          const server = yield* serve({ workflows: [flow], settings: { mcp: { enabled: true } } })
          const { answer } = yield* client(server)
          const session = String(
            at(list((yield* get(server, "/sessions?type=workflow")).json, "data"), 0, "session_id")
          )
          const runs = yield* get(server, `${path}/runs?session_id=${session}`)
          const run_id = String(at(list(runs.json)[0], "run_id"))
          const read = Effect.map(get(server, `${path}/runs/${run_id}?session_id=${session}`), ({ json }) => json)
          const step = list(yield* read, "step_requirements").find((each) => at(each, "step_name") === "other")
          accepted(
            yield* post(server, `${path}/runs/${run_id}/continue`, {
              session_id: session,
              stream: false,
              requirements: [{ id: at(step, "id"), step_id: at(step, "step_id"), user_input: { answer: "yes" } }]
            })
          )
          const moved = yield* read
          const open = [...list(moved, "step_requirements"), ...at(moved, "error_requirements") as [] ?? []]
            .filter((each) => at(each, "resolved") !== true)
          assert.deepStrictEqual(open.map((each) => at(each, "step_name")).toSorted(), ["other", "sure"])
          yield* answer
          yield* Deferred.await(isDone)
        })
    )
  }
})
