// Results of calls that are sent again, or for a run that does not wait for them.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import type OpenAI from "openai"
import { mail } from "../a2a/Mail.ts"
import { toolUser } from "../wire/Fixtures.ts"
import { call, collected, failure, hi, parameters, serving } from "./OpenAiClient.ts"

Tier.oneIn(4)

const show = { type: "function", function: { name: "show", description: "Shows a page.", parameters } } as const
const shown = { type: "function", name: "show", parameters, strict: false } as const

const texts = (prompt: ReadonlyArray<unknown> | undefined): string => JSON.stringify(prompt)

/** An agent that calls the function of its caller, again for the result `ask more`, and numbers its answers. */
const calling = Effect.gen(function*() {
  let answers = 0
  const script = yield* Script.make(
    Array.from({ length: 20 }, () => ({ prompt }: Script.Call) =>
      prompt.content.at(-1)?.role === "tool"
        ? JSON.stringify(prompt.content.at(-1)).includes("ask more")
          ? [Script.text("Let me see."), Script.toolCall("show", { page: "next" }, "c2")]
          : [Script.text(`Answer ${++answers}`)]
        : [Script.toolCall("show", { page: "start" }, "c1")])
  )
  return { script, ...yield* serving(Agent.make({ id: "a", model: script.model })) }
})

