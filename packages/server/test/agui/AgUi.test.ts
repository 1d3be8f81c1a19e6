// AG-UI of agents, read by both official clients.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { always, at } from "../Wire.ts"
import { broken, down, lookup, plain, toolUser } from "../wire/Fixtures.ts"
import * as AgUiClient from "./AgUiClient.ts"

Tier.oneIn(12)

const serving = Effect.fnUntraced(function*(version: AgUiClient.Version, agent: Agent.Agent, options: object = {}) {
  const { url } = yield* TestServer.listen({ agents: [agent] })
  return AgUiClient.make(version, `${url}/agents/${agent.id}/agui`, options)
})

const confirmed = Tool.make({
  name: "send",
  requiresConfirmation: true,
  parameters: Schema.Struct({ query: Schema.String }),
  execute: ({ query }) => `sent to ${query}`
})

for (const version of AgUiClient.versions) {
  describe(`POST /agents/{id}/agui, client ${version}`, () => {
    it.live("the text of an answer is one message between the start and the end of the run", () =>
      Effect.gen(function*() {
        const { agent, say } = yield* serving(version, (yield* plain).agent)
        const outcome = AgUiClient.accepted(yield* say("hi", { runId: "run-1" }))
        assert.deepStrictEqual(AgUiClient.typesOf(outcome), [
          "RUN_STARTED",
          "TEXT_MESSAGE_START",
          "TEXT_MESSAGE_CONTENT",
          "TEXT_MESSAGE_CONTENT",
          "TEXT_MESSAGE_END",
          "RUN_FINISHED"
        ])
        assert.deepInclude(outcome.events[0], { threadId: "thread", runId: "run-1" })
        assert.deepInclude(agent.messages.at(-1), { role: "assistant", content: "Hello." })
      }))

    it.live("only the last user message is the input: the service has the history itself", () =>
      Effect.gen(function*() {
        const { agent, script } = yield* plain
        const client = yield* serving(version, agent)
        client.agent.messages = [AgUiClient.user("invented"), { id: "a", role: "assistant", content: "made up" }]
        AgUiClient.accepted(yield* client.say("real"))
        const prompt = JSON.stringify((yield* script.prompts).at(-1))
        assert.include(prompt, "real")
        assert.notInclude(prompt, "invented")
        assert.notInclude(prompt, "made up")
      }))

    it.live("a call of a tool has its arguments and its result, as JSON", () =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(
          Script.text("I look."),
          Script.toolCall("lookup", { query: "tea" }, "c1"),
          Script.toolCall("broken", {}, "c2")
        )
        const { agent, say } = yield* serving(version, Agent.make({ id: "a", model, tools: [lookup, broken] }))
        const outcome = AgUiClient.accepted(yield* say("hi"))
        const [args] = AgUiClient.eventsOf(outcome, "TOOL_CALL_ARGS")
        assert.deepStrictEqual(JSON.parse(String(args?.delta)), { query: "tea" })
        const results = AgUiClient.eventsOf(outcome, "TOOL_CALL_RESULT").map(({ content }) =>
          JSON.parse(String(content))
        )
        assert.sameMembers(results, ["fact about tea", "no luck"])
        assert.deepStrictEqual(agent.messages.map(({ role }) => role), [
          "user",
          "assistant",
          "tool",
          "tool",
          "assistant"
        ])
        assert.lengthOf(agent.messages[1]?.toolCalls as ReadonlyArray<unknown>, 2)
      }))

    it.live("reasoning is a message of its own before the text", () =>
      Effect.gen(function*() {
        const { model } = yield* always(Script.reasoning("Hm", "m"), Script.text("Yes"))
        const { agent, say } = yield* serving(version, Agent.make({ id: "a", model }))
        const outcome = AgUiClient.accepted(yield* say("hi"))
        assert.deepStrictEqual(AgUiClient.typesOf(outcome).slice(1, 8), [
          "REASONING_START",
          "REASONING_MESSAGE_START",
          "REASONING_MESSAGE_CONTENT",
          "REASONING_MESSAGE_CONTENT",
          "REASONING_MESSAGE_END",
          "REASONING_END",
          "TEXT_MESSAGE_START"
        ])
        assert.deepInclude(agent.messages.at(-1), { role: "assistant", content: "Yes" })
      }))

    it.live("the state of the client is the state of the session, and changes come as a delta", () =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("count"))
        const count = Tool.make({
          name: "count",
          execute: (_, { sessionState }) => {
            sessionState["a/b"] = Number(sessionState["a/b"]) + 1
            sessionState["new"] = true
            return "ok"
          }
        })
        const { agent, say } = yield* serving(version, Agent.make({ id: "a", model, tools: [count] }), {
          initialState: { "a/b": 1, same: [1] }
        })
        const outcome = AgUiClient.accepted(yield* say("hi"))
        assert.deepStrictEqual(agent.state, { "a/b": 2, same: [1], new: true })
        assert.lengthOf(AgUiClient.eventsOf(outcome, "STATE_SNAPSHOT"), 1)
        assert.lengthOf(AgUiClient.eventsOf(outcome, "STATE_DELTA"), 1)
      }))

    it.live("a stream begins with a session state that the client does not have, and changes of it are a delta", () =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("count"))
        const count = Tool.make({
          name: "count",
          execute: (_, { sessionState }) => void (sessionState["count"] = Number(sessionState["count"] ?? 0) + 1)
        })
        const { agent, say } = yield* serving(version, Agent.make({ id: "a", model, tools: [count] }))
        const statesOf = ({ events }: AgUiClient.Outcome) =>
          events.filter(({ type }) => type.startsWith("STATE_")).map(({ delta, snapshot }) => delta ?? snapshot)
        const first = AgUiClient.accepted(yield* say("hi"))
        assert.deepStrictEqual(statesOf(first), [[{ op: "add", path: "/count", value: 1 }]])
        agent.state = { mine: true }
        const second = AgUiClient.accepted(yield* say("again"))
        assert.strictEqual(second.events[1]?.type, "STATE_SNAPSHOT")
        assert.deepStrictEqual(statesOf(second), [
          { count: 1, mine: true },
          [{ op: "replace", path: "/count", value: 2 }]
        ])
        assert.deepStrictEqual(agent.state, { count: 2, mine: true })
      }))

    it.live("a failed run ends with RUN_ERROR alone", () =>
      Effect.gen(function*() {
        const { say } = yield* serving(version, (yield* down).agent)
        const outcome = yield* say("hi")
        assert.deepStrictEqual(outcome.warnings, [])
        assert.lengthOf(AgUiClient.eventsOf(outcome, "RUN_ERROR"), 1)
        assert.lengthOf(AgUiClient.eventsOf(outcome, "RUN_FINISHED"), 0)
        assert.strictEqual(AgUiClient.typesOf(outcome).at(-1), "RUN_ERROR")
      }))

    it.live("an event of the author is a CUSTOM event with its name and its fields", () =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("work", {}, "c1"))
        const work = Tool.make({
          name: "work",
          execute: (_, { emit }) => {
            emit({ name: "progress", percent: 10 })
            return "ok"
          }
        })
        const { say } = yield* serving(version, Agent.make({ id: "a", model, tools: [work] }))
        const [event] = AgUiClient.eventsOf(AgUiClient.accepted(yield* say("hi")), "CUSTOM")
        assert.strictEqual(event?.name, "progress")
        assert.deepInclude(event?.value, { percent: 10 })
      }))

    it.live("values of the context reach the run as dependencies", () =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("peek"))
        const seen: Array<unknown> = []
        const peek = Tool.make({
          name: "peek",
          execute: (_, { dependencies }) => {
            seen.push(dependencies)
            return "ok"
          }
        })
        const { say } = yield* serving(version, Agent.make({ id: "a", model, tools: [peek] }))
        AgUiClient.accepted(yield* say("hi", { context: [{ description: "page", value: "{\"n\":1}" }] }))
        assert.deepStrictEqual(seen, [{ page: { n: 1 } }])
      }))
  })
}

