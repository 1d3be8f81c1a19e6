import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Prompt, Tool } from "effect/ai"
import type { Response } from "effect/ai"
import * as DemoModel from "../src/DemoModel.ts"
import { callsOf, textOf } from "./Asking.ts"

const object = (properties: object) => ({ type: "object", properties, required: Object.keys(properties) })

const text = { type: "string" }

const tools = [
  Tool.dynamic("get_time", { description: "The current time in a time zone", parameters: object({ timezone: text }) }),
  Tool.dynamic("calculate", { description: "Calculates", parameters: object({ expression: text }) }),
  Tool.dynamic("search_knowledge", { description: "Searches the documents", parameters: object({ query: text }) })
]

const system = "<instructions>\n- Answer briefly.\n- Use a tool.\n</instructions>\n" +
  "<additional_information>\n- Your name is Anna.\n</additional_information>"

interface Reply {
  readonly text: string
  readonly calls: ReadonlyArray<{ readonly name: string; readonly params: unknown }>
}

const asking = (all: ReadonlyArray<Tool.Any>) => (...messages: ReadonlyArray<Prompt.Message>) =>
  Effect.map(
    Effect.flatMap(DemoModel.make, ({ languageModel }) =>
      languageModel.generateText({
        prompt: Prompt.fromMessages([Prompt.systemMessage({ content: system }), ...messages]),
        toolkit: { tools: Object.fromEntries(all.map((tool) => [tool.name, tool])), handle: () => Effect.die("none") },
        disableToolCallResolution: true
      } as never)),
    ({ content }): Reply => {
      const parts = content as ReadonlyArray<Response.AnyPart>
      return { text: textOf(parts), calls: callsOf(parts).map(({ name, params }) => ({ name, params })) }
    }
  )

const user = (content: string) => Prompt.userMessage({ content: [Prompt.textPart({ text: content })] })
const assistant = (content: string) => Prompt.assistantMessage({ content: [Prompt.textPart({ text: content })] })

const ask = asking(tools)

describe("the small talk of the demo model", () => {
  it.effect.each(
    [
      ["Hi", /^Hi! How can I help\?/],
      ["Good morning", /^Good morning! How can I help\?/],
      ["hello there 👋", /^Hello! How can I help\?/],
      ["Hey!!", /^Hey! /],
      ["How are you today?", /^I am fine/],
      ["Thanks a lot!", /^You are welcome/],
      ["Thank you", /^You are welcome/],
      ["Bye!", /^Goodbye!/],
      ["ok", /^All right/],
      ["Who are you?", /^I am Anna\. My task: Answer briefly\. Use a tool\./],
      ["What's your name?", /^I am Anna\./],
      ["Are you a human?", /^I am Anna\./],
      ["42", /^42 is a number/],
      ["3.5", /^3\.5 is a number/]
    ] as const
  )(
    "a message of small talk is answered like a person would, without a tool: %s",
    ([message, answer]) =>
      Effect.gen(function*() {
        const reply = yield* ask(user(message))
        assert.isEmpty(reply.calls)
        assert.match(reply.text, answer)
      })
  )

  it.effect("what it can do is what its tools and instructions say", () =>
    Effect.gen(function*() {
      for (const message of ["What can you do?", "help"]) {
        const reply = yield* ask(user(message))
        assert.isEmpty(reply.calls)
        for (const { name } of tools) assert.include(reply.text, `- ${name}: `)
        assert.include(reply.text, "The current time in a time zone")
      }
      assert.include((yield* asking([])(user("What can you do?"))).text, "I have no tools")
    }))

  it.effect.each(
    [
      ["What is 17 times 23?", "calculate"],
      ["What time is it in Tokyo?", "get_time"],
      ["How many holidays do I have?", "search_knowledge"],
      ["holidays", "search_knowledge"],
      ["Hello, what time is it in Tokyo?", "get_time"]
    ] as const
  )("a message that asks for a tool gets it: %s", ([message, name]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* ask(user(message))).calls.map((call) => call.name), [name])
    }))

  it.effect("a statement of the user is not searched for", () =>
    Effect.gen(function*() {
      const reply = yield* ask(user("I like tea."))
      assert.isEmpty(reply.calls)
      assert.include(reply.text, "You said: I like tea.")
    }))

  it.effect("a sum of two numbers needs no tool", () =>
    Effect.gen(function*() {
      assert.match((yield* asking([])(user("What is 17 times 23?"))).text, /^17 times 23 = 391\n/)
      assert.match((yield* asking([])(user("0.1 + 0.2"))).text, /^0\.1 \+ 0\.2 = 0\.3\n/)
    }))

  it.effect("a follow-up is for the tool of the message before, and again is the same message", () =>
    Effect.gen(function*() {
      const called = Prompt.assistantMessage({
        content: [Prompt.makePart("tool-call", { id: "1", name: "get_time", params: {}, providerExecuted: false })]
      })
      const result = Prompt.toolMessage({
        content: [
          Prompt.makePart("tool-result", {
            id: "1",
            name: "get_time",
            result: "12:00",
            isFailure: false,
            providerExecuted: false
          })
        ]
      })
      const before = [user("What time is it in Tokyo?"), called, result, assistant("The tool get_time says: 12:00")]
      const [next] = (yield* ask(...before, user("And in Paris?"))).calls
      assert.deepStrictEqual(next, { name: "get_time", params: { timezone: "Europe/Paris" } })
      const [again] = (yield* ask(...before, user("Again, please"))).calls
      assert.deepStrictEqual(again, { name: "get_time", params: { timezone: "Asia/Tokyo" } })
    }))

  it.effect("the model says once in a session that it is a demo", () =>
    Effect.gen(function*() {
      const first = yield* ask(user("Hello"))
      assert.include(first.text, "demo model")
      const second = yield* ask(user("Hello"), assistant(first.text), user("Thanks"))
      assert.strictEqual(second.text, "You are welcome!")
    }))
})
