// Runs that were cancelled or failed, in the context of the next run of their session: on every wire, and in a prompt
// that providers accept.
import { assert, describe, it } from "@effect/vitest"
import { CheckFailed } from "@svc-runtime/agents/agent/define/Hook"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { ModelCatalog, type Options as Credentials } from "@svc-runtime/models/ModelCatalog"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as GoogleGenerate from "@svc-runtime/test-support/wire/GoogleGenerate"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as OpenAiResponses from "@svc-runtime/test-support/wire/OpenAiResponses"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import type * as WireServer from "@svc-runtime/test-support/wire/WireServer"
import { Deferred, Effect, Fiber, Redacted, type Scope } from "effect"
import { ask, at, column, get, list, runWhole, send as sendTo, serve } from "../Wire.ts"

Tier.oneIn(6)

interface Wire {
  readonly server: Effect.Effect<WireServer.WireServer, never, Scope.Scope>
  readonly ref: string
  readonly settings: (url: string) => Credentials
  /** What the model is shown after the system message. */
  readonly shown: (texts: Readonly<Record<"note" | "result", string>>) => unknown
  readonly messagesOf: (body: Readonly<Record<string, unknown>>) => unknown
}

const key = Redacted.make("key")

const wires: Readonly<Record<string, Wire>> = {
  "chat completions": {
    server: OpenAiChat.make,
    ref: "openai-compatible:model",
    settings: (openaiBaseUrl) => ({ openaiApiKey: key, openaiBaseUrl }),
    messagesOf: (body) => body["messages"],
    shown: ({ note, result }) => [
      { role: "user", content: "Send it to Ann" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "send", arguments: "{}" } }]
      },
      { role: "tool", tool_call_id: "c1", content: result },
      { role: "assistant", content: note },
      { role: "user", content: "continue" }
    ]
  },
  responses: {
    server: OpenAiResponses.make,
    ref: "openai:gpt-5",
    settings: (openaiBaseUrl) => ({ openaiApiKey: key, openaiBaseUrl }),
    messagesOf: (body) => body["input"],
    shown: ({ note, result }) => [
      { role: "user", content: [{ type: "input_text", text: "Send it to Ann" }] },
      { type: "function_call", call_id: "c1", name: "send", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: result },
      { role: "assistant", content: note },
      { role: "user", content: [{ type: "input_text", text: "continue" }] }
    ]
  },
  messages: {
    server: AnthropicMessages.make,
    ref: "anthropic:claude-sonnet-4-5",
    settings: (anthropicBaseUrl) => ({ anthropicApiKey: key, anthropicBaseUrl }),
    messagesOf: (body) => body["messages"],
    shown: ({ note, result }) => [
      { role: "user", content: [{ type: "text", text: "Send it to Ann" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "send", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: result }] },
      { role: "assistant", content: [{ type: "text", text: note }] },
      { role: "user", content: [{ type: "text", text: "continue" }] }
    ]
  },
  gemini: {
    server: GoogleGenerate.make,
    ref: "google:gemini-2.5-pro",
    settings: (googleBaseUrl) => ({ googleApiKey: key, googleBaseUrl }),
    messagesOf: (body) => body["contents"],
    shown: ({ note, result }) => [
      { role: "user", parts: [{ text: "Send it to Ann" }] },
      { role: "model", parts: [{ functionCall: { id: "c1", name: "send", args: {} } }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "send", response: { name: "send", content: result } } }]
      },
      { role: "model", parts: [{ text: note }] },
      { role: "user", parts: [{ text: "continue" }] }
    ]
  }
}

const stopped = "(This turn was stopped here, before it was finished.)"
const failed = "(This turn failed here, before it was finished.)"

const calling = Reply.answer({ toolCalls: [{ id: "c1", name: "send", arguments: ["{}"] }] })

/** Never answers. */
const silence: Reply.Reply = { _tag: "Broken", answer: { text: ["x"] }, after: 0, how: "stall" }

