// `chat/completions` and models, called by the official client of OpenAI.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import OpenAI from "openai"
import { always } from "../Wire.ts"
import { down, lookup, plain, toolUser, used } from "../wire/Fixtures.ts"
import { call, collected, failure, hi, parameters, serving } from "./OpenAiClient.ts"

Tier.oneIn(8)

const show = { type: "function", function: { name: "show", description: "Shows a page.", parameters } } as const

describe("GET /v1/models", () => {
  it.live("the models are the components, by their ids", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      const models = yield* call(() => client.models.list())
      assert.deepStrictEqual(models.data.map(({ id }) => id), ["plain"])
      assert.strictEqual((yield* call(() => client.models.retrieve("plain"))).id, "plain")
      const error = yield* failure(() => client.models.retrieve("other"))
      assert.deepInclude({ status: error.status, code: error.code }, { status: 404, code: "model_not_found" })
    }))
})

describe("POST /v1/chat/completions", () => {
  it.live("the answer has its text and its usage", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      const completion = yield* call(() => client.chat.completions.create({ model: "plain", messages: [...hi] }))
      assert.deepInclude(completion.choices[0], { finish_reason: "stop" })
      assert.strictEqual(completion.choices[0]?.message.content, "Hello.")
      assert.deepInclude(completion.usage, { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 })
    }))

  for (const include_usage of [true, false]) {
    it.live(`the stream has a chunk of the usage only with include_usage: ${include_usage}`, () =>
      Effect.gen(function*() {
        const { client } = yield* serving((yield* plain).agent)
        const chunks = yield* call(async () =>
          collected(
            await client.chat.completions.create({
              model: "plain",
              messages: [...hi],
              stream: true,
              stream_options: { include_usage }
            })
          )
        )
        assert.strictEqual(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), "Hello.")
        assert.lengthOf(chunks.filter(({ usage }) => usage !== undefined && usage !== null), include_usage ? 1 : 0)
        assert.lengthOf(chunks.filter(({ choices }) => choices[0]?.finish_reason === "stop"), 1)
      }))
  }

  it.live("an answer that a content filter has cut says so, streamed or not", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([0, 1].map(() => [Script.text("Half"), Script.finish("content-filter")]))
      const { client } = yield* serving(Agent.make({ id: "plain", model }))
      const request = { model: "plain", messages: [...hi] }
      const whole = yield* call(() => client.chat.completions.create(request))
      assert.deepInclude(whole.choices[0], { finish_reason: "content_filter" })
      const chunks = yield* call(async () =>
        collected(await client.chat.completions.create({ ...request, stream: true }))
      )
      assert.deepStrictEqual(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []), ["content_filter"])
    }))

  it.live("the helper of the client builds the completion from the stream", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("lookup", { query: "tea" }))
      const { client } = yield* serving(Agent.make({ id: "a", model, tools: [lookup] }))
      const completion = yield* call(() =>
        client.chat.completions.stream({ model: "a", messages: [...hi] }).finalChatCompletion()
      )
      assert.strictEqual(completion.choices[0]?.message.content, "Tea is a leaf.")
      assert.isUndefined(completion.choices[0]?.message.tool_calls)
    }))

  it.live("earlier messages are context, and requests share no session", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { client } = yield* serving(Agent.make({ id: "a", model: agent.model!, addHistoryToContext: true }))
      yield* call(() => client.chat.completions.create({ model: "a", messages: [{ role: "user", content: "SECRET" }] }))
      yield* call(() =>
        client.chat.completions.create({
          model: "a",
          messages: [
            { role: "system", content: "Be short." },
            { role: "user", content: "one" },
            { role: "assistant", content: "two" },
            { role: "user", content: "three" }
          ]
        })
      )
      const prompt = JSON.stringify((yield* script.prompts).at(-1))
      for (const text of ["Be short.", "one", "two", "three"]) assert.include(prompt, text)
      assert.notInclude(prompt, "SECRET")
    }))

  for (const stream of [false, true]) {
    it.live(`a tool of the caller is called, and its result continues the run (stream: ${stream})`, () =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("show", { page: "start" }, "c1"))
        const { client } = yield* serving(Agent.make({ id: "a", model }))
        const ask = (messages: ReadonlyArray<OpenAI.ChatCompletionMessageParam>) =>
          call(() =>
            stream
              ? client.chat.completions.stream({ model: "a", messages: [...messages], tools: [show] })
                .finalChatCompletion()
              : client.chat.completions.create({ model: "a", messages: [...messages], tools: [show] })
          )
        const first = yield* ask(hi)
        const message = first.choices[0]!.message
        assert.strictEqual(first.choices[0]?.finish_reason, "tool_calls")
        const [made] = message.tool_calls ?? []
        assert.deepInclude(made, { type: "function", function: { name: "show", arguments: "{\"page\":\"start\"}" } })
        const second = yield* ask([...hi, message, { role: "tool", tool_call_id: made!.id, content: "shown" }])
        assert.strictEqual(second.choices[0]?.message.content, "Tea is a leaf.")
      }))
  }

  it.live("a stream that ends with calls has the usage of its requests to the model", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("show", { page: "start" }))
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const stream_options = { include_usage: true }
      const chunks = yield* call(async () =>
        collected(
          await client.chat.completions.create({
            model: "a",
            messages: [...hi],
            tools: [show],
            stream: true,
            stream_options
          })
        )
      )
      assert.deepInclude(chunks.at(-1)?.usage, { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 })
      const response = yield* call(() =>
        client.responses.stream({
          model: "a",
          input: "hi",
          tools: [{ type: "function", name: "show", parameters, strict: false }]
        }).finalResponse()
      )
      assert.deepInclude(response.usage, { input_tokens: 10, output_tokens: 5, total_tokens: 15 })
    }))

  for (const stream of [false, true]) {
    it.live(`each answer of a run that pauses twice has the usage of its own request to the model (stream: ${stream})`, () =>
      Effect.gen(function*() {
        const showing = (id: string) => Script.toolCall("show", { page: "start" }, id)
        const { model } = yield* Script.make([[showing("c1"), used], [showing("c2"), used], [
          Script.text("Done."),
          used
        ]])
        const { client } = yield* serving(Agent.make({ id: "a", model }))
        const tools = [show]
        const stream_options = { include_usage: true }
        const ask = (messages: ReadonlyArray<OpenAI.ChatCompletionMessageParam>) =>
          call(() =>
            stream
              ? client.chat.completions.stream({ model: "a", messages: [...messages], tools, stream_options })
                .finalChatCompletion()
              : client.chat.completions.create({ model: "a", messages: [...messages], tools })
          )
        const messages: Array<OpenAI.ChatCompletionMessageParam> = [...hi]
        const usage: Array<unknown> = []
        for (;;) {
          const completion = yield* ask(messages)
          usage.push(completion.usage?.total_tokens)
          const { message } = completion.choices[0]!
          const [made] = message.tool_calls ?? []
          if (made === undefined) break
          messages.push(message, { role: "tool", tool_call_id: made.id, content: "shown" })
        }
        assert.deepStrictEqual(usage, [15, 15, 15])
      }))

    it.live(`the answer of a team has the usage of its members too (stream: ${stream})`, () =>
      Effect.gen(function*() {
        const member = Agent.make({ id: "clerk", model: (yield* Script.make([[Script.text("Paid."), used]])).model })
        const { model } = yield* toolUser(
          Script.toolCall("delegate_task_to_member", { member_id: "clerk", task: "Pay" })
        )
        const { url } = yield* TestServer.listen({ teams: [Team.make({ id: "desk", members: [member], model })] })
        const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 })
        const request = { model: "desk", messages: [...hi] }
        const { usage } = yield* call(() =>
          stream
            ? client.chat.completions.stream({ ...request, stream_options: { include_usage: true } })
              .finalChatCompletion()
            : client.chat.completions.create(request)
        )
        assert.strictEqual(usage?.total_tokens, 45)
      }))
  }

  it.live("calls of tools inside the service are not shown, whole or streamed", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("lookup", { query: "tea" }))
      const { client } = yield* serving(Agent.make({ id: "a", model, tools: [lookup] }))
      const whole = yield* call(() => client.chat.completions.create({ model: "a", messages: [...hi] }))
      const chunks = yield* call(async () =>
        collected(await client.chat.completions.create({ model: "a", messages: [...hi], stream: true }))
      )
      assert.isUndefined(whole.choices[0]?.message.tool_calls)
      assert.strictEqual(whole.choices[0]?.finish_reason, "stop")
      assert.notInclude(JSON.stringify(chunks), "lookup")
      assert.strictEqual(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), "Tea is a leaf.")
    }))

  it.live("requests with one conversation share its session, for completions and for responses", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { client } = yield* serving(agent)
      const shared = { conversation: "talk", user: "ann" }
      yield* call(() => client.responses.create({ model: "plain", input: "remember blue", ...shared }))
      yield* call(() => client.responses.create({ model: "plain", input: "what?", ...shared }))
      assert.include(JSON.stringify((yield* script.prompts).at(-1)), "remember blue")
      const more = { model: "plain", messages: [...hi], ...shared }
      const { id } = yield* call(() => client.chat.completions.create(more))
      const read = yield* call(() => fetch(`${client.baseURL.replace("/v1", "")}/sessions/talk/runs`))
      const runs = (yield* call(() => read.json())) as ReadonlyArray<{ readonly run_id: string }>
      assert.lengthOf(runs, 3)
      assert.include(runs.map(({ run_id }) => `chatcmpl-${run_id}`), id)
    }))

  it.live("an answer has the form of response_format", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("{\"city\":\"Rome\"}"))
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
      const completion = yield* call(() =>
        client.chat.completions.create({
          model: "a",
          messages: [...hi],
          response_format: { type: "json_schema", json_schema: { name: "city", schema } }
        })
      )
      assert.deepStrictEqual(JSON.parse(completion.choices[0]?.message.content ?? ""), { city: "Rome" })
    }))

  it.live("an image of the message reaches the model", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { client } = yield* serving(agent)
      const url = "data:image/png;base64,aGk="
      yield* call(() =>
        client.chat.completions.create({
          model: "plain",
          messages: [{
            role: "user",
            content: [{ type: "text", text: "look" }, { type: "image_url", image_url: { url } }]
          }]
        })
      )
      assert.include(JSON.stringify((yield* script.prompts).at(-1)), "image/png")
    }))

  it.live("an unknown model is 404 with the code model_not_found", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      const error = yield* failure(() => client.chat.completions.create({ model: "other", messages: [...hi] }))
      assert.deepInclude({ status: error.status, code: error.code }, { status: 404, code: "model_not_found" })
      assert.include(
        error.message,
        "The model 'other' does not exist. Models are agents, teams and workflows by their ids. GET /models at the same base address lists them"
      )
    }))

  it.live("a client with its own retries does not repeat a run that has failed, nor what its tools have done", () =>
    Effect.gen(function*() {
      const turns = [[Script.toolCall("order")], [Script.fail("The model is not there")]]
      const { model } = yield* Script.make([...turns, ...turns, ...turns])
      let orders = 0
      const order = Tool.make({ name: "order", execute: () => `order ${++orders}` })
      const agent = Agent.make({ id: "buyer", model, tools: [order] })
      const { client } = yield* serving(agent)
      const patient = client.withOptions({ maxRetries: 2 })
      const error = yield* failure(() => patient.chat.completions.create({ model: "buyer", messages: [...hi] }))
      assert.deepStrictEqual([error.status, error.headers?.get("x-should-retry"), orders], [400, "false", 1])
    }))

  it.live("a failed run is 400, and an error in a stream", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* down).agent)
      const error = yield* failure(() => client.chat.completions.create({ model: "down", messages: [...hi] }))
      assert.deepInclude({ status: error.status, code: error.code }, { status: 400, code: "run_failed" })
      yield* failure(async () =>
        collected(await client.chat.completions.create({ model: "down", messages: [...hi], stream: true }))
      )
    }))

  it.live("calls and results of another service that come together are context behind the message of the user", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { client } = yield* serving(agent)
      const made = { id: "c1", type: "function", function: { name: "weather", arguments: "{}" } } as const
      yield* call(() =>
        client.chat.completions.create({
          model: "plain",
          messages: [
            ...hi,
            { role: "assistant", tool_calls: [made] },
            { role: "tool", tool_call_id: "c1", content: "sunny" }
          ]
        })
      )
      const content = (yield* script.prompts).at(-1)!
      assert.deepStrictEqual(content.map(({ role }) => role), ["user", "assistant", "tool"])
    }))

  it.live("an answer in the format json_object is an object", () =>
    Effect.gen(function*() {
      const { model, prompts } = yield* always(Script.text("```json\n{\"a\": 1}\n```"), used)
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const { choices } = yield* call(() =>
        client.chat.completions.create({ model: "a", messages: [...hi], response_format: { type: "json_object" } })
      )
      assert.deepStrictEqual(JSON.parse(choices[0]?.message.content ?? ""), { a: 1 })
      assert.lengthOf(yield* prompts, 1)
    }))

  it.live("a parameter that is not supported is refused by its name, and values that ask for nothing are not", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      const others = [
        { n: 2 },
        { logprobs: true },
        { top_logprobs: 2 },
        { modalities: ["text", "audio"] },
        { audio: { voice: "a", format: "wav" } },
        { functions: [{ name: "f" }] },
        { function_call: "auto" },
        { web_search_options: {} },
        { tool_choice: "required" }
      ] as const
      for (const other of others) {
        const error = yield* failure(() =>
          client.chat.completions.create({ model: "plain", messages: [...hi], ...other } as never)
        )
        const [param] = Object.keys(other)
        assert.deepInclude({ ...error }, { status: 400, code: "unsupported_parameter", param })
        assert.include(error.message, `\`${param}\``)
      }
      const defaults = { n: 1, logprobs: false, modalities: ["text"], functions: [], stop: null, temperature: 1 }
      yield* call(() => client.chat.completions.create({ model: "plain", messages: [...hi], ...defaults } as never))
    }))

  it.live("a result for a call that does not wait is refused", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      for (const tool_call_id of ["call_1", "call_W10"]) {
        const error = yield* failure(() =>
          client.chat.completions.create({
            model: "plain",
            messages: [...hi, { role: "tool", tool_call_id, content: "x" }]
          })
        )
        assert.deepInclude({ status: error.status, code: error.code }, { status: 404, code: "tool_call_not_found" })
      }
    }))

  it.live("the refusal of an earlier answer is in the history, and usage that was not sent is left out", () =>
    Effect.gen(function*() {
      const { model, prompts } = yield* always(Script.text("Hello."))
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const refused = { role: "assistant", content: null, refusal: "I refuse" } as const
      const completion = yield* call(() =>
        client.chat.completions.create({ model: "a", messages: [...hi, refused, ...hi] })
      )
      assert.isUndefined(completion.usage)
      assert.deepStrictEqual((yield* prompts).at(-1)?.map(({ role }) => role), ["user", "assistant", "user"])
      assert.include(JSON.stringify((yield* prompts).at(-1)?.[1]), "I refuse")
    }))
})
