// The ids of what the API gives: clients keep one message for each id, and send ids in the place of items.
import { assert, describe, it } from "@effect/vitest"
import type { ReadEvents } from "@svc-runtime/engine/run/store/RunReads"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Option } from "effect"
import type { Response, ResponseInputItem } from "openai/resources/responses/responses"
import { closed, token } from "../authorization/Closed.ts"
import { ask, at, post, serve } from "../Wire.ts"
import { plain, toolUser, used } from "../wire/Fixtures.ts"
import { call, collected, failure, hi, parameters, serving, servingWith } from "./OpenAiClient.ts"

Tier.oneIn(4)

const tools = [{ type: "function" as const, name: "show", parameters, strict: false }]
const show = { type: "function", function: { name: "show", description: "Shows a page.", parameters } } as const

/** A client's tool twice, with text and reasoning before its first call, then the answer. */
const showing = Effect.gen(function*() {
  const script = yield* Script.make([
    [
      Script.reasoning("I look."),
      Script.text("Let me see."),
      Script.toolCall("show", { page: "a" }, "c1"),
      Script.toolCall("show", { page: "b" }, "c2"),
      used
    ],
    [Script.text("One more."), Script.toolCall("show", { page: "c" }, "c1"), used],
    [Script.text("Done."), used],
    [Script.text("You are welcome."), used]
  ])
  return { agent: Agent.make({ id: "a", model: script.model }), script }
})

interface Item {
  readonly id?: string
  readonly type?: string
}

const reference = ({ id = "" }: Item) => ({ type: "item_reference" as const, id })

describe("ids", () => {
  for (const stream of [false, true]) {
    it.live(`each response of a run, and each of its items, has an id of its own (stream: ${stream})`, () =>
      Effect.gen(function*() {
        const { client } = yield* serving((yield* showing).agent)
        const ids: Array<string | undefined> = []
        let previous_response_id: string | undefined
        let input: Array<ResponseInputItem> = [{ role: "user", content: "hi" }]
        for (const count of [2, 1, 0]) {
          const request = {
            model: "a",
            input,
            tools,
            ...(previous_response_id === undefined ? {} : { previous_response_id })
          }
          const response: Response = yield* call(() =>
            stream ? client.responses.stream(request).finalResponse() : client.responses.create(request)
          )
          ids.push(response.id, ...response.output.map(({ id }) => id))
          const calls = response.output.filter((item) => item.type === "function_call")
          assert.lengthOf(calls, count)
          previous_response_id = response.id
          input = calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "shown" }))
          const read = yield* call(() => client.responses.retrieve(response.id))
          const idsOf = ({ id, output }: Response) => [id, ...output.map((item) => [item.type, item.id])]
          assert.deepStrictEqual(idsOf(read), idsOf(response))
        }
        assert.lengthOf(ids, 10)
        assert.strictEqual(new Set(ids).size, ids.length, ids.join("\n"))
      }))

    it.live(`each completion of a run has an id of its own (stream: ${stream})`, () =>
      Effect.gen(function*() {
        const { client } = yield* serving((yield* showing).agent)
        const messages: Array<object> = [...hi]
        const ids: Array<string> = []
        for (const count of [2, 1, 0]) {
          const request = { model: "a", messages: messages as never, tools: [show] }
          const completion = yield* call(() =>
            stream
              ? client.chat.completions.stream(request).finalChatCompletion()
              : client.chat.completions.create(request)
          )
          ids.push(completion.id)
          const { message } = completion.choices[0]!
          const { tool_calls = [] } = message
          assert.lengthOf(tool_calls, count)
          messages.push(message, ...tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "shown" })))
        }
        assert.strictEqual(new Set(ids).size, 3, ids.join("\n"))
      }))
  }

  it.live("a replayed stream has the ids and the numbers of the response that continued a run", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* showing).agent)
      const first = yield* call(() => client.responses.create({ model: "a", input: "hi", tools }))
      const calls = first.output.filter((item) => item.type === "function_call")
      const request = {
        model: "a",
        previous_response_id: first.id,
        input: calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: "shown" })),
        stream: true as const
      }
      const shown = yield* call(async () => collected(await client.responses.create(request)))
      const replayed = yield* call(async () =>
        collected(await client.responses.retrieve(at(shown, 0, "response", "id") as string, { stream: true }))
      )
      const essential = (events: ReadonlyArray<object>) =>
        events.map((event) => [
          at(event, "type"),
          at(event, "sequence_number"),
          at(event, "item_id") ?? at(event, "item", "id")
        ])
      assert.deepStrictEqual(essential(replayed), essential(shown))
    }))

  it.live("the id of a response as earlier releases gave it names its run", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { client } = yield* serving(Agent.make({ id: "plain", model: agent.model!, addHistoryToContext: true }))
      const made = yield* call(() => client.responses.create({ model: "plain", input: "remember blue" }))
      const parts = JSON.parse(Buffer.from(made.id.slice("resp_".length), "base64url").toString()) as Array<string>
      for (const length of [2, 3]) {
        const old = `resp_${Buffer.from(JSON.stringify(parts.slice(0, length))).toString("base64url")}`
        yield* call(() => client.responses.create({ model: "plain", input: "what?", previous_response_id: old }))
        assert.include(JSON.stringify((yield* script.prompts).at(-1)), "remember blue")
      }
    }))
})