/** Ids of calls that the service or a client made up differ in each run. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, item) => key === "id" && String(item).length > 10 ? undefined : item))

const serving = Effect.fnUntraced(function*({ ref, server, settings }: Wire, options: Partial<Agent.Options> = {}) {
  const wire = yield* server
  const model = yield* Effect.provide(
    ModelCatalog.use((catalog) => catalog.resolve(ref)),
    ModelCatalog.layer({ ...settings(wire.url), retry: { baseDelay: 0 } })
  )
  const sent: Array<string> = []
  const send = Tool.make({ name: "send", effects: "once", execute: () => (sent.push("sent"), "sent 1") })
  const agent = Agent.make({
    id: "agent",
    model,
    tools: [send],
    addHistoryToContext: true,
    ...options
  })
  return { wire, sent, svc: yield* serve({ agents: [agent] }) }
})

const cancel = (svc: Parameters<typeof runWhole>[0]) =>
  sendTo(svc, "POST", "/agents/agent/runs/first/cancel?session_id=s", "")

const lastOf = (wire: WireServer.WireServer) => Effect.map(wire.requests, (requests) => requests.at(-1)?.body ?? {})

/** An agent on a scripted model. */
const scripted = Effect.fnUntraced(function*(
  options: Partial<Agent.Options>,
  ...turns: ReadonlyArray<Script.Turn>
) {
  const script = yield* Script.make(turns)
  const agent = Agent.make({ id: "agent", model: script.model, addHistoryToContext: true, ...options })
  return { script, lines, svc: yield* serve({ agents: [agent] }) }
})

/** What the last request has shown. */
const lines = (calls: ReadonlyArray<Script.Call>): ReadonlyArray<string> =>
  (calls.at(-1)?.prompt.content ?? []).flatMap(({ content, role }) =>
    typeof content === "string" ? [`${role}: ${content}`] : role === "tool"
      ? content.map((part) => `tool: ${part.type === "tool-result" ? String(part.result) : ""}`)
      : [
        `${role}: ${
          content.map((part) => part.type === "text" ? part.text : `${"name" in part ? part.name : part.type}()`).join(
            " "
          )
        }`
      ]
  )

const unknown = "The run ended before this call had answered. It may have had its effect"

const first = { session_id: "s", run_id: "first", message: "Send it to Ann" }
const next = { session_id: "s", message: "continue" }

