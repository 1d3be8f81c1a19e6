// The Agents SDK of OpenAI, unmodified, over both wires.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import OpenAI from "openai"
import { z } from "zod"
import { always } from "../Wire.ts"
import { used } from "../wire/Fixtures.ts"
import { call, serving } from "./OpenAiClient.ts"

interface Result {
  readonly finalOutput: unknown
  readonly completed?: Promise<void>
}

interface Sdk {
  readonly Agent: new(options: object) => object
  readonly run: (agent: object, input: unknown, options?: object) => Promise<Result>
  readonly tool: (options: object) => object
  readonly OpenAIResponsesModel: new(client: OpenAI, model: string) => object
  readonly OpenAIChatCompletionsModel: new(client: OpenAI, model: string) => object
  readonly setTracingDisabled: (isDisabled: boolean) => void
}

const wires = ["OpenAIResponsesModel", "OpenAIChatCompletionsModel"] as const

const sdkOf = Effect.fnUntraced(function*(agent: Agent.Agent, wire: typeof wires[number]) {
  const { url } = yield* serving(agent)
  const sdk = (yield* call(() => ForeignClients.load("@openai/agents"))) as Sdk
  const model = new sdk[wire](new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 }), "a")
  sdk.setTracingDisabled(true)
  const weather = sdk.tool({
    name: "weather",
    description: "The weather of a city",
    parameters: z.object({ city: z.string() }),
    execute: ({ city }: { readonly city: string }) => `sunny in ${city}`
  })
  return { sdk, model, asking: new sdk.Agent({ name: "a", instructions: "Be brief", model, tools: [weather] }) }
})

const steps = [
  [Script.toolCall("weather", { city: "Paris" }, "c1"), Script.toolCall("weather", { city: "Rome" }, "c2")],
  [Script.toolCall("weather", { city: "Bern" }, "c3")],
  ({ prompt }: Script.Call) => [Script.text(JSON.stringify(prompt.content.slice(-4)))]
]

for (const wire of wires) {
  describe.skipIf(!ForeignClients.areInstalled)(`The Agents SDK of OpenAI, ${wire}`, () => {
    for (const stream of [false, true]) {
      it.live(`tools of the client are executed, call by call, in one run (stream: ${stream})`, () =>
        Effect.gen(function*() {
          const { model } = yield* Script.make(steps)
          const { asking, sdk } = yield* sdkOf(Agent.make({ id: "a", model }), wire)
          const output = yield* call(async () => {
            const result = await sdk.run(asking, "hi", { stream })
            await result.completed
            return String(result.finalOutput)
          })
          for (const city of ["Paris", "Rome", "Bern"]) assert.include(output, `sunny in ${city}`)
        }))
    }

    it.live("an answer is an object with the schema of the client", () =>
      Effect.gen(function*() {
        const script = yield* always(Script.text("{\"title\":\"Alien\"}"), used)
        const { model, sdk } = yield* sdkOf(Agent.make({ id: "a", model: script.model }), wire)
        const typed = new sdk.Agent({ name: "a", model, outputType: z.object({ title: z.string() }) })
        const { finalOutput } = yield* call(() => sdk.run(typed, "hi"))
        assert.deepStrictEqual(finalOutput, { title: "Alien" })
      }))
  })
}
