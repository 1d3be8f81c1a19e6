// Results of calls whose run is not one of the model: of another agent, or deleted. They are context.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import type OpenAI from "openai"
import type { ResponseInputItem } from "openai/resources/responses/responses"
import { mail } from "../a2a/Mail.ts"
import { toolUser } from "../wire/Fixtures.ts"
import { call, failure, hi, parameters, serving } from "./OpenAiClient.ts"

Tier.oneIn(6)

const show = { type: "function", function: { name: "show", description: "Shows a page.", parameters } } as const
const shown = { type: "function", name: "show", parameters, strict: false } as const

const deliver = Tool.make({
  name: "deliver",
  requiresUserInput: ["address"],
  parameters: Schema.Struct({ item: Schema.String, address: Schema.String }),
  execute: ({ address, item }) => `delivered ${item} to ${address}`
})
const print = Tool.make({ name: "print", externalExecution: true, parameters: Schema.Struct({ page: Schema.String }) })

/** An agent that calls the function of its caller, and another one. */
const two = Effect.gen(function*() {
  const first = yield* toolUser(Script.toolCall("show", { page: "start" }, "c1"))
  const second = yield* Script.make(Array.from({ length: 5 }, () => [Script.text("I continue.")]))
  const agents = [Agent.make({ id: "first", model: first.model }), Agent.make({ id: "second", model: second.model })]
  return { second, ...yield* serving(...agents) }
})

const sentTo = (script: Script.ScriptedModel) =>
  Effect.map(script.prompts, (prompts) => {
    const prompt = prompts.at(-1)!
    return { roles: prompt.map(({ role }) => role), text: JSON.stringify(prompt) }
  })

const deleted = Effect.fnUntraced(function*(url: string, call_id: string) {
  const [, session_id] = JSON.parse(Buffer.from(call_id.slice("call_".length), "base64url").toString()) as Array<string>
  const { status } = yield* call(() => fetch(`${url}/sessions/${session_id}?type=agent`, { method: "DELETE" }))
  assert.strictEqual(status, 204)
})

