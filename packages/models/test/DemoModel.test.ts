import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import { Effect, Stream } from "effect"
import { Prompt, Tool, Toolkit } from "effect/ai"
import type { LanguageModel, Response } from "effect/ai"
import * as DemoArguments from "../src/DemoArguments.ts"
import * as DemoModel from "../src/DemoModel.ts"
import * as DemoTool from "../src/DemoTool.ts"
import * as RequestOptions from "../src/RequestOptions.ts"
import { callsOf, finishOf, movie, textOf } from "./Asking.ts"

const object = (properties: object, required = Object.keys(properties)) => ({ type: "object", properties, required })

const { tools } = Toolkit.make(
  Tool.dynamic("get_current_time", {
    description: "Returns the time in a time zone",
    parameters: object({ timezone: { type: "string" } })
  }),
  Tool.dynamic("get_weather", {
    description: "Looks up the weather of a city",
    parameters: object({ city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } })
  }),
  Tool.dynamic("calculator", {
    description: "Evaluates an expression",
    parameters: object({ expression: { type: "string" } })
  }),
  Tool.dynamic("multiply", {
    description: "Multiplies two numbers",
    parameters: object({ a: { type: "number" }, b: { type: "integer" } })
  })
)

const toolkit: Toolkit.WithHandler<typeof tools> = { tools, handle: () => Effect.die("not called here") }

const ask = (prompt: Prompt.RawInput, toolChoice: LanguageModel.ToolChoice<keyof typeof tools> = "auto") =>
  Effect.flatMap(DemoModel.make, ({ languageModel }) =>
    Stream.runCollect(languageModel.streamText({
      prompt,
      toolkit,
      toolChoice,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    })))

const called = (parts: ReadonlyArray<Response.AnyPart>) => callsOf(parts).map(({ name, params }) => ({ name, params }))

const withResult = (result: unknown, isFailure = false) =>
  Prompt.make("What time is it?").pipe(Prompt.concat(Prompt.fromMessages([
    Prompt.assistantMessage({
      content: [
        Prompt.makePart("tool-call", { id: "1", name: "get_current_time", params: {}, providerExecuted: false })
      ]
    }),
    Prompt.toolMessage({
      content: [
        Prompt.makePart("tool-result", {
          id: "1",
          name: "get_current_time",
          result,
          isFailure,
          providerExecuted: false
        })
      ]
    })
  ])))