interface Interrupt {
  readonly id: string
  readonly toolCallId: string
  readonly responseSchema: object
}

const interruptsOf = (outcome: AgUiClient.Outcome): ReadonlyArray<Interrupt> => {
  const { interrupts = [], type } = (outcome.events.at(-1)?.outcome ?? {}) as {
    readonly type?: string
    readonly interrupts?: ReadonlyArray<Interrupt>
  }
  assert.strictEqual(type, "interrupt")
  return interrupts
}

describe("a run that waits for a person", () => {
  it.live("an interrupt of a client with a version is answered with `resume`, and the call is not repeated", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("send", { query: "ann" }, "c1"))
      const client = yield* serving("1.0.0", Agent.make({ id: "a", model, tools: [confirmed] }))
      const paused = AgUiClient.accepted(yield* client.say("send it"))
      const { interrupts, type } = paused.events.at(-1)?.outcome as {
        readonly type: string
        readonly interrupts: ReadonlyArray<{ readonly id: string; readonly toolCallId: string }>
      }
      assert.strictEqual(type, "interrupt")
      assert.deepStrictEqual(interrupts.map(({ toolCallId }) => toolCallId), ["c1"])
      const outcome = AgUiClient.accepted(
        yield* client.run({
          resume: [{ interruptId: interrupts[0]!.id, status: "resolved", payload: { accepted: true } }]
        })
      )
      assert.lengthOf(AgUiClient.eventsOf(outcome, "TOOL_CALL_START"), 0)
      assert.deepStrictEqual(AgUiClient.eventsOf(outcome, "TOOL_CALL_RESULT").map(({ content }) => content), [
        "\"sent to ann\""
      ])
      assert.strictEqual(AgUiClient.textOf(outcome), "Tea is a leaf.")
    }))

  it.live("an unknown interrupt, and one that is answered twice, is refused, and the run stays paused", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("send", { query: "ann" }, "c1"))
      const client = yield* serving("1.0.0", Agent.make({ id: "a", model, tools: [confirmed] }))
      const paused = yield* client.say("send it")
      const outcome = yield* client.run({
        resume: [{ interruptId: "other", status: "resolved", payload: { accepted: true } }]
      })
      assert.isDefined(outcome.error)
      const [first] =
        (paused.events.at(-1)?.outcome as { readonly interrupts: ReadonlyArray<{ id: string }> }).interrupts
      const twice = yield* client.run({
        resume: [true, false].map((accepted) => ({ interruptId: first!.id, status: "resolved", payload: { accepted } }))
      })
      assert.deepStrictEqual(AgUiClient.typesOf(twice), ["RUN_STARTED", "RUN_ERROR"])
      const { interrupts } = paused.events.at(-1)?.outcome as {
        readonly interrupts: ReadonlyArray<{ readonly id: string }>
      }
      const resumed = yield* client.run({ resume: [{ interruptId: interrupts[0]!.id, status: "cancelled" }] })
      assert.strictEqual(AgUiClient.typesOf(resumed).at(-1), "RUN_FINISHED")
    }))

  for (const word of ["approved", "accepted"]) {
    for (const isYes of [true, false]) {
      it.live.each(AgUiClient.versions)(
        `{"${word}": ${isYes}} decides an interrupt of client %s`,
        (version) =>
          Effect.gen(function*() {
            const { model } = yield* toolUser(Script.toolCall("send", { query: "ann" }, "c1"))
            const client = yield* serving(version, Agent.make({ id: "a", model, tools: [confirmed] }))
            const [interrupt] = interruptsOf(AgUiClient.accepted(yield* client.say("send it")))
            assert.deepStrictEqual(at(interrupt?.responseSchema, "required"), ["approved"])
            const payload = { [word]: isYes, note: "because" }
            const outcome = AgUiClient.accepted(
              yield* client.run({ resume: [{ interruptId: interrupt?.id, status: "resolved", payload }] })
            )
            assert.deepStrictEqual(AgUiClient.eventsOf(outcome, "TOOL_CALL_RESULT").map(({ content }) => content), [
              isYes ? "\"sent to ann\"" : "\"because\""
            ])
          })
      )
    }
  }

  it.live.each(AgUiClient.versions)(
    "edited arguments of client %s replace those of the call",
    (version) =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("send", { query: "ann" }, "c1"))
        const client = yield* serving(version, Agent.make({ id: "a", model, tools: [confirmed] }))
        const [interrupt] = interruptsOf(AgUiClient.accepted(yield* client.say("send it")))
        const payload = { approved: true, editedArgs: { query: "bea" } }
        const outcome = AgUiClient.accepted(
          yield* client.run({ resume: [{ interruptId: interrupt?.id, status: "resolved", payload }] })
        )
        assert.deepStrictEqual(AgUiClient.eventsOf(outcome, "CUSTOM").map(({ name, value }) => [name, value]), [
          ["tool_call_edited", { toolCallId: "c1", toolCallName: "send", args: { query: "bea" } }]
        ])
        assert.deepStrictEqual(AgUiClient.eventsOf(outcome, "TOOL_CALL_RESULT").map(({ content }) => content), [
          "\"sent to bea\""
        ])
      })
  )

  it.live.each(AgUiClient.versions)(
    "edited arguments of client %s that the tool does not take are RUN_ERROR with the field, and the run stays paused",
    (version) =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("send", { query: "ann" }, "c1"))
        const client = yield* serving(version, Agent.make({ id: "a", model, tools: [confirmed] }))
        const [interrupt] = interruptsOf(AgUiClient.accepted(yield* client.say("send it")))
        const resume = (editedArgs: object) =>
          client.run({
            resume: [{ interruptId: interrupt?.id, status: "resolved", payload: { approved: true, editedArgs } }]
          })
        const refused = JSON.stringify(yield* resume({ query: { to: "bea" } }))
        assert.include(refused, "RUN_ERROR")
        assert.match(refused, /the arguments of send \(c1\) do not fit: query: /)
        const misspelt = JSON.stringify(yield* resume({ query: "bea", qurey: "bob" }))
        assert.include(misspelt, "the arguments of send (c1) do not fit: there is no 'qurey' (it takes query)")
        const outcome = AgUiClient.accepted(yield* resume({ query: "bea" }))
        assert.deepStrictEqual(AgUiClient.eventsOf(outcome, "TOOL_CALL_RESULT").map(({ content }) => content), [
          "\"sent to bea\""
        ])
      })
  )

  it.live.each(AgUiClient.versions)(
    "a payload of client %s that does not fit is RUN_ERROR with what is needed, and the run stays paused",
    (version) =>
      Effect.gen(function*() {
        const order = Tool.make({
          name: "order",
          requiresUserInput: ["count"],
          parameters: Schema.Struct({ item: Schema.String, count: Schema.Int }),
          execute: ({ count, item }) => `${count} of ${item}`
        })
        const { model } = yield* toolUser(
          Script.toolCall("send", { query: "ann" }, "c1"),
          Script.toolCall("order", { item: "tea" }, "c2")
        )
        const client = yield* serving(version, Agent.make({ id: "a", model, tools: [confirmed, order] }))
        const interrupts = interruptsOf(AgUiClient.accepted(yield* client.say("send it")))
        const answer = (first: unknown, second: unknown) =>
          client.run({
            resume: interrupts.map(({ id, toolCallId }) => ({
              interruptId: id,
              status: "resolved",
              payload: toolCallId === "c1" ? first : second
            }))
          })
        const values = { values: { count: 3 } }
        for (
          const [first, second, words] of [
            [{ agreed: true }, values, "`approved`"],
            [{ approved: true }, { values: { count: "many" } }, "count"],
            [{ approved: true }, { values: {} }, "count"]
          ] as const
        ) {
          const outcome = yield* answer(first, second)
          assert.deepStrictEqual(AgUiClient.typesOf(outcome), ["RUN_STARTED", "RUN_ERROR"])
          assert.include(String(outcome.events.at(-1)?.message), words)
        }
        const outcome = AgUiClient.accepted(yield* answer({ approved: true }, values))
        assert.sameMembers(AgUiClient.eventsOf(outcome, "TOOL_CALL_RESULT").map(({ content }) => content), [
          "\"sent to ann\"",
          "\"3 of tea\""
        ])
      })
  )

  for (const accepted of [true, false]) {
    it.live(`a client that has a tool of the name gets an open call, and answers it with {"accepted": ${accepted}}`, () =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("send", { query: "ann" }, "c1"))
        const client = yield* serving("0.0.59", Agent.make({ id: "a", model, tools: [confirmed] }))
        const tools = [{ name: "send", description: "Asks the user", parameters: { type: "object", properties: {} } }]
        const paused = AgUiClient.accepted(yield* client.say("send it", { tools }))
        assert.isUndefined(paused.events.at(-1)?.outcome)
        assert.deepStrictEqual(AgUiClient.eventsOf(paused, "TOOL_CALL_START").map(({ toolCallId }) => toolCallId), [
          "c1"
        ])
        assert.lengthOf(AgUiClient.eventsOf(paused, "TOOL_CALL_RESULT"), 0)
        client.agent.messages = [
          ...client.agent.messages,
          { id: "t", role: "tool", toolCallId: "c1", content: JSON.stringify({ accepted, note: "because" }) }
        ]
        const outcome = AgUiClient.accepted(yield* client.run({ tools }))
        assert.lengthOf(AgUiClient.eventsOf(outcome, "TOOL_CALL_START"), 0)
        assert.deepStrictEqual(AgUiClient.eventsOf(outcome, "TOOL_CALL_RESULT").map(({ content }) => content), [
          accepted ? "\"sent to ann\"" : "\"because\""
        ])
      }))
  }

  it.live("values of a person are answered with a tool message", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("order", { item: "tea" }, "c1"))
      const order = Tool.make({
        name: "order",
        requiresUserInput: ["count"],
        parameters: Schema.Struct({ item: Schema.String, count: Schema.Int }),
        execute: ({ count, item }) => `${count} of ${item}`
      })
      const client = yield* serving("0.0.59", Agent.make({ id: "a", model, tools: [order] }))
      const tools = [{ name: "order", description: "Asks the user", parameters: { type: "object", properties: {} } }]
      AgUiClient.accepted(yield* client.say("order", { tools }))
      client.agent.messages = [
        ...client.agent.messages,
        { id: "t", role: "tool", toolCallId: "c1", content: "{\"values\":{\"count\":3}}" }
      ]
      const outcome = AgUiClient.accepted(yield* client.run({ tools }))
      assert.deepStrictEqual(AgUiClient.eventsOf(outcome, "TOOL_CALL_RESULT").map(({ content }) => content), [
        "\"3 of tea\""
      ])
    }))
})