describe("POST /v1/chat/completions", () => {
  const opened = Effect.gen(function*() {
    const { client, second, url } = yield* two
    const ask = (model: string, ...messages: ReadonlyArray<OpenAI.ChatCompletionMessageParam>) =>
      client.chat.completions.create({ model, messages: [...hi, ...messages], tools: [show] })
    const { message } = (yield* call(() => ask("first"))).choices[0]!
    const { id } = message.tool_calls![0]!
    return {
      ask,
      client,
      id,
      message,
      second,
      url,
      result: { role: "tool", tool_call_id: id, content: "seen" } as const
    }
  })

  it.live("the result of a call of another agent is context, as in a handoff", () =>
    Effect.gen(function*() {
      const { ask, message, result, second } = yield* opened
      const { choices } = yield* call(() => ask("second", message, result))
      assert.strictEqual(choices[0]!.message.content, "I continue.")
      const { roles, text } = yield* sentTo(second)
      assert.deepStrictEqual(roles, ["user", "assistant", "tool"])
      assert.include(text, "seen")
    }))

  const and = { role: "user", content: "and now?" } as const
  const nothing = "It has not executed the call"

  /** An agent that makes a call, and another one that has its result in a conversation. */
  const handedOver = Effect.fnUntraced(function*(name: string, args: object) {
    const first = yield* toolUser(Script.toolCall(name, args, "c1"))
    const second = yield* Script.make(Array.from({ length: 5 }, () => [Script.text("I continue.")]))
    const { client, url } = yield* serving(
      Agent.make({ id: "first", model: first.model, tools: [mail, deliver, print] }),
      Agent.make({ id: "second", model: second.model })
    )
    const ask = (
      model: string,
      messages: ReadonlyArray<OpenAI.ChatCompletionMessageParam>,
      more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = { tools: [show] }
    ) => call(() => client.chat.completions.create({ model, messages: [...hi, ...messages], ...more }))
    const { message } = (yield* ask("first", [])).choices[0]!
    const answered = (content: string) =>
      [message, { role: "tool", tool_call_id: message.tool_calls![0]!.id, content }] as const
    const result = Effect.map(
      second.prompts,
      (prompts) => JSON.stringify(prompts.at(-1)!.find((each) => each.role === "tool"))
    )
    return { answered, ask, id: message.tool_calls![0]!.id, result, url }
  })

  it.live.each<readonly [name: string, args: object, content: string]>([
    ["send_mail", { to: "ann" }, "{\"accepted\":true}"],
    ["send_mail", { to: "ann" }, "yes"],
    ["send_mail", { to: "ann" }, "No, too expensive"],
    ["deliver", { item: "tea" }, "{\"address\":\"Main street 1\"}"],
    ["deliver", { item: "tea" }, "Main street 1"]
  ])(
    "a decision about a call of another agent reaches the model as one that has executed nothing: %s %j %s",
    ([name, args, content]) =>
      Effect.gen(function*() {
        const { answered, ask, id, result, url } = yield* handedOver(name, args)
        for (const behind of [[], [and]]) {
          yield* ask("second", [...answered(content), ...behind])
          assert.include(yield* result, nothing)
          assert.notInclude(yield* result, content.replaceAll("\"", "\\\""))
        }
        yield* deleted(url, id)
        yield* ask("second", [...answered(content), and])
        assert.include(yield* result, nothing)
      })
  )

  it.live("a decision that was followed since reaches another model as the result of its call", () =>
    Effect.gen(function*() {
      const { answered, ask, result } = yield* handedOver("send_mail", { to: "ann" })
      const messages = answered("yes")
      const { message } = (yield* ask("first", messages)).choices[0]!
      yield* ask("second", [...messages, message, and])
      assert.include(yield* result, "sent to ann")
    }))

  it.live.each<readonly [name: string, more: object]>([
    ["show", { tools: [show] }],
    ["show", {}],
    ["show", { tools: [show], tool_choice: "none" }],
    ["show", { tools: [{ ...show, function: { ...show.function, name: "another" } }] }],
    ["print", {}]
  ])(
    "a result of what the client executes reaches another model as it is, whatever words it has: %s %j",
    ([name, more]) =>
      Effect.gen(function*() {
        const { answered, ask, id, result, url } = yield* handedOver(name, { page: "start" })
        const content = JSON.stringify({ approved: true, accepted: true, limit: 5000 })
        const arrives = Effect.map(result, (text) => assert.include(text, JSON.stringify(content).slice(1, -1)))
        yield* ask("second", answered(content), more)
        yield* arrives
        yield* ask("second", [...answered(content), and], more)
        yield* arrives
        yield* deleted(url, id)
        yield* ask("second", answered(content), more)
        yield* arrives
      })
  )

  it.live("results of calls of different runs are context", () =>
    Effect.gen(function*() {
      const { ask, message, result, second } = yield* opened
      const other = (yield* call(() => ask("first"))).choices[0]!.message
      const both = { ...message, tool_calls: [...message.tool_calls!, ...other.tool_calls!] }
      yield* call(() => ask("second", both, result, { ...result, tool_call_id: other.tool_calls![0]!.id }))
      assert.deepStrictEqual((yield* sentTo(second)).roles, ["user", "assistant", "tool", "tool"])
    }))

  it.live("the result of a call of a deleted session is context", () =>
    Effect.gen(function*() {
      const { ask, id, message, result, url } = yield* opened
      yield* deleted(url, id)
      const { choices } = yield* call(() => ask("first", message, result))
      assert.strictEqual(choices[0]!.message.content, "Tea is a leaf.")
    }))

  it.live("a result without its call is refused with the id that the client has sent, and no other", () =>
    Effect.gen(function*() {
      const { client, id, result } = yield* opened
      const error = yield* failure(() => client.chat.completions.create({ model: "second", messages: [...hi, result] }))
      assert.deepInclude({ ...error }, { status: 404, code: "tool_call_not_found" })
      assert.include(error.message, id)
      const [run_id = "none"] = JSON.parse(Buffer.from(id.slice(5), "base64url").toString()) as Array<string>
      assert.notInclude(error.message, run_id)
    }))
})