describe("POST /v1/chat/completions", () => {
  const opened = Effect.gen(function*() {
    const { client, script } = yield* calling
    const ask = (...results: ReadonlyArray<OpenAI.ChatCompletionMessageParam>) =>
      client.chat.completions.create({ model: "a", messages: [...hi, ...results], tools: [show] })
    const { message } = (yield* call(() => ask())).choices[0]!
    const result = (content: string) => ({ role: "tool", tool_call_id: message.tool_calls![0]!.id, content }) as const
    return { client, script, ask, message, result }
  })

  it.live("the same results again are answered with what was answered, without another request of the model", () =>
    Effect.gen(function*() {
      const { ask, client, message, result, script } = yield* opened
      const first = yield* call(() => ask(message, result("shown")))
      const again = yield* call(() => ask(message, result("shown")))
      assert.strictEqual(again.choices[0]!.message.content, "Answer 1")
      assert.deepStrictEqual([again.id, again.usage], [first.id, first.usage])
      const chunks = yield* call(async () =>
        collected(
          await client.chat.completions.create({
            model: "a",
            messages: [...hi, message, result("shown")],
            tools: [show],
            stream: true
          })
        )
      )
      assert.strictEqual(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), "Answer 1")
      assert.lengthOf(yield* script.prompts, 2)
    }))

  it.live("other results for an ended run are context of another run", () =>
    Effect.gen(function*() {
      const { ask, message, result, script } = yield* opened
      yield* call(() => ask(message, result("shown")))
      const other = yield* call(() => ask(message, result("not found")))
      assert.strictEqual(other.choices[0]!.message.content, "Answer 2")
      const prompt = (yield* script.prompts).at(-1)
      assert.deepStrictEqual(prompt?.map(({ role }) => role), ["user", "assistant", "tool"])
      assert.include(texts(prompt), "not found")
      assert.notInclude(texts(prompt), "shown")
    }))

  it.live("other results that are sent again get the answer that they had", () =>
    Effect.gen(function*() {
      const { ask, message, result, script } = yield* opened
      yield* call(() => ask(message, result("shown")))
      const other = yield* call(() => ask(message, result("not found")))
      const again = yield* call(() => ask(message, result("not found")))
      assert.deepStrictEqual([again.id, again.choices[0]!.message.content], [other.id, "Answer 2"])
      assert.lengthOf(yield* script.prompts, 3)
      const third = yield* call(() => ask(message, result("gone")))
      assert.strictEqual(third.choices[0]!.message.content, "Answer 3")
    }))

  it.live("other results behind other instructions, functions or formats, or of another user, have an answer of their own", () =>
    Effect.gen(function*() {
      const { ask, client, message, result } = yield* opened
      yield* call(() => ask(message, result("shown")))
      const create = (more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>) =>
        call(() =>
          client.chat.completions.create({
            model: "a",
            messages: [...hi, message, result("not found")],
            tools: [show],
            ...more
          })
        )
      const others: ReadonlyArray<Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>> = [
        {},
        { messages: [{ role: "system", content: "French" }, ...hi, message, result("not found")] },
        { messages: [{ role: "user", content: "hello" }, message, result("not found")] },
        { tools: [show, { type: "function", function: { ...show.function, name: "hide" } }] },
        { response_format: { type: "json_object" } },
        { user: "bob" }
      ]
      const ids = yield* Effect.forEach(others, (more) => Effect.map(create(more), ({ id }) => id))
      assert.lengthOf(new Set(ids), others.length)
      assert.deepStrictEqual(yield* Effect.forEach(others, (more) => Effect.map(create(more), ({ id }) => id)), ids)
    }))

  it.live.each([["other", "shown"], ["the first", undefined]])(
    "%s results again get the calls that answered them, although the run has continued",
    ([, before]) =>
      Effect.gen(function*() {
        const { ask, client, message, result, script } = yield* opened
        if (before !== undefined) yield* call(() => ask(message, result(before)))
        const paused = yield* call(() => ask(message, result("ask more")))
        const [{ message: more } = { message }] = paused.choices
        const next = { role: "tool", tool_call_id: more.tool_calls![0]!.id, content: "done" } as const
        const ended = yield* call(() => ask(message, result("ask more"), more, next))
        const count = (yield* script.prompts).length
        const again = yield* call(() => ask(message, result("ask more")))
        assert.deepStrictEqual({ ...again, created: 0 }, { ...paused, created: 0 })
        const chunks = yield* call(async () =>
          collected(
            await client.chat.completions.create({
              model: "a",
              messages: [...hi, message, result("ask more")],
              tools: [show],
              stream: true
            })
          )
        )
        assert.strictEqual(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), "Let me see.")
        assert.strictEqual(chunks.at(-1)?.choices[0]?.finish_reason, "tool_calls")
        const last = yield* call(() => ask(message, result("ask more"), more, next))
        assert.deepStrictEqual([last.id, last.choices], [ended.id, ended.choices])
        assert.lengthOf(yield* script.prompts, count)
      })
  )

  it.live("the results of a run that has failed with them begin another run", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("show", { page: "start" }, "c1")],
        [Script.fail("provider is down")],
        [Script.text("Tea is a leaf.")]
      ])
      const { client } = yield* serving(Agent.make({ id: "a", model, retries: 0 }))
      const ask = (...results: ReadonlyArray<OpenAI.ChatCompletionMessageParam>) =>
        client.chat.completions.create({ model: "a", messages: [...hi, ...results], tools: [show] })
      const { message } = (yield* call(() => ask())).choices[0]!
      const result = { role: "tool", tool_call_id: message.tool_calls![0]!.id, content: "shown" } as const
      assert.strictEqual((yield* failure(() => ask(message, result))).status, 400)
      const again = yield* call(() => ask(message, result))
      assert.strictEqual(again.choices[0]!.message.content, "Tea is a leaf.")
    }))

  it.live("the same results while their run is executing get its answer", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const { model } = yield* Script.make([
        [Script.toolCall("show", { page: "start" }, "c1")],
        [Script.wait(Deferred.succeed(begun, undefined)), Script.wait(gate), Script.text("Tea is a leaf.")]
      ])
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const ask = (...results: ReadonlyArray<OpenAI.ChatCompletionMessageParam>) =>
        client.chat.completions.create({ model: "a", messages: [...hi, ...results], tools: [show] })
      const { message } = (yield* call(() => ask())).choices[0]!
      const result = { role: "tool", tool_call_id: message.tool_calls![0]!.id, content: "shown" } as const
      const first = ask(message, result)
      yield* Deferred.await(begun)
      const again = ask(message, result)
      yield* Deferred.succeed(gate, undefined)
      for (const each of [first, again]) {
        assert.strictEqual((yield* call(() => each)).choices[0]!.message.content, "Tea is a leaf.")
      }
    }))
})

describe("decisions about calls of the service", () => {
  it.live("another decision that comes too late is a conflict, and begins nothing", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "c1"))
      const { client } = yield* serving(Agent.make({ id: "a", model: script.model, tools: [mail] }))
      const ask = (...results: ReadonlyArray<OpenAI.ChatCompletionMessageParam>) =>
        client.chat.completions.create({ model: "a", messages: [...hi, ...results] })
      const { message } = (yield* call(() => ask())).choices[0]!
      const decide = (accepted: boolean) => {
        const content = JSON.stringify({ accepted })
        return ask(message, { role: "tool", tool_call_id: message.tool_calls![0]!.id, content })
      }
      yield* call(() => decide(true))
      yield* call(() => decide(true))
      assert.strictEqual((yield* failure(() => decide(false))).status, 409)
      assert.lengthOf(yield* script.prompts, 2)
    }))
})

