// `responses`, called by the official client of OpenAI.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import type { ResponseInputItem, ResponseStreamEvent } from "openai/resources/responses/responses"
import { remembering } from "../protocols/Remembering.ts"
import { always } from "../Wire.ts"
import { down, lookup, plain, toolUser, used } from "../wire/Fixtures.ts"
import { call, collected, failure, parameters, serving } from "./OpenAiClient.ts"

Tier.oneIn(6)

const outputText = (events: ReadonlyArray<ResponseStreamEvent>): string =>
  events.map((event) => event.type === "response.output_text.delta" ? event.delta : "").join("")

describe("POST /v1/responses", () => {
  it.live("the answer has its text and its usage", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      const response = yield* call(() => client.responses.create({ model: "plain", input: "hi" }))
      assert.strictEqual(response.output_text, "Hello.")
      assert.strictEqual(response.status, "completed")
      assert.deepInclude(response.usage, { input_tokens: 10, output_tokens: 5, total_tokens: 15 })
    }))

  it.live("the stream has the whole sequence of events, without a gap in their numbers", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.reasoning("Hm"), Script.text("Hel", "lo."), used)
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const events = yield* call(async () =>
        collected(await client.responses.create({ model: "a", input: "hi", stream: true }))
      )
      assert.deepStrictEqual(events.map(({ sequence_number }) => sequence_number), events.map((_, index) => index))
      assert.deepStrictEqual(events.map(({ type }) => type), [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
        "response.reasoning_summary_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed"
      ])
      assert.strictEqual(outputText(events), "Hello.")
    }))

  it.live("the helper of the client builds the response from the stream", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.text("I look."), Script.toolCall("lookup", { query: "tea" }))
      const { client } = yield* serving(Agent.make({ id: "a", model, tools: [lookup] }))
      const response = yield* call(() => client.responses.stream({ model: "a", input: "hi" }).finalResponse())
      assert.strictEqual(response.output_text, "I look.Tea is a leaf.")
    }))

  it.live("the next response has the session of the previous one", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { client } = yield* serving(agent)
      const first = yield* call(() => client.responses.create({ model: "plain", input: "remember blue" }))
      yield* call(() => client.responses.create({ model: "plain", input: "what?", previous_response_id: first.id }))
      assert.include(JSON.stringify((yield* script.prompts).at(-1)), "remember blue")
    }))

  it.live("two responses to one previous response are branches, which do not see each other", () =>
    Effect.gen(function*() {
      const { agent, seen } = yield* remembering
      const { client } = yield* serving(agent)
      const after = (input: string, previous_response_id?: string) =>
        call(() =>
          client.responses.create({
            model: "a",
            input,
            ...(previous_response_id === undefined ? {} : { previous_response_id })
          })
        )
      const one = yield* after("one")
      const two = yield* after("two", one.id)
      yield* after("other two", one.id)
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "other two"])
      yield* after("three", two.id)
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "two", "answer 2", "three"])
    }))

  it.live("a response in the background is sent at once, and read later, whole and as a stream", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { model } = yield* always(Script.text("Hel"), Script.wait(gate), Script.text("lo."), used)
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const metadata = { topic: "tea" }
      const made = yield* call(() => client.responses.create({ model: "a", input: "hi", background: true, metadata }))
      assert.strictEqual(made.status, "in_progress")
      const events = yield* call(() => client.responses.retrieve(made.id, { stream: true }))
      yield* Deferred.succeed(gate, undefined)
      const all = yield* call(() => collected(events))
      assert.strictEqual(outputText(all), "Hello.")
      const read = yield* call(() => client.responses.retrieve(made.id))
      assert.strictEqual(read.output_text, "Hello.")
      assert.deepInclude(read, { id: made.id, status: "completed", metadata })
      const rest = yield* call(async () =>
        collected(await client.responses.retrieve(made.id, { stream: true, starting_after: all.length - 2 }))
      )
      assert.deepStrictEqual(rest.map(({ type }) => type), ["response.completed"])
    }))

  it.live("a response is cancelled, and stays cancelled", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { model } = yield* always(Script.wait(Deferred.succeed(begun, undefined)), Script.hang)
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const { id } = yield* call(() => client.responses.create({ model: "a", input: "hi", background: true }))
      yield* Deferred.await(begun)
      assert.strictEqual((yield* call(() => client.responses.cancel(id))).status, "cancelled")
      const events = yield* call(async () => collected(await client.responses.retrieve(id, { stream: true })))
      assert.nestedPropertyVal(events.at(-1), "response.status", "cancelled")
      assert.strictEqual((yield* call(() => client.responses.retrieve(id))).status, "cancelled")
    }))

  it.live("a failed run is read as a failed response", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* down).agent)
      const { id } = yield* call(() => client.responses.create({ model: "down", input: "hi", background: true }))
      yield* call(async () => collected(await client.responses.retrieve(id, { stream: true })))
      assert.deepInclude(yield* call(() => client.responses.retrieve(id)), { status: "failed" })
    }))

  it.live("an unknown response is 404, and cancelling it starts nothing", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      const made = yield* call(() => client.responses.create({ model: "plain", input: "hi" }))
      const others = [
        "resp_1",
        ...[["none", "none", "plain"], ["none", "none", "other"]].map((parts) =>
          `resp_${Buffer.from(JSON.stringify(parts)).toString("base64url")}`
        )
      ]
      for (const id of others) {
        assert.strictEqual((yield* failure(() => client.responses.retrieve(id))).status, 404)
        assert.strictEqual((yield* failure(() => client.responses.cancel(id))).status, 404)
      }
      assert.strictEqual((yield* call(() => client.responses.cancel(made.id))).status, "completed")
    }))

  it.live("an unknown previous response is 404", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      for (const previous_response_id of ["resp_1", "resp_WyJhIiwiYiJd"]) {
        const error = yield* failure(() =>
          client.responses.create({ model: "plain", input: "hi", previous_response_id })
        )
        assert.strictEqual(error.status, 404)
      }
    }))

  for (const stream of [false, true]) {
    it.live(`a function of the caller is called, and its output continues the run (stream: ${stream})`, () =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("show", { page: "start" }, "c1"))
        const { client } = yield* serving(Agent.make({ id: "a", model }))
        const tools = [{ type: "function" as const, name: "show", parameters, strict: false }]
        const first = yield* call(() =>
          stream
            ? client.responses.stream({ model: "a", input: "hi", tools }).finalResponse()
            : client.responses.create({ model: "a", input: "hi", tools })
        )
        const [item] = first.output
        assert.deepInclude(item, { type: "function_call", name: "show", arguments: "{\"page\":\"start\"}" })
        const { call_id } = item as { readonly call_id: string }
        const second = yield* call(() =>
          client.responses.create({
            model: "a",
            previous_response_id: first.id,
            input: [{ type: "function_call_output", call_id, output: "shown" }]
          })
        )
        assert.strictEqual(second.output_text, "Tea is a leaf.")
      }))
  }

  it.live("outputs continue the run of their calls without the id of the response, also call by call", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("show", { page: "one" }, "c1"), Script.toolCall("show", { page: "two" }, "c2")],
        [Script.toolCall("show", { page: "three" }, "c3")],
        [Script.text("Done.")]
      ])
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const tools = [{ type: "function" as const, name: "show", parameters, strict: false }]
      const input: Array<ResponseInputItem> = [{ role: "user", content: "hi" }]
      const ids = new Set<string>()
      for (const count of [2, 1, 0]) {
        const { output, output_text } = yield* call(() => client.responses.create({ model: "a", input, tools }))
        const calls = output.filter((item) => item.type === "function_call")
        assert.lengthOf(calls, count)
        for (const item of calls) {
          ids.add(item.call_id)
          // some clients send each output behind its call
          input.push(item, { type: "function_call_output", call_id: item.call_id, output: "shown" })
        }
        if (count === 0) assert.strictEqual(output_text, "Done.")
      }
      assert.strictEqual(ids.size, 3)
    }))

  it.live("calls and outputs of another service that come together are context behind the message of the user", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { client } = yield* serving(agent)
      const { output_text } = yield* call(() =>
        client.responses.create({
          model: "plain",
          input: [
            { role: "user", content: "What is the weather in Paris?" },
            { type: "function_call", call_id: "c1", name: "weather", arguments: "{\"city\":\"Paris\"}" },
            { type: "function_call_output", call_id: "c1", output: "sunny" }
          ]
        })
      )
      assert.strictEqual(output_text, "Hello.")
      const content = (yield* script.prompts).at(-1)!
      assert.deepStrictEqual(content.map(({ role }) => role), ["user", "assistant", "tool"])
      assert.include(JSON.stringify(content[0]), "What is the weather in Paris?")
      assert.include(JSON.stringify(content[2]), "sunny")
    }))

  it.live("an output without its call and without a response is refused", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      const error = yield* failure(() =>
        client.responses.create({
          model: "plain",
          input: [{ role: "user", content: "hi" }, { type: "function_call_output", call_id: "c1", output: "sunny" }]
        })
      )
      assert.strictEqual(error.status, 400)
      assert.include(error.message, "previous_response_id")
    }))

  it.live("an answer in the format json_object is an object", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("{\"a\": 1}"), used)
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const { output_text } = yield* call(() =>
        client.responses.create({ model: "a", input: "hi", text: { format: { type: "json_object" } } })
      )
      assert.deepStrictEqual(JSON.parse(output_text), { a: 1 })
    }))

  it.live("a parameter that is not supported is refused by its name, and values that ask for nothing are not", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      const others: ReadonlyArray<object> = [
        { prompt: { id: "p" } },
        { include: ["message.output_text.logprobs"] },
        { top_logprobs: 2 },
        { tool_choice: "required" }
      ]
      for (const other of others) {
        const error = yield* failure(() => client.responses.create({ model: "plain", input: "hi", ...other } as never))
        const [param] = Object.keys(other)
        assert.deepInclude({ ...error }, { status: 400, code: "unsupported_parameter", param })
        assert.include(error.message, `\`${param}\``)
      }
      const defaults = { include: [], top_logprobs: 0, tool_choice: "auto" as const, store: false, temperature: 1 }
      yield* call(() => client.responses.create({ model: "plain", input: "hi", ...defaults }))
    }))

  it.live("a failed run is 400, and the event response.failed in a stream", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* down).agent)
      const error = yield* failure(() => client.responses.create({ model: "down", input: "hi" }))
      assert.strictEqual(error.status, 400)
      const events = yield* call(async () =>
        collected(await client.responses.create({ model: "down", input: "hi", stream: true }))
      )
      assert.strictEqual(events.at(-1)?.type, "response.failed")
    }))
})