describe("DemoModel", () => {
  it.effect.each(
    [
      ["What time is it?", "get_current_time", { timezone: "UTC" }],
      ["How is the weather in New York today?", "get_weather", { city: "New York", unit: "celsius" }],
      ["Will it rain in Paris, in fahrenheit?", "get_weather", { city: "Paris", unit: "fahrenheit" }],
      ["What is 12 * (3 + 4)?", "calculator", { expression: "12 * (3 + 4)" }],
      ["Please multiply 6 and 7", "multiply", { a: 6, b: 7 }]
    ] as const
  )("the model calls the tool that fits: %s", ([message, name, params]) =>
    Effect.gen(function*() {
      const parts = yield* ask(message)
      assert.deepStrictEqual(called(parts), [{ name, params }])
      assert.strictEqual(finishOf(parts).reason, "tool-calls")
    }))

  it("a tool can have a name that each object has as a property", () => {
    const tools = ["constructor", "to_string"].map((name) => Tool.dynamic(name, { parameters: object({}) }))
    assert.isUndefined(DemoTool.fitting(tools, "hello"))
  })

  it.effect("calls have ids of their own", () =>
    Effect.gen(function*() {
      const [first] = callsOf(yield* ask("What time is it?"))
      const [second] = callsOf(yield* ask("What time is it?"))
      assert.notStrictEqual(first?.id, second?.id)
    }))

  it.effect("the model calls nothing when no tool fits, and says that it is a demo and how to set a real model", () =>
    Effect.gen(function*() {
      const parts = yield* ask("Hello there")
      assert.isEmpty(callsOf(parts))
      assert.match(textOf(parts), /^Hello! How can I help\?/)
      assert.include(textOf(yield* ask("The sky is blue")), "You said: The sky is blue")
      assert.include(textOf(parts), "demo model")
      assert.include(textOf(parts), "MODEL=openai:gpt-5 and OPENAI_API_KEY")
      assert.isAbove(parts.filter((part) => part.type === "text-delta").length, 3)
    }))

  it.effect("the model chooses a tool by the beginning of a long message, so that megabytes take it no longer", () =>
    Effect.gen(function*() {
      const long = "hello ".repeat(2000)
      assert.isEmpty(callsOf(yield* ask(`${long} What time is it?`)))
      assert.strictEqual(callsOf(yield* ask(`What time is it? ${long}`))[0]?.name, "get_current_time")
    }))

  it.effect("the model answers with the result of the tool", () =>
    Effect.gen(function*() {
      const parts = yield* ask(withResult({ time: "12:00" }))
      assert.isEmpty(callsOf(parts))
      assert.match(textOf(parts), /^The tool get_current_time says: {"time":"12:00"}\n/)
      assert.match(
        textOf(yield* ask(withResult("Out of order", true))),
        /^The tool get_current_time failed: Out of order\n/
      )
    }))

  it.effect("the model follows the choice of a tool", () =>
    Effect.gen(function*() {
      assert.isEmpty(called(yield* ask("What time is it?", "none")))
      assert.deepStrictEqual(called(yield* ask("Hello", { tool: "multiply" })), [{
        name: "multiply",
        params: { a: 1, b: 1 }
      }])
      assert.strictEqual(called(yield* ask("Hello", "required"))[0]?.name, "get_current_time")
    }))

  it.effect("the model gives the same answer to the same request, with the same usage", () =>
    Effect.gen(function*() {
      const first = yield* ask("Hello there")
      assert.deepStrictEqual(yield* ask("Hello there"), first)
      const { inputTokens, outputTokens } = finishOf(first).usage
      assert.isAbove(inputTokens.total ?? 0, 5)
      assert.isAbove(outputTokens.total ?? 0, 40)
    }))

  it.effect("the model follows a format", () =>
    Effect.gen(function*() {
      const text = textOf(yield* RequestOptions.provide(ask("My favourite is \"Alien\""), { format: movie }))
      assert.deepStrictEqual(JSON.parse(text), { title: "Alien" })
    }))

  it.effect("the model gives the same answer when it is not streamed", () =>
    Effect.gen(function*() {
      const { languageModel } = yield* DemoModel.make
      const response = yield* languageModel.generateText({ prompt: "Hello there" })
      assert.strictEqual(response.text, textOf(yield* ask("Hello there")))
    }))
})

describe("DemoArguments", () => {
  it.each([
    [{ type: "object" }, {}],
    [object({ a: { type: "string" }, b: { type: "boolean" } }, ["b"]), { b: true }],
    [{ type: "object", properties: { a: { type: "integer", minimum: 5 } } }, { a: 5 }],
    [object({ a: { type: "array", items: { type: "number" }, minItems: 2 } }), { a: [1, 1] }],
    [object({ a: { anyOf: [{ type: "null" }, { type: "string", format: "date" }] } }), { a: "2025-01-01" }],
    [{ ...object({ a: { $ref: "#/$defs/A" } }), $defs: { A: { const: "x" } } }, { a: "x" }],
    [object({ a: { type: ["null", "string"], maxLength: 3 } }), { a: "som" }],
    [object({ a: { default: 4, type: "number" } }), { a: 4 }],
    [object({ a: object({ b: { enum: ["one", "two"] } }) }), { a: { b: "one" } }]
  ])("the arguments of a call fill %o", (schema, expected) => {
    assert.deepStrictEqual(DemoArguments.make(schema, "something"), expected)
  })

  it("the arguments of a schema that contains itself are finite", () => {
    const tree = { ...object({ child: { $ref: "#" } }) }
    assert.isObject(DemoArguments.make(tree, ""))
  })

  it.each<[string, object, string]>([
    ["a schema that asks for a billion values", { type: "array", minItems: 1e9, items: { type: "number" } }, "x"],
    ["a schema that asks for a text of a billion characters", { type: "string", minLength: 1e9 }, "x"],
    [
      "a schema that contains itself ten times",
      object(Object.fromEntries("abcdefghij".split("").map((key) => [key, { $ref: "#" }]))),
      "x"
    ]
  ])("the arguments for %s are small", (_, schema, message) => {
    assert.isBelow(JSON.stringify(DemoArguments.make(schema, message)).length, 100_000)
  })

  it("the arguments for a message of quotation marks are made in time linear in their number", () => {
    const schema = object({ query: { type: "string" } })
    assertLinear(20_000, (size) => DemoArguments.make(schema, "“".repeat(size)))
  })
})