describe("POST /v1/responses", () => {
  const opened = Effect.gen(function*() {
    const { client, script } = yield* calling
    const first = yield* call(() => client.responses.create({ model: "a", input: "hi", tools: [shown] }))
    const [item] = first.output
    const { call_id } = item as { readonly call_id: string }
    const ask = (output: string) =>
      client.responses.create({
        model: "a",
        previous_response_id: first.id,
        input: [{ type: "function_call_output", call_id, output }]
      })
    return { client, script, ask, call_id, first }
  })

  it.live("the same outputs again have the response that was given to them", () =>
    Effect.gen(function*() {
      const { ask, script } = yield* opened
      const first = yield* call(() => ask("shown"))
      const again = yield* call(() => ask("shown"))
      assert.deepStrictEqual({ ...again, created_at: 0 }, { ...first, created_at: 0 })
      assert.lengthOf(yield* script.prompts, 2)
    }))

  it.live("other outputs for an ended run have a response on a branch of their own", () =>
    Effect.gen(function*() {
      const { ask, client, script } = yield* opened
      const first = yield* call(() => ask("shown"))
      const other = yield* call(() => ask("not found"))
      assert.notStrictEqual(other.id, first.id)
      assert.strictEqual(other.output_text, "Answer 2")
      const prompt = (yield* script.prompts).at(-1)
      assert.deepStrictEqual(prompt?.map(({ role }) => role), ["user", "assistant", "tool"])
      assert.include(texts(prompt), "not found")
      yield* call(() => client.responses.create({ model: "a", previous_response_id: other.id, input: "and then?" }))
      const next = texts((yield* script.prompts).at(-1))
      assert.include(next, "Answer 2")
      assert.notInclude(next, "Answer 1")
    }))

  it.live("other outputs with other instructions have a response of their own", () =>
    Effect.gen(function*() {
      const { client, ask, call_id, first } = yield* opened
      yield* call(() => ask("shown"))
      const send = (instructions: string) =>
        call(() =>
          client.responses.create({
            model: "a",
            previous_response_id: first.id,
            instructions,
            input: [{ type: "function_call_output", call_id, output: "not found" }]
          })
        )
      const [french, german, again] = [yield* send("French"), yield* send("German"), yield* send("French")]
      assert.notStrictEqual(german.id, french.id)
      assert.strictEqual(again.id, french.id)
    }))

  it.live("the outputs of a run that was cancelled begin one other run, also one that is cancelled too", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { model, prompts } = yield* Script.make([
        [Script.toolCall("show", { page: "start" }, "c1")],
        ...[1, 2].map(() => [Script.wait(Deferred.succeed(begun, undefined)), Script.wait(Effect.never)]),
        [Script.text("Tea is a leaf.")]
      ])
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const first = yield* call(() => client.responses.create({ model: "a", input: "hi", tools: [shown] }))
      const { call_id } = first.output[0] as { readonly call_id: string }
      const ask = (background: boolean) =>
        call(() =>
          client.responses.create({
            model: "a",
            previous_response_id: first.id,
            background,
            input: [{ type: "function_call_output", call_id, output: "shown" }]
          })
        )
      for (const _ of [1, 2]) {
        const { id } = yield* ask(true)
        yield* Deferred.await(begun)
        yield* call(() => client.responses.cancel(id))
      }
      const [one, other] = [yield* ask(false), yield* ask(false)]
      assert.deepStrictEqual([one.output_text, other.id], ["Tea is a leaf.", one.id])
      assert.lengthOf(yield* prompts, 4)
    }))

  it.live("an output of a call that the run has never made is refused", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("show", { page: "start" }, "c1"))
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const first = yield* call(() => client.responses.create({ model: "a", input: "hi", tools: [shown] }))
      const ended = yield* call(() =>
        client.responses.create({
          model: "a",
          previous_response_id: first.id,
          input: [{ type: "function_call_output", call_id: "c1", output: "shown" }]
        })
      )
      for (const { id } of [first, ended]) {
        const error = yield* failure(() =>
          client.responses.create({
            model: "a",
            previous_response_id: id,
            input: [{ type: "function_call_output", call_id: "other", output: "shown" }]
          })
        )
        assert.strictEqual(error.status, 400)
        assert.include(error.message, "'other'")
      }
    }))
})
