// A turn that was stopped, and an answer that was made again, in the next turn of their conversation: on each wire, as
// its clients send it.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import * as Mcp from "../mcp/Mcp.ts"
import { ask, at, get, list, post, run, serve } from "../Wire.ts"
import { framesOf } from "./PausedWires.ts"
import { remembering } from "./Remembering.ts"

Tier.oneIn(3)

type Server = TestServer.TestServer

interface Wire {
  readonly name: string
  /** Sends a message of the conversation. `before`: the last run, and what its client got of it. */
  readonly say: (server: Server, text: string, before?: Before) => Effect.Effect<string>
  readonly stop?: (server: Server, run_id: string) => Effect.Effect<unknown>
}

interface Before {
  readonly run_id: string
  readonly text: string
}

const runs = (server: Server) =>
  Effect.map(get(server, "/sessions/s/runs"), ({ json }) => list(json).map((each) => String(at(each, "run_id"))))

const rpc = (server: Server, method: string, params: object) =>
  ask(server, "/a2a/agents/a", {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })

const user = (text: string) => ({ id: `u-${text}`, role: "user", parts: [{ type: "text", text }] })

/** The messages that a client of AG-UI has made of a stream. */
const shownBy = (text: string) => {
  const frames = framesOf(text)
  const ofType = (type: string) => frames.filter((frame) => at(frame, "type") === type)
  const toolCalls = ofType("TOOL_CALL_START").map((frame) => ({
    id: at(frame, "toolCallId"),
    type: "function",
    function: { name: at(frame, "toolCallName"), arguments: "{}" }
  }))
  return [
    { id: at(ofType("TOOL_CALL_START")[0], "parentMessageId"), role: "assistant", toolCalls },
    ...ofType("TOOL_CALL_RESULT").map((frame) => ({
      id: at(frame, "messageId"),
      role: "tool",
      toolCallId: at(frame, "toolCallId"),
      content: at(frame, "content")
    }))
  ]
}

const aguiUser = (content: string) => ({ id: `u-${content}`, role: "user", content })

const wires: ReadonlyArray<Wire> = [
  {
    name: "the HTTP API",
    say: (server, message) =>
      Effect.map(run(server, "a", { session_id: "s", stream: "true", message }), ({ text }) => text)
  },
  {
    name: "the UI message stream",
    say: (server, text, before) => {
      const shown = before === undefined
        ? []
        : [user("first"), { id: before.run_id, role: "assistant", parts: [{ type: "text", text: "I send." }] }]
      return Effect.map(
        post(server, "/agents/a/chat", { id: "s", messages: [...shown, user(text)] }),
        ({ text }) => text
      )
    },
    stop: (server) => post(server, "/agents/a/chat/s/stop", {})
  },
  {
    name: "AG-UI",
    say: (server, text, before) => {
      const shown = before === undefined ? [] : [aguiUser("first"), ...shownBy(before.text)]
      const body = { threadId: "s", runId: `run-${text}`, messages: [...shown, aguiUser(text)] }
      return Effect.map(post(server, "/copilotkit/agent/a/run", body), ({ text }) => text)
    },
    stop: (server) => post(server, "/copilotkit/agent/a/stop/s", {})
  },
  {
    name: "A2A",
    say: (server, text) => {
      const message = { messageId: text, role: "ROLE_USER", contextId: "s", parts: [{ text }] }
      return Effect.map(rpc(server, "SendStreamingMessage", { message }), (answer) => answer.text)
    },
    stop: (server, id) => rpc(server, "CancelTask", { id })
  },
  {
    name: "chat completions of a conversation",
    say: (server, content) => {
      const messages = [{ role: "user", content }]
      const body = { model: "a", messages, conversation: "s", user: "ann", stream: true }
      return Effect.map(post(server, "/v1/chat/completions", body), ({ text }) => text)
    }
  },
  {
    name: "MCP",
    say: Effect.fnUntraced(function*(server, message) {
      const session = yield* Mcp.open(server)
      return JSON.stringify(yield* Mcp.call(session, "run_agent", { agent_id: "a", message, session_id: "s" }))
    })
  }
]

const stopByApi = (server: Server, run_id: string) =>
  ask(server, `/agents/a/runs/${run_id}/cancel?session_id=s`, { method: "POST" })

/** What a request has shown, without the instructions. */
const lines = ({ prompt }: Script.Call): ReadonlyArray<string> =>
  prompt.content.flatMap(({ content, role }) =>
    typeof content === "string" ? [] : content.map((part) => {
      if (part.type === "text") return `${role}: ${part.text}`
      return part.type === "tool-result" ? `tool: ${String(part.result)}` : `${role}: ${part.type}`
    })
  )

describe("the turn after one that was stopped", () => {
  for (const { name, say, stop = stopByApi } of wires) {
    it.effect(`the model knows the message, the call that was made, and that the turn was stopped: ${name}`, () =>
      Effect.gen(function*() {
        const begun = yield* Deferred.make<void>()
        const { calls, model } = yield* Script.make([
          [Script.toolCall("send", {}, "c1")],
          [Script.wait(Deferred.succeed(begun, undefined)), Script.hang],
          [Script.text("Sent already.")]
        ])
        const send = Tool.make({ name: "send", effects: "once", execute: () => "sent 1" })
        const agent = Agent.make({ id: "a", model, tools: [send], addHistoryToContext: true })
        const server = yield* serve({ agents: [agent], settings: { mcp: { enabled: true } } })
        const saying = yield* Effect.forkChild(say(server, "first"))
        yield* Deferred.await(begun)
        const [run_id = ""] = yield* runs(server)
        yield* stop(server, run_id)
        const text = yield* Fiber.join(saying)
        yield* say(server, "continue", { run_id, text })
        assert.deepStrictEqual(lines((yield* calls)[2] as Script.Call), [
          "user: first",
          "assistant: tool-call",
          "tool: sent 1",
          "assistant: (This turn was stopped here, before it was finished.)",
          "user: continue"
        ])
      }))
  }
})

describe("the turn after an answer that was made again", () => {
  for (const { name, say } of wires) {
    it.effect(`the model sees the new answer only: ${name}`, () =>
      Effect.gen(function*() {
        const { agent, seen } = yield* remembering
        const server = yield* serve({ agents: [agent], settings: { mcp: { enabled: true } } })
        yield* say(server, "one")
        const again = { session_id: "s", stream: "false", regenerate: "true", replace_original: "true" }
        const [run_id = ""] = yield* runs(server)
        const made = yield* ask(server, `/agents/a/runs/${run_id}/continue`, {
          method: "POST",
          body: new URLSearchParams(again)
        })
        assert.strictEqual(at(made.json, "content"), "answer 2", made.text)
        yield* say(server, "two")
        assert.deepStrictEqual(yield* seen, name === "AG-UI" ? ["two"] : ["one", "answer 2", "two"])
      }))
  }
})
