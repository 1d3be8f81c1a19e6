// How the tests of models ask, and how they read what came back: as the agent loop does, with tools that it answers
// itself.
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Prompt, Tool, Toolkit } from "effect/ai"
import type { AiError, Response } from "effect/ai"
import type { Model } from "../src/Model.ts"
import type { ResponseFormat } from "../src/RequestOptions.ts"

const parameters = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false
} as const

const { tools } = Toolkit.make(
  Tool.dynamic("add", { description: "Adds two numbers", parameters }),
  Tool.dynamic("now", { description: "Tells the time", parameters: { type: "object" } })
)

/** A toolkit whose calls the test answers itself, as the agent loop does. */
const toolkit: Toolkit.WithHandler<typeof tools> = { tools, handle: () => Effect.die("not called here") }

export const options = {
  toolkit,
  disableToolCallResolution: true,
  toolCallValidation: "deferred"
} as const

export const movie = {
  type: "json",
  name: "Movie",
  schema: {
    type: "object",
    properties: { title: { type: "string" } },
    required: ["title"],
    additionalProperties: false
  }
} as const satisfies ResponseFormat

type Parts = ReadonlyArray<Response.AnyPart>

export const stream = (
  model: Model,
  prompt: Prompt.RawInput = "Hi"
): Stream.Stream<Response.AnyPart, AiError.AiError> => model.languageModel.streamText({ ...options, prompt })

export const streamed = (model: Model, prompt?: Prompt.RawInput): Effect.Effect<Parts, AiError.AiError> =>
  Stream.runCollect(stream(model, prompt))

export const generated = (model: Model, prompt: Prompt.RawInput = "Hi"): Effect.Effect<Parts, AiError.AiError> =>
  Effect.map(model.languageModel.generateText({ ...options, prompt }), (response) => response.content)

export const textOf = (parts: Parts): string =>
  parts.map((part) => part.type === "text" ? part.text : part.type === "text-delta" ? part.delta : "").join("")

export const reasoningOf = (parts: Parts): string =>
  parts.map((part) => part.type === "reasoning" ? part.text : part.type === "reasoning-delta" ? part.delta : "").join(
    ""
  )

export const callsOf = (parts: Parts) =>
  parts.flatMap((part) => part.type === "tool-call" ? [{ id: part.id, name: part.name, params: part.params }] : [])

export const finishOf = (parts: Parts): Response.FinishPart => {
  const finish = parts.findLast((part) => part.type === "finish")
  assert.isDefined(finish)
  return finish
}

export const png = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])

export const withImage = (data: Uint8Array | URL) =>
  Prompt.fromMessages([
    Prompt.userMessage({
      content: [
        Prompt.makePart("text", { text: "What is this?" }),
        Prompt.makePart("file", { mediaType: "image/png", data })
      ]
    })
  ])

/** Two calls, the second with arguments that are no JSON, and their results. */
export const afterTools = Prompt.fromMessages([
  Prompt.userMessage({ content: [Prompt.makePart("text", { text: "Add 1 and 2. What time is it?" })] }),
  Prompt.assistantMessage({
    content: [
      Prompt.makePart("tool-call", { id: "call_1", name: "add", params: { a: 1, b: 2 }, providerExecuted: false }),
      Prompt.makePart("tool-call", { id: "call_2", name: "now", params: "not json", providerExecuted: false })
    ]
  }),
  Prompt.toolMessage({
    content: [
      Prompt.makePart("tool-result", {
        id: "call_1",
        name: "add",
        result: "3",
        isFailure: false,
        providerExecuted: false
      }),
      Prompt.makePart("tool-result", {
        id: "call_2",
        name: "now",
        result: "The arguments are no JSON",
        isFailure: true,
        providerExecuted: false
      })
    ]
  })
])
