// A tool that asks twice in one call. On wires on which an answer names a call, as raw requests and bytes: an answer
// that is sent twice counts once.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { type Answer, ask, at, get, list, post, serve } from "../Wire.ts"
import { toolUser } from "../wire/Fixtures.ts"
import { framesOf } from "./PausedWires.ts"

Tier.oneIn(4)

/** The questions of the call, as the wire names them. */
type Sent = Effect.Effect<readonly [answer: Answer, calls: ReadonlyArray<string>]>

interface Client {
  readonly begin: Sent
  /** The request is the same if it is sent again. */
  readonly give: (call: string, answer: string) => Sent
}

const serving = Effect.gen(function*() {
  const done: Array<string> = []
  const tool = Tool.make({
    name: "clean",
    execute: async (_, { pause }) => {
      for (const what of ["drafts", "customers"]) {
        done.push(`${what}: ${await pause({ question: `Delete ${what}?` })}`)
      }
      return "cleaned"
    }
  })
  const { model } = yield* toolUser(Script.toolCall("clean", {}, "call_1"))
  return { done, server: yield* serve({ agents: [Agent.make({ id: "a", model, tools: [tool] })] }) }
})

const textsIn = (frames: ReadonlyArray<unknown>, type: string, key: string) =>
  frames.filter((each) => at(each, "type") === type).map((each) => String(at(each, key)))

const user = { id: "m", role: "user", parts: [{ type: "text", text: "go" }] }

const chat = (server: TestServer.TestServer): Client => {
  let messageId = ""
  const send = (messages: ReadonlyArray<object>): Sent =>
    Effect.map(post(server, "/agents/a/chat", { id: "s", messages }), (answer) => {
      const frames = framesOf(answer.text)
      messageId = textsIn(frames, "start", "messageId").find((id) => id !== "undefined") ?? messageId
      return [answer, textsIn(frames, "tool-input-available", "toolCallId")]
    })
  const parts: Array<object> = []
  return {
    begin: send([user]),
    give: (toolCallId, answer) =>
      Effect.suspend(() => {
        // the message of the client has the answers before
        parts.push({ type: "dynamic-tool", toolCallId, state: "output-available", output: { answer } })
        return send([user, { id: messageId, role: "assistant", parts: [...parts] }])
      })
  }
}

const agui = (server: TestServer.TestServer): Client => {
  let runs = 0
  const send = (messages: ReadonlyArray<object>): Sent =>
    Effect.map(post(server, "/agents/a/agui", { threadId: "s", runId: `r${runs++}`, messages }), (answer) => [
      answer,
      textsIn(framesOf(answer.text), "TOOL_CALL_START", "toolCallId")
    ])
  const begun = { id: "m", role: "user", content: "go" }
  const results: Array<object> = []
  return {
    begin: send([begun]),
    give: (toolCallId, answer) =>
      Effect.suspend(() => {
        results.push({ id: `t${results.length}`, role: "tool", toolCallId, content: JSON.stringify({ answer }) })
        return send([begun, ...results])
      })
  }
}

const responses = (server: TestServer.TestServer): Client => {
  let previous: unknown
  const send = (more: object): Sent =>
    Effect.map(post(server, "/v1/responses", { model: "a", ...more }), (answer) => {
      previous = at(answer.json, "id") ?? previous
      const calls = answer.status === 200 ? list(answer.json, "output") : []
      return [answer, calls.flatMap((item) => at(item, "call_id") === undefined ? [] : [String(at(item, "call_id"))])]
    })
  return {
    begin: send({ input: "go" }),
    give: (call_id, answer) =>
      Effect.suspend(() => {
        const output = { type: "function_call_output", call_id, output: JSON.stringify({ answer }) }
        return send({ previous_response_id: previous, input: [output] })
      })
  }
}

const completions = (server: TestServer.TestServer): Client => {
  const begun = { role: "user", content: "go" }
  const send = (messages: ReadonlyArray<object>): Sent =>
    Effect.map(post(server, "/v1/chat/completions", { model: "a", messages }), (answer) => {
      const calls = answer.status === 200 ? at(answer.json, "choices", 0, "message", "tool_calls") ?? [] : []
      return [answer, list(calls).map((call) => String(at(call, "id")))]
    })
  return {
    begin: send([begun]),
    give: (tool_call_id, answer) => {
      const call = { id: tool_call_id, type: "function", function: { name: "clean", arguments: "{}" } }
      return send([begun, { role: "assistant", content: null, tool_calls: [call] }, {
        role: "tool",
        tool_call_id,
        content: JSON.stringify({ answer })
      }])
    }
  }
}