describe("a run that did not end well, in the next run of its session", () => {
  for (const [name, wire] of Object.entries(wires)) {
    it.effect(`a cancelled run shows its message, its finished call and how it ended: ${name}`, () =>
      Effect.gen(function*() {
        const { sent, svc, wire: server } = yield* serving(wire)
        yield* server.script(calling, silence, Reply.text("Sent already."))
        const running = yield* Effect.forkChild(runWhole(svc, "agent", first))
        yield* server.awaitRequest
        yield* server.awaitRequest
        yield* cancel(svc)
        assert.strictEqual(at((yield* Fiber.join(running)).json, "status"), "CANCELLED")
        assert.strictEqual(at((yield* runWhole(svc, "agent", next)).json, "content"), "Sent already.")
        assert.deepStrictEqual(
          withoutIds(wire.messagesOf(yield* lastOf(server))),
          wire.shown({ note: stopped, result: "sent 1" })
        )
        assert.deepStrictEqual(sent, ["sent"])
      }))

    it.effect(`a failed run shows its message, its finished call and how it ended: ${name}`, () =>
      Effect.gen(function*() {
        const { svc, wire: server } = yield* serving(wire)
        yield* server.script(calling, Reply.failure(400, "boom"), Reply.text("Sent already."))
        assert.strictEqual(at((yield* runWhole(svc, "agent", first)).json, "status"), "ERROR")
        yield* runWhole(svc, "agent", next)
        assert.deepStrictEqual(
          withoutIds(wire.messagesOf(yield* lastOf(server))),
          wire.shown({ note: failed, result: "sent 1" })
        )
      }))
  }

  it.effect("an author can leave out runs that did not end well, and they take no place of others", () =>
    Effect.gen(function*() {
      const wire = wires["chat completions"]!
      const { svc, wire: server } = yield* serving(wire, { historyOfFailedRuns: "none", numHistoryRuns: 1 })
      yield* server.script(Reply.text("Hello."), calling, Reply.failure(400, "boom"), Reply.text("What?"))
      yield* runWhole(svc, "agent", { session_id: "s", message: "Hi" })
      yield* runWhole(svc, "agent", first)
      yield* runWhole(svc, "agent", next)
      assert.deepStrictEqual(wire.messagesOf(yield* lastOf(server)), [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello." },
        { role: "user", content: "continue" }
      ])
    }))

  it.effect("a call that has not answered may have had its effect, and the other one keeps its result", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const [send, wait] = ["send", "wait"].map((name) =>
        Tool.make({
          name,
          effects: "once",
          execute: () => name === "send" ? "sent 1" : Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        })
      )
      const { lines, script, svc } = yield* scripted(
        { tools: [send!, wait!] },
        [Script.toolCall("send", {}, "c1"), Script.toolCall("wait", {}, "c2")],
        [Script.text("Hm.")]
      )
      const running = yield* Effect.forkChild(runWhole(svc, "agent", first))
      yield* Deferred.await(begun)
      yield* cancel(svc)
      const { json } = yield* Fiber.join(running)
      assert.deepStrictEqual(column(list(json, "tools"), "result"), ["sent 1", unknown])
      yield* runWhole(svc, "agent", next)
      assert.deepStrictEqual(lines(yield* script.calls), [
        "user: Send it to Ann",
        "assistant: send() wait()",
        "tool: sent 1",
        `tool: ${unknown}`,
        `assistant: ${stopped}`,
        "user: continue"
      ])
    }))

  it.effect("a run that waits is shown to the next run, and as finished when it has continued", () =>
    Effect.gen(function*() {
      const tools = [
        Tool.make({ name: "send", requiresConfirmation: true, execute: () => "sent 1" }),
        Tool.make({ name: "look", execute: () => "seen" })
      ]
      const { lines, script, svc } = yield* scripted(
        { tools },
        [Script.text("First "), Script.toolCall("send", {}, "c1"), Script.toolCall("look", {}, "c2")],
        [Script.text("It waits.")],
        [Script.text("All sent.")],
        [Script.text("Yes.")]
      )
      const paused = yield* runWhole(svc, "agent", first)
      yield* runWhole(svc, "agent", { session_id: "s", message: "Do you wait?" })
      assert.deepStrictEqual(lines(yield* script.calls), [
        "user: Send it to Ann",
        "assistant: First  send() look()",
        "tool: There is no result yet: the call waits, and its result comes when the turn continues.",
        "tool: seen",
        "assistant: (This turn waits here, and is not finished.)",
        "user: Do you wait?"
      ])
      const requirements = list(paused.json, "requirements").map((each) => ({ ...each as object, confirmation: true }))
      yield* ask(svc, "/agents/agent/runs/first/continue", {
        method: "POST",
        body: new URLSearchParams({ stream: "false", session_id: "s", requirements: JSON.stringify(requirements) })
      })
      assert.deepStrictEqual(lines(yield* script.calls), [
        "user: Send it to Ann",
        "assistant: First  send() look()",
        "tool: sent 1",
        "tool: seen"
      ])
      yield* runWhole(svc, "agent", next)
      assert.deepStrictEqual(lines(yield* script.calls), [
        "user: Send it to Ann",
        "assistant: First  send() look()",
        "tool: sent 1",
        "tool: seen",
        "assistant: All sent.",
        "user: Do you wait?",
        "assistant: It waits.",
        "user: continue"
      ])
    }))

  it.effect("a paused run that is cancelled says that the call was not executed", () =>
    Effect.gen(function*() {
      const tools = [
        Tool.make({ name: "send", requiresConfirmation: true, execute: () => "sent 1" }),
        Tool.make({ name: "look", execute: () => "seen" })
      ]
      const { lines, script, svc } = yield* scripted(
        { tools },
        [Script.text("First "), Script.toolCall("send", {}, "c1"), Script.toolCall("look", {}, "c2")],
        [Script.text("Hm.")]
      )
      assert.strictEqual(at((yield* runWhole(svc, "agent", first)).json, "status"), "PAUSED")
      yield* cancel(svc)
      yield* Effect.repeat(get(svc, "/agents/agent/runs/first?session_id=s"), {
        until: ({ json }) => at(json, "status") === "CANCELLED"
      })
      yield* runWhole(svc, "agent", next)
      assert.deepStrictEqual(lines(yield* script.calls), [
        "user: Send it to Ann",
        "assistant: First  send() look()",
        "tool: seen",
        "tool: Not executed: the run ended before this call was made",
        `assistant: ${stopped}`,
        "user: continue"
      ])
    }))

  it.effect("a failed run that is continued to its end is history once, and a fork of the session has it", () =>
    Effect.gen(function*() {
      const send = Tool.make({ name: "send", effects: "once", execute: () => "sent 1" })
      const { lines, script, svc } = yield* scripted(
        { tools: [send] },
        [Script.toolCall("send", {}, "c1")],
        [Script.fail()],
        [Script.text("In the copy.")],
        [Script.text("Done.")],
        [Script.text("Hm.")]
      )
      yield* runWhole(svc, "agent", first)
      const copy = yield* sendTo(svc, "POST", "/agents/agent/sessions/s/fork", "")
      yield* runWhole(svc, "agent", { ...next, session_id: String(at(copy.json, "session_id")) })
      const shown = ["user: Send it to Ann", "assistant: send()", "tool: sent 1"]
      assert.deepStrictEqual(lines(yield* script.calls), [...shown, `assistant: ${failed}`, "user: continue"])
      const continued = yield* ask(svc, "/agents/agent/runs/first/continue", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false" })
      })
      assert.deepInclude(continued.json, { status: "COMPLETED" })
      yield* runWhole(svc, "agent", next)
      assert.deepStrictEqual(lines(yield* script.calls), [...shown, "assistant: Done.", "user: continue"])
    }))
})

