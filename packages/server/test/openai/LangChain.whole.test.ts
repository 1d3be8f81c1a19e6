// LangChain, unmodified: its models over Chat Completions, and its agents over both APIs.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { z } from "zod"
import { always } from "../Wire.ts"
import { used } from "../wire/Fixtures.ts"
import { call, collected, serving } from "./OpenAiClient.ts"

interface Message {
  readonly id?: string
  readonly content: unknown
  readonly tool_calls?: ReadonlyArray<{ readonly id?: string; readonly name: string; readonly args: unknown }>
  readonly concat: (other: Message) => Message
}

interface Chat {
  readonly invoke: (input: unknown) => Promise<Message>
  readonly stream: (input: unknown) => Promise<AsyncIterable<Message>>
  readonly bindTools: (tools: ReadonlyArray<unknown>) => Chat
  readonly withStructuredOutput: (schema: unknown, options: object) => {
    readonly invoke: (input: unknown) => Promise<unknown>
  }
}

interface Openai {
  readonly ChatOpenAI: new(options: object) => Chat
}

interface Tools {
  readonly tool: (
    execute: (input: { readonly city: string }) => string,
    options: object
  ) => { readonly invoke: (call: unknown) => Promise<Message> }
}

interface Agents {
  readonly createAgent: (options: object) => {
    readonly invoke: (input: object) => Promise<{ readonly messages: ReadonlyArray<Message> }>
  }
}

const chatOf = Effect.fnUntraced(function*(agent: Agent.Agent, options: object = {}) {
  const { url } = yield* serving(agent)
  const { ChatOpenAI } = (yield* call(() => ForeignClients.load("@langchain/openai"))) as Openai
  return new ChatOpenAI({
    model: "a",
    apiKey: "none",
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1` },
    ...options
  })
})

describe.skipIf(!ForeignClients.areInstalled)("LangChain, ChatOpenAI", () => {
  it.live("an answer is read whole and in pieces", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello", " Ann"), used)
      const chat = yield* chatOf(Agent.make({ id: "a", model }))
      assert.strictEqual((yield* call(() => chat.invoke("hi"))).content, "Hello Ann")
      const pieces = yield* call(async () => collected(await chat.stream("hi")))
      assert.strictEqual(pieces.map(({ content }) => content).join(""), "Hello Ann")
      assert.isAbove(pieces.length, 1)
    }))

  for (const isStreamed of [false, true]) {
    it.live(`tools of the client are called, and the answer knows their results (streamed: ${isStreamed})`, () =>
      Effect.gen(function*() {
        const { model } = yield* Script.make([
          [Script.toolCall("weather", { city: "Paris" }, "c1"), Script.toolCall("weather", { city: "Rome" }, "c2")],
          ({ prompt }) => [Script.text(JSON.stringify(prompt.content.slice(-2)))]
        ])
        const chat = yield* chatOf(Agent.make({ id: "a", model }))
        const { tool } = (yield* call(() => ForeignClients.load("@langchain/core/tools"))) as Tools
        const weather = tool(({ city }) => `sunny in ${city}`, {
          name: "weather",
          description: "The weather of a city",
          schema: z.object({ city: z.string() })
        })
        const bound = chat.bindTools([weather])
        const ask = async (input: unknown) =>
          isStreamed
            ? (await collected(await bound.stream(input))).reduce((whole, piece) => whole.concat(piece))
            : bound.invoke(input)
        const called = yield* call(() => ask([["user", "hi"]]))
        assert.deepStrictEqual(called.tool_calls?.map(({ args }) => args), [{ city: "Paris" }, { city: "Rome" }])
        const results = yield* call(() =>
          Promise.all((called.tool_calls ?? []).map((each) => weather.invoke({ ...each, type: "tool_call" })))
        )
        const answer = yield* call(() => ask([["user", "hi"], called, ...results]))
        for (const city of ["Paris", "Rome"]) assert.include(String(answer.content), `sunny in ${city}`)
        // agents keep one message for each id
        assert.notStrictEqual(answer.id, called.id)
      }))
  }

  for (const useResponsesApi of [false, true]) {
    it.live(`an agent with tools keeps each answer, over several turns (responses: ${useResponsesApi})`, () =>
      Effect.gen(function*() {
        let answers = 0
        const { model } = yield* Script.make(
          Array.from({ length: 10 }, () => ({ prompt }: Script.Call) =>
            prompt.content.at(-1)?.role === "tool"
              ? [Script.text(`Answer ${++answers}: ${JSON.stringify(prompt.content.slice(-2))}`)]
              : [
                Script.toolCall("weather", { city: "Paris" }, `p${answers}`),
                Script.toolCall("weather", { city: "Rome" }, `r${answers}`)
              ])
        )
        const chat = yield* chatOf(Agent.make({ id: "a", model }), { useResponsesApi })
        const { tool } = (yield* call(() => ForeignClients.load("@langchain/core/tools"))) as Tools
        const { createAgent } = (yield* call(() => ForeignClients.load("langchain"))) as Agents
        const weather = tool(({ city }) => `sunny in ${city}`, {
          name: "weather",
          description: "The weather of a city",
          schema: z.object({ city: z.string() })
        })
        const agent = createAgent({ model: chat, tools: [weather] })
        let messages: ReadonlyArray<unknown> = [["user", "hi"]]
        for (const turn of [1, 2]) {
          const state = yield* call(() => agent.invoke({ messages }))
          const last = JSON.stringify(state.messages.at(-1)?.content)
          assert.include(last, `Answer ${turn}: `)
          for (const city of ["Paris", "Rome"]) assert.include(last, `sunny in ${city}`)
          assert.lengthOf(state.messages, 5 * turn)
          const ids = state.messages.map(({ id }) => id)
          assert.strictEqual(new Set(ids).size, ids.length)
          messages = [...state.messages, ["user", "and then?"]]
        }
      }))
  }

  it.live("an answer is an object with the schema of the client", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("{\"title\":\"Alien\"}"), used)
      const chat = yield* chatOf(Agent.make({ id: "a", model }))
      const typed = chat.withStructuredOutput(z.object({ title: z.string() }), { method: "jsonSchema", name: "movie" })
      assert.deepStrictEqual(yield* call(() => typed.invoke("hi")), { title: "Alien" })
    }))
})
