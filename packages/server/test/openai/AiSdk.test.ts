// The provider of OpenAI of the AI SDK, unmodified, with tools that it executes: its two wires send the whole
// conversation with each request.
import { createOpenAI } from "@ai-sdk/openai"
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { generateText, isStepCount, type ModelMessage, Output, streamText, tool } from "ai"
import { Effect } from "effect"
import { z } from "zod"
import { always } from "../Wire.ts"
import { used } from "../wire/Fixtures.ts"
import { call, serving } from "./OpenAiClient.ts"

Tier.oneIn(4)

const weather = tool({
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `sunny in ${city}`
})

const steps = [
  [Script.toolCall("weather", { city: "Paris" }, "c1"), Script.toolCall("weather", { city: "Rome" }, "c2")],
  [Script.toolCall("weather", { city: "Bern" }, "c3")],
  ({ prompt }: Script.Call) => [Script.text(JSON.stringify(prompt.content.slice(-4)))]
]

const provided = Effect.fnUntraced(function*(agent: Agent.Agent) {
  const { url } = yield* serving(agent)
  const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" })
  return { responses: openai("a"), chat: openai.chat("a") }
})

for (const wire of ["responses", "chat"] as const) {
  describe(`openai of the AI SDK, ${wire}`, () => {
    it.live("tools of the client are executed, call by call, in one run", () =>
      Effect.gen(function*() {
        const { model } = yield* Script.make(steps)
        const models = yield* provided(Agent.make({ id: "a", model }))
        const { text } = yield* call(() =>
          generateText({ model: models[wire], prompt: "hi", tools: { weather }, stopWhen: isStepCount(5) })
        )
        for (const city of ["Paris", "Rome", "Bern"]) assert.include(text, `sunny in ${city}`)
      }))

    it.live("tools of the client are executed in a stream", () =>
      Effect.gen(function*() {
        const { model } = yield* Script.make(steps)
        const models = yield* provided(Agent.make({ id: "a", model }))
        const text = yield* call(() =>
          streamText({ model: models[wire], prompt: "hi", tools: { weather }, stopWhen: isStepCount(5) }).text
        )
        for (const city of ["Paris", "Rome", "Bern"]) assert.include(text, `sunny in ${city}`)
      }))

    it.live("the next turn has the earlier answers and calls, whole and streamed", () =>
      Effect.gen(function*() {
        const calling = [
          Script.text("Let me see."),
          Script.toolCall("weather", { city: "Paris" }, "c1"),
          Script.toolCall("weather", { city: "Rome" }, "c2")
        ]
        const turns = [calling, [Script.text("It is sunny.")], [Script.text("Goodbye.")]]
        const { model, prompts } = yield* Script.make([...turns, ...turns])
        const models = yield* provided(Agent.make({ id: "a", model }))
        const settings = { model: models[wire], tools: { weather }, stopWhen: isStepCount(5) }
        for (const isStreamed of [false, true]) {
          const messages: Array<ModelMessage> = [{ role: "user", content: "hi" }]
          const ask = async (): Promise<ReadonlyArray<ModelMessage>> =>
            isStreamed
              ? streamText({ ...settings, messages }).responseMessages
              : (await generateText({ ...settings, messages })).responseMessages
          messages.push(...(yield* call(ask)), { role: "user", content: "thanks" })
          yield* call(ask)
          const prompt = JSON.stringify((yield* prompts).at(-1))
          for (const text of ["Let me see.", "sunny in Paris", "sunny in Rome", "It is sunny.", "thanks"]) {
            assert.include(prompt, text)
          }
          assert.notInclude(prompt, "There is no result")
        }
      }))

    it.live("an answer is an object, with and without a schema", () =>
      Effect.gen(function*() {
        const { model } = yield* always(Script.text("{\"title\":\"Alien\"}"), used)
        const models = yield* provided(Agent.make({ id: "a", model }))
        const schema = z.object({ title: z.string() })
        for (const output of [Output.object({ schema }), Output.json()]) {
          const answer = yield* call(() => generateText({ model: models[wire], prompt: "hi", output }))
          assert.deepStrictEqual(answer.output, { title: "Alien" })
        }
      }))
  })
}