const refusal = () => {
  throw new CheckFailed({ reason: "input_not_allowed", message: "No." })
}

describe("a request that the provider refuses because of an earlier run", () => {
  it.effect("the request is repeated once without the runs that did not end well", () =>
    Effect.gen(function*() {
      const { lines, script, svc } = yield* scripted(
        {},
        [Script.text("Hello.")],
        [Script.failStatus(400, { message: "too long" })],
        [Script.failStatus(400, { message: "too long" })],
        [Script.text("Well.")],
        [Script.failStatus(400, { message: "too long" })],
        [Script.failStatus(400, { message: "too long" })]
      )
      yield* runWhole(svc, "agent", { session_id: "s", message: "Hi" })
      yield* runWhole(svc, "agent", { session_id: "s", message: "much too much" })
      const { json } = yield* runWhole(svc, "agent", next)
      assert.deepInclude(json, { status: "COMPLETED", content: "Well." })
      const calls = yield* script.calls
      assert.strictEqual(lines(calls.slice(0, 3)).length, 5)
      assert.deepStrictEqual(lines(calls), ["user: Hi", "assistant: Hello.", "user: continue"])
      const again = yield* runWhole(svc, "agent", next)
      assert.deepInclude(again.json, { status: "ERROR" })
      assert.strictEqual((yield* script.calls).length, 6)
    }))
})

describe("what was refused", () => {
  const refusedResult = "(This call was made. Its result is left out, because it was refused.)"
  const send = Tool.make({ name: "send", effects: "once", execute: () => "sent 1" })
  const called: ReadonlyArray<Script.Turn> = [[Script.toolCall("send", {}, "c1")], [Script.text("A secret.")]]

  const shownAfter = Effect.fnUntraced(function*(options: Partial<Agent.Options>, turns: ReadonlyArray<Script.Turn>) {
    const { lines, script, svc } = yield* scripted({ tools: [send], ...options }, ...turns, [Script.text("Hm.")])
    const { json } = yield* runWhole(svc, "agent", first)
    assert.strictEqual(at(json, "status"), "ERROR")
    yield* runWhole(svc, "agent", next)
    return lines(yield* script.calls)
  })

  const refusingOnce = (from = 1) => {
    let calls = 0
    return () => ++calls === from ? refusal() : undefined
  }

  it.effect("an input that a check has refused does not come back", () =>
    Effect.gen(function*() {
      const check = { name: "check", run: refusingOnce() }
      assert.deepStrictEqual(yield* shownAfter({ preHooks: [check] }, []), ["user: continue"])
      assert.deepStrictEqual(
        yield* shownAfter({ hooks: [{ name: "check", beforeRun: refusingOnce() }] }, []),
        ["user: continue"]
      )
      assert.deepStrictEqual(
        yield* shownAfter({ hooks: [{ name: "check", beforeModel: refusingOnce() }] }, []),
        ["user: continue"]
      )
    }))

  it.effect("a result that a check has refused does not come back, and its call was made", () =>
    Effect.gen(function*() {
      const shown = [
        "user: Send it to Ann",
        "assistant: send()",
        `tool: ${refusedResult}`,
        `assistant: ${failed}`,
        "user: continue"
      ]
      assert.deepStrictEqual(
        yield* shownAfter({ hooks: [{ name: "check", afterTool: refusingOnce() }] }, called.slice(0, 1)),
        shown
      )
      assert.deepStrictEqual(
        yield* shownAfter({ hooks: [{ name: "check", beforeModel: refusingOnce(2) }] }, called.slice(0, 1)),
        shown
      )
    }))

  it.effect("an answer that a check has refused does not come back", () =>
    Effect.gen(function*() {
      const shown = [
        "user: Send it to Ann",
        "assistant: send()",
        "tool: sent 1",
        `assistant: ${failed}`,
        "user: continue"
      ]
      for (
        const options of [
          { postHooks: [{ name: "check", run: refusingOnce() }] },
          { hooks: [{ name: "check", afterRun: refusingOnce() }] },
          { hooks: [{ name: "check", afterModel: refusingOnce(2) }] }
        ]
      ) assert.deepStrictEqual(yield* shownAfter(options, called), shown)
    }))
})