describe.each(AgUiClient.versions)("tools of the frontend, client %s", (version) => {
  const tool = { name: "show", description: "Shows a page.", parameters: { type: "object", properties: {} } }

  it.live("a call of a tool of the frontend stays open, and its result comes as a message", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("show", { page: "start" }, "c1"))
      const client = yield* serving(version, Agent.make({ id: "a", model }))
      const paused = AgUiClient.accepted(yield* client.say("show it", { tools: [tool] }))
      assert.deepStrictEqual(AgUiClient.typesOf(paused), [
        "RUN_STARTED",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "RUN_FINISHED"
      ])
      const outcome = version === "1.0.0" ? { type: "success", pendingToolCallIds: ["c1"] } : undefined
      assert.deepStrictEqual(paused.events.at(-1)?.outcome, outcome)
      client.agent.messages = [
        ...client.agent.messages,
        { id: "t", role: "tool", toolCallId: "c1", content: "it is shown" }
      ]
      const answered = AgUiClient.accepted(yield* client.run({ tools: [tool] }))
      assert.strictEqual(AgUiClient.textOf(answered), "Tea is a leaf.")
    }))

  it.live("a page that was loaded again can continue with a message while its call is open", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("show", { page: "start" }, "c1"))
      const client = yield* serving(version, Agent.make({ id: "a", model: script.model, addHistoryToContext: true }))
      const { messages } = client.agent
      AgUiClient.accepted(yield* client.say("show it", { tools: [tool] }))
      client.agent.messages = messages
      const again = AgUiClient.accepted(yield* client.say("are you there?", { tools: [tool] }))
      assert.deepStrictEqual(AgUiClient.eventsOf(again, "TOOL_CALL_START").map(({ toolCallName }) => toolCallName), [
        "show"
      ])
      assert.include(JSON.stringify((yield* script.prompts).at(-1)), "There is no result yet")
    }))

  it.live("tools of the frontend are still offered after an interrupt", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("send", { query: "ann" }, "c1"), Script.toolCall("show", { page: "first" }, "c2")],
        [Script.toolCall("show", { page: "second" }, "c3")],
        [Script.text("Done.")]
      ])
      const client = yield* serving(version, Agent.make({ id: "a", model, tools: [confirmed] }))
      const resultOf = (toolCallId: string) => ({ id: `t-${toolCallId}`, role: "tool", toolCallId, content: "shown" })
      const interrupts = interruptsOf(AgUiClient.accepted(yield* client.say("send it", { tools: [tool] })))
      assert.deepStrictEqual(interrupts.map(({ toolCallId }) => toolCallId), ["c1"])
      client.agent.messages = [...client.agent.messages, resultOf("c2")]
      const resume = interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } }))
      const resumed = AgUiClient.accepted(yield* client.run({ tools: [tool], resume }))
      assert.deepStrictEqual(AgUiClient.eventsOf(resumed, "TOOL_CALL_START").map(({ toolCallId }) => toolCallId), [
        "c3"
      ])
      client.agent.messages = [...client.agent.messages, resultOf("c3")]
      assert.strictEqual(AgUiClient.textOf(AgUiClient.accepted(yield* client.run({ tools: [tool] }))), "Done.")
    }))
})