const a2a = (server: TestServer.TestServer): Client => {
  let task: object = {}
  let messages = 0
  const send = (parts: ReadonlyArray<object>): Sent =>
    Effect.map(
      ask(server, "/a2a/agents/a", {
        method: "POST",
        headers: { "content-type": "application/json", "a2a-version": "1.0" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "SendMessage",
          params: { message: { messageId: `m${messages++}`, role: "ROLE_USER", parts, ...task } }
        })
      }),
      (answer) => {
        const found = at(answer.json, "result", "task")
        if (found === undefined) return [answer, []]
        task = { taskId: at(found, "id"), contextId: at(found, "contextId") }
        const shown = at(found, "status", "message", "parts") ?? []
        return [
          answer,
          list(shown).flatMap((part) => {
            const call = at(part, "data", "tool_call_id")
            return call === undefined ? [] : [String(call)]
          })
        ]
      }
    )
  return {
    begin: send([{ text: "go" }]),
    give: (tool_call_id, answer) => Effect.suspend(() => send([{ data: { tool_call_id, values: { answer } } }]))
  }
}

const runOf = (server: TestServer.TestServer) =>
  Effect.gen(function*() {
    const sessions = yield* get(server, "/sessions?type=agent")
    const session = String(at(list(sessions.json, "data")[0], "session_id"))
    const [run] = list((yield* get(server, `/agents/a/runs?session_id=${session}`)).json)
    return run
  })

describe.each<readonly [wire: string, client: (server: TestServer.TestServer) => Client, refused: number]>([
  ["the UI message stream", chat, 422],
  ["AG-UI", agui, 409],
  // the response that was given to the answer
  ["the responses of OpenAI", responses, 200],
  ["the completions of OpenAI", completions, 200],
  // an error of JSON-RPC
  ["A2A", a2a, 200]
])("%s", (_, client, refused) => {
  it.effect("an answer that is sent twice does not count for the next question of the call, which is shown", () =>
    Effect.gen(function*() {
      const { done, server } = yield* serving
      const { begin, give } = client(server)
      const [, [first = "none"]] = yield* begin
      const [answered, [second = "none", ...more]] = yield* give(first, "yes")
      assert.strictEqual(answered.status, 200, answered.text)
      assert.notStrictEqual(second, "none", answered.text)
      assert.notStrictEqual(second, first)
      assert.isEmpty(more)
      const before = yield* runOf(server)
      const [again] = yield* give(first, "yes")
      assert.strictEqual(again.status, refused, again.text)
      assert.deepStrictEqual(done.filter((each) => each.startsWith("customers")), [])
      assert.deepStrictEqual(yield* runOf(server), before)
      const [ended] = yield* give(second, "no")
      assert.strictEqual(ended.status, 200, ended.text)
      assert.deepStrictEqual([...new Set(done)], ["drafts: yes", "customers: no"])
      assert.strictEqual(at(yield* runOf(server), "status"), "COMPLETED")
    }))
})

it.effect("the UI message stream: a page that is loaded again has one open question", () =>
  Effect.gen(function*() {
    const { server } = yield* serving
    const { begin, give } = chat(server)
    const [, [first = ""]] = yield* begin
    const [, [second = ""]] = yield* give(first, "yes")
    const stream = Effect.map(get(server, "/agents/a/chat/s/stream"), ({ text }) => framesOf(text))
    const again = yield* stream
    // a call is shown when it begins, and again with its question
    assert.deepStrictEqual(textsIn(again, "tool-input-available", "toolCallId"), [first, first, second])
    assert.deepStrictEqual(textsIn(again, "tool-output-available", "toolCallId"), [first])
  }))

it.effect("AG-UI: the call of each question has one result, if the answers are entries of `resume`", () =>
  Effect.gen(function*() {
    const { done, server } = yield* serving
    const results: Array<string> = []
    const resume: Array<object> = []
    for (const runId of ["r1", "r2", "r3"]) {
      const messages = [{ id: "m", role: "user", content: "go" }]
      const body = { threadId: "s", runId, protocolVersion: "1.0", messages, resume }
      const frames = framesOf((yield* post(server, "/agents/a/agui", body)).text)
      results.push(...textsIn(frames, "TOOL_CALL_RESULT", "toolCallId"))
      const [interrupt] = list(at(frames.at(-1), "outcome", "interrupts") ?? [])
      resume.splice(0, 1, { interruptId: at(interrupt, "id"), status: "resolved", payload: { answer: runId } })
    }
    assert.deepStrictEqual([...new Set(done)], ["drafts: r1", "customers: r2"])
    assert.deepStrictEqual(results, ["call_1.1", "call_1"])
    const input = { threadId: "s", runId: "c", messages: [] }
    const read = framesOf((yield* post(server, "/copilotkit/agent/agents%2Fa/connect", input)).text)
    assert.deepStrictEqual(textsIn(read, "TOOL_CALL_RESULT", "toolCallId"), results)
  }))