describe("POST /v1/responses", () => {
  const opened = Effect.gen(function*() {
    const { client, second, url } = yield* two
    const ask = (model: string, more: ReadonlyArray<ResponseInputItem>, fields: object = {}) =>
      client.responses.create({ model, input: [{ role: "user", content: "hi" }, ...more], tools: [shown], ...fields })
    const { output } = yield* call(() => ask("first", []))
    const made = output[0] as Extract<typeof output[number], { readonly type: "function_call" }>
    return {
      ask,
      client,
      made,
      second,
      url,
      result: { type: "function_call_output", call_id: made.call_id, output: "seen" } as const
    }
  })

  for (const fields of [{}, { conversation: "talk", user: "ann" }]) {
    it.live(`the output of a call of another agent is context, as in a handoff (${Object.keys(fields).join()})`, () =>
      Effect.gen(function*() {
        const { ask, made, result, second } = yield* opened
        const { output_text } = yield* call(() => ask("second", [made, result], fields))
        assert.strictEqual(output_text, "I continue.")
        const { roles, text } = yield* sentTo(second)
        assert.deepStrictEqual(roles, ["user", "assistant", "tool"])
        assert.include(text, "seen")
      }))
  }

  it.live("a call that comes with its output behind another response is context", () =>
    Effect.gen(function*() {
      const { ask, made, result, second } = yield* opened
      const before = yield* call(() => ask("second", []))
      for (const call_id of [made.call_id, "call_foreign"]) {
        const items = [{ ...made, call_id }, { ...result, call_id }]
        const { output_text } = yield* call(() => ask("second", items, { previous_response_id: before.id }))
        assert.strictEqual(output_text, "I continue.")
        const { roles, text } = yield* sentTo(second)
        assert.deepStrictEqual(roles, ["user", "assistant", "user", "assistant", "tool"])
        assert.include(text, "seen")
      }
    }))

  it.live("the output of a call of a deleted session is context", () =>
    Effect.gen(function*() {
      const { ask, made, result, url } = yield* opened
      yield* deleted(url, made.call_id)
      assert.strictEqual((yield* call(() => ask("first", [made, result]))).output_text, "Tea is a leaf.")
    }))

  it.live("an output without its call is refused with the id that the client has sent, and no other", () =>
    Effect.gen(function*() {
      const { client, result } = yield* opened
      const error = yield* failure(() => client.responses.create({ model: "second", input: [result] }))
      assert.deepInclude({ ...error }, { status: 404, code: "tool_call_not_found" })
      const [run_id = "none"] = JSON.parse(Buffer.from(result.call_id.slice(5), "base64url").toString()) as Array<
        string
      >
      assert.include(error.message, result.call_id)
      assert.notInclude(error.message, run_id)
    }))
})

describe("instructions at the end", () => {
  for (const role of ["system", "developer"] as const) {
    it.live(`the last message can be of ${role}: it is an instruction for the answer`, () =>
      Effect.gen(function*() {
        const { client, second } = yield* two
        const reminder = { role, content: "Be brief." }
        yield* call(() =>
          client.chat.completions.create({
            model: "second",
            messages: [{ role: "user", content: "earlier" }, { role: "assistant", content: "yes?" }, ...hi, reminder]
          })
        )
        const completion = yield* sentTo(second)
        yield* call(() =>
          client.responses.create({
            model: "second",
            input: [{ role: "user", content: "earlier" }, { role: "assistant", content: "yes?" }, ...hi, reminder]
          })
        )
        for (const { roles, text } of [completion, yield* sentTo(second)]) {
          assert.deepStrictEqual(roles, ["system", "user", "assistant", "user"])
          assert.include(text, "Be brief.")
        }
      }))
  }

  it.live("without a message of the user before it, an instruction is the input", () =>
    Effect.gen(function*() {
      const { client, second } = yield* two
      const reminder = { role: "system", content: "Say goodbye." } as const
      yield* call(() =>
        client.chat.completions.create({
          model: "second",
          messages: [...hi, { role: "assistant", content: "Hello." }, reminder]
        })
      )
      const completion = yield* sentTo(second)
      yield* call(() =>
        client.responses.create({ model: "second", input: [...hi, { role: "assistant", content: "Hello." }, reminder] })
      )
      for (const { roles, text } of [completion, yield* sentTo(second)]) {
        assert.deepStrictEqual(roles, ["user", "assistant", "user"])
        assert.include(text, "Say goodbye.")
      }
    }))

  it.live("behind the results of calls, an instruction does not keep the run waiting", () =>
    Effect.gen(function*() {
      const { client } = yield* two
      const ask = (...messages: ReadonlyArray<OpenAI.ChatCompletionMessageParam>) =>
        client.chat.completions.create({ model: "first", messages: [...hi, ...messages], tools: [show] })
      const { message } = (yield* call(() => ask())).choices[0]!
      const result = { role: "tool", tool_call_id: message.tool_calls![0]!.id, content: "seen" } as const
      const { choices } = yield* call(() => ask(message, result, { role: "system", content: "Be brief." }))
      assert.strictEqual(choices[0]!.message.content, "Tea is a leaf.")
    }))
})