describe("references", () => {
  it.live("ids of items take the place of the items, over several turns", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* showing
      const { client } = yield* serving(agent)
      const input: Array<ResponseInputItem> = [{ role: "user", content: "hi" }]
      for (const count of [2, 1, 0]) {
        const { output } = yield* call(() => client.responses.create({ model: "a", input, tools }))
        const calls = output.filter((item) => item.type === "function_call")
        assert.lengthOf(calls, count)
        input.push(
          ...output.map(reference),
          ...calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: `got ${call_id}` }))
        )
      }
      input.push({ role: "user", content: "thanks" })
      yield* call(() => client.responses.create({ model: "a", input, tools }))
      const prompt = (yield* script.prompts).at(-1)!
      const shape = prompt.map(({ content, role }) => [
        role,
        typeof content === "string" ? content : content.map((part) => at(part, "text") ?? at(part, "type"))
      ])
      assert.deepStrictEqual(shape, [
        ["user", ["hi"]],
        ["assistant", ["Let me see.", "tool-call", "tool-call"]],
        ["tool", ["tool-result"]],
        ["tool", ["tool-result"]],
        ["assistant", ["One more.", "tool-call"]],
        ["tool", ["tool-result"]],
        ["assistant", ["Done."]],
        ["user", ["thanks"]]
      ])
      assert.notInclude(JSON.stringify(prompt), "There is no result")
    }))

  it.live("ids of items lead to the messages of their run when its events are removed", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* showing
      let areRemoved = false
      const last = ({ count, events, status }: ReadEvents): ReadEvents => ({
        status,
        count,
        events: areRemoved ? events.filter(({ event_index }) => event_index === count - 1) : events
      })
      const { client } = yield* servingWith({
        agents: [agent],
        database: (database) => ({
          ...database,
          runs: {
            ...database.runs,
            readEvents: (...read) => Effect.map(database.runs.readEvents(...read), Option.map(last))
          }
        })
      })
      const input: Array<ResponseInputItem> = [{ role: "user", content: "hi" }]
      for (const _ of [2, 1, 0]) {
        const { output } = yield* call(() => client.responses.create({ model: "a", input, tools }))
        const calls = output.filter((item) => item.type === "function_call")
        input.push(
          ...output.map(reference),
          ...calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: `got ${call_id}` }))
        )
      }
      areRemoved = true
      input.push({ role: "user", content: "thanks" })
      yield* call(() => client.responses.create({ model: "a", input, tools }))
      const prompt = (yield* script.prompts).at(-1)!
      const shape = prompt.map(({ content, role }) => [
        role,
        typeof content === "string" ? content : content.map((part) => at(part, "text") ?? at(part, "params", "page"))
      ])
      assert.deepStrictEqual(shape, [
        ["user", ["hi"]],
        ["assistant", ["Let me see.", "a", "b"]],
        ["tool", [undefined]],
        ["tool", [undefined]],
        ["assistant", ["One more.", "c"]],
        ["tool", [undefined]],
        ["assistant", ["Done."]],
        ["user", ["thanks"]]
      ])
      assert.notInclude(JSON.stringify(prompt), "There is no result")
    }))

  it.live("the message of the user is one of the items that can be named", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { client } = yield* serving(agent)
      const { id, output } = yield* call(() => client.responses.create({ model: "plain", input: "remember blue" }))
      const { data } = yield* call(() => client.responses.inputItems.list(id))
      const input = [...[...data, ...output].map(reference), { role: "user" as const, content: "what?" }]
      yield* call(() => client.responses.create({ model: "plain", input }))
      const prompt = JSON.stringify((yield* script.prompts).at(-1))
      for (const text of ["remember blue", "Hello."]) assert.include(prompt, text)
    }))

  it.live("an unknown id is 404 with what to send instead, and starts nothing", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { client } = yield* serving(agent)
      const parts = (...each: ReadonlyArray<unknown>) =>
        `msg_${Buffer.from(JSON.stringify(each)).toString("base64url")}`
      for (const id of ["msg_1", "rs_", parts("none", "none", "plain", 1, 0), parts("none", "none", "other", 1, 0)]) {
        const input = [reference({ id }), { role: "user" as const, content: "hi" }]
        const error = yield* failure(() => client.responses.create({ model: "plain", input }))
        assert.deepInclude({ ...error }, { status: 404, code: "item_not_found", param: "input" })
        for (const text of [`'${id}'`, "the item itself", "store"]) assert.include(error.message, text)
      }
      assert.deepStrictEqual(yield* script.calls, [])
    }))

  it.live("an item that is named twice is refused, because many places of a large one would fill the memory", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { client } = yield* serving(agent)
      const { output } = yield* call(() => client.responses.create({ model: "plain", input: "hi" }))
      const input = [...[...output, ...output].map(reference), { role: "user" as const, content: "what?" }]
      const error = yield* failure(() => client.responses.create({ model: "plain", input }))
      assert.strictEqual(error.status, 400)
      assert.include(error.message, `names the item '${output[0]?.id}' more than once`)
      assert.strictEqual((yield* script.calls).length, 1)
    }))

  it.effect("an item of another user is not found", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], authorization: yield* closed })
      const as = (user: string, input: unknown) =>
        Effect.flatMap(token(user, "agents:run"), (credential) =>
          ask(server, "/v1/responses", {
            method: "POST",
            headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
            body: JSON.stringify({ model: "plain", input })
          }))
      const made = yield* as("ann", "hi")
      const input = [{ type: "item_reference", id: at(made.json, "output", 0, "id") }, {
        role: "user",
        content: "and?"
      }]
      assert.strictEqual((yield* as("ann", input)).status, 200)
      const other = yield* as("bob", input)
      assert.deepStrictEqual([other.status, at(other.json, "error", "code")], [404, "item_not_found"])
    }))
})

describe("calls that stand together", () => {
  it.effect("calls that the model made at once are one message, with their text, before and behind a message", () =>
    Effect.gen(function*() {
      const { model, prompts } = yield* toolUser()
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const called = (id: string) => ({ type: "function_call", call_id: id, name: "show", arguments: "{}" })
      const output = (id: string) => ({ type: "function_call_output", call_id: id, output: `result of ${id}` })
      yield* post(server, "/v1/responses", {
        model: "a",
        input: [
          { role: "user", content: "hi" },
          { role: "assistant", content: "Let me see." },
          called("one"),
          { type: "reasoning", id: "rs_1", summary: [] },
          called("two"),
          output("one"),
          output("two"),
          { role: "assistant", content: "There." },
          { role: "user", content: "thanks" }
        ]
      })
      const prompt = (yield* prompts).at(-1)!
      assert.deepStrictEqual(prompt.map(({ role }) => role), ["user", "assistant", "tool", "tool", "assistant", "user"])
      const text = JSON.stringify(prompt)
      for (const each of ["result of one", "result of two"]) assert.include(text, each)
      assert.notInclude(text, "There is no result")
    }))
})
