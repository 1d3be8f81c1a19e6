// Results of calls and a message of the user in one request: the run continues with both, on each wire.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { type Answer, at, get, list, post, serve } from "../Wire.ts"
import { framesOf } from "./PausedWires.ts"

const parameters = { type: "object", properties: { page: { type: "string" } } }
const show = { name: "show", description: "Shows a page.", parameters }

/** Calls the function of the client once, and answers what follows. */
const serving = Effect.gen(function*() {
  const script = yield* Script.make(
    Array.from(
      { length: 6 },
      () => ({ prompt }: Script.Call) =>
        prompt.content.length === 1 ? [Script.toolCall("show", { page: "start" }, "c1")] : [Script.text("Done.")]
    )
  )
  return { script, server: yield* serve({ agents: [Agent.make({ id: "a", model: script.model })] }) }
})

interface Wire {
  readonly name: string
  /** Asks, and answers the call together with a message. */
  readonly together: (server: TestServer.TestServer) => Effect.Effect<Answer>
}

const image = "data:image/png;base64,iVBORw0KGgo="

const chat: Wire = {
  name: "useChat",
  together: Effect.fnUntraced(function*(server) {
    const tools = { show: { description: show.description, parameters } }
    const user = { id: "m1", role: "user", parts: [{ type: "text", text: "go" }] }
    const first = framesOf((yield* post(server, "/agents/a/chat", { id: "s", messages: [user], tools })).text)
    const { messageId } = first[0] as { readonly messageId: string }
    const call = { type: "dynamic-tool", toolName: "show", toolCallId: "c1", input: { page: "start" } }
    return yield* post(server, "/agents/a/chat", {
      id: "s",
      tools,
      messages: [
        user,
        { id: messageId, role: "assistant", parts: [{ ...call, state: "output-available", output: "shown" }] },
        {
          id: "m2",
          role: "user",
          parts: [{ type: "text", text: "be quick" }, { type: "file", mediaType: "image/png", url: image }]
        }
      ]
    })
  })
}

const agui: Wire = {
  name: "AG-UI",
  together: Effect.fnUntraced(function*(server) {
    const send = (runId: string, ...messages: ReadonlyArray<object>) =>
      post(server, "/agents/a/agui", { threadId: "s", runId, protocolVersion: "1.0", messages, tools: [show] })
    const user = { id: "m1", role: "user", content: "go" }
    yield* send("r1", user)
    return yield* send(
      "r2",
      user,
      { id: "x", role: "assistant", toolCalls: [{ id: "c1", type: "function", function: { name: "show" } }] },
      { id: "t1", role: "tool", toolCallId: "c1", content: "shown" },
      {
        id: "m2",
        role: "user",
        content: [
          { type: "text", text: "be quick" },
          { type: "image", source: { type: "data", value: "iVBORw0KGgo=", mimeType: "image/png" } }
        ]
      }
    )
  })
}

const words = {
  role: "user",
  content: [{ type: "text", text: "be quick" }, { type: "image_url", image_url: { url: image } }]
}

const completions: Wire = {
  name: "chat completions",
  together: Effect.fnUntraced(function*(server) {
    const tools = [{ type: "function", function: show }]
    const send = (...messages: ReadonlyArray<unknown>) =>
      post(server, "/v1/chat/completions", { model: "a", messages, tools })
    const first = yield* send({ role: "user", content: "go" })
    const message = at(first.json, "choices", 0, "message")
    const tool_call_id = at(message, "tool_calls", 0, "id")
    return yield* send(
      { role: "user", content: "go" },
      message,
      { role: "tool", tool_call_id, content: "shown" },
      words
    )
  })
}

const responses = (isFirst: boolean): Wire => ({
  name: `responses, with the message ${isFirst ? "before" : "behind"} the output`,
  together: Effect.fnUntraced(function*(server) {
    const tools = [{ type: "function", ...show, strict: false }]
    const first = yield* post(server, "/v1/responses", { model: "a", input: "go", tools })
    const call_id = at(first.json, "output", 0, "call_id")
    const output = { type: "function_call_output", call_id, output: "shown" }
    const input = isFirst ? [words, output] : [output, words]
    return yield* post(server, "/v1/responses", {
      model: "a",
      previous_response_id: at(first.json, "id"),
      input,
      tools
    })
  })
})

describe("results of calls and a message of the user together", () => {
  for (const { name, together } of [chat, agui, completions, responses(false), responses(true)]) {
    it.effect(`the model reads the call, its result, and then the message with its image: ${name}`, () =>
      Effect.gen(function*() {
        const { script, server } = yield* serving
        const answer = yield* together(server)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.include(answer.text, "Done.")
        const prompt = (yield* script.prompts).at(-1)!
        assert.deepStrictEqual(prompt.map(({ role }) => role), ["user", "assistant", "tool", "user"])
        assert.include(JSON.stringify(prompt[2]), "shown")
        assert.include(JSON.stringify(prompt[3]), "be quick")
        assert.include(JSON.stringify(prompt[3]), "image/png")
        const runs = list((yield* get(server, "/runs?status=PAUSED")).json, "data")
        assert.deepStrictEqual(runs, [])
      }))
  }
})
