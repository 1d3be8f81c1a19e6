import { assert, describe, it } from "@effect/vitest"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import type * as Agent from "../../src/agent/define/Agent.ts"
import { type Given, linesOf, logged, rolesOf, run } from "./Harness.ts"

type Options = Omit<Agent.Options, "id">

const ask = (options: Options, given?: Given) => run(options, [[text("Hello")]], given)

/** The system message of a run, as the model was shown it. */
const systemOf = Effect.fnUntraced(function*(options: Options, given?: Given) {
  const ran = yield* ask(options, given)
  const [first] = ran.output.messages ?? []
  const [shown] = ran.calls[0]?.prompt.content ?? []
  assert.strictEqual(
    first?.role === "user" ? undefined : first?.content,
    shown?.role === "system" ? shown.content : undefined
  )
  return shown?.role === "system" ? shown.content : undefined
})

describe("the system message", () => {
  it.effect("the system message is absent when no setting makes one", () =>
    Effect.gen(function*() {
      const ran = yield* ask({})
      assert.deepStrictEqual(linesOf(ran.calls[0]), ["user: Hi"])
      assert.deepStrictEqual(rolesOf(ran), ["user", "assistant"])
    }))

  it.effect.each<[string, Options, string]>([
    ["description", { description: "You sell tea." }, "You sell tea."],
    ["role", { role: "Seller" }, "<your_role>\nSeller\n</your_role>"],
    ["instructions as a text", { instructions: "Be brief." }, "Be brief."],
    [
      "instructions as a list",
      { instructions: ["Be brief.", "Be kind."] },
      "<instructions>\n- Be brief.\n- Be kind.\n</instructions>"
    ],
    ["instructions as a function", { instructions: ({ agentId }) => `You are ${agentId}.` }, "You are agent."],
    [
      "instructions as a promise",
      { instructions: async ({ runId }) => [`Run ${runId}`] },
      "<instructions>\n- Run run\n</instructions>"
    ],
    ["instructions as an Effect", { instructions: () => Effect.succeed("Be effective.") }, "Be effective."],
    ["expectedOutput", { expectedOutput: "A haiku" }, "<expected_output>\nA haiku\n</expected_output>"],
    ["additionalContext", { additionalContext: "It rains." }, "It rains."],
    [
      "markdown",
      { markdown: true },
      "<additional_information>\n- Write your answers in Markdown.\n</additional_information>"
    ],
    [
      "addNameToContext",
      { name: "Ada", addNameToContext: true },
      "<additional_information>\n- Your name is Ada.\n</additional_information>"
    ]
  ])("the system message has the text of %s", ([, options, expected]) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* systemOf(options), expected)
    }))

  it.effect("the system message has all settings in one order", () =>
    Effect.gen(function*() {
      const message = yield* systemOf({
        additionalContext: "Context",
        expectedOutput: "Output",
        markdown: true,
        instructions: ["One"],
        role: "Role",
        description: "Description"
      })
      assert.strictEqual(
        message,
        "Description\n<your_role>\nRole\n</your_role>\n<instructions>\n- One\n</instructions>\n\n" +
          "<additional_information>\n- Write your answers in Markdown.\n</additional_information>\n\n" +
          "<expected_output>\nOutput\n</expected_output>\n\nContext"
      )
    }))

  it.effect.each<[string, Options["instructions"]]>([
    ["an empty text", ""],
    ["an empty list", []],
    ["a function that gives nothing", () => ""]
  ])("the system message is absent for instructions that are %s", ([, instructions]) =>
    Effect.gen(function*() {
      assert.isUndefined(yield* systemOf({ instructions }))
    }))

  it.effect("the system message can be made from the facts of the run", () =>
    Effect.gen(function*() {
      const message = yield* systemOf({
        instructions: ({ dependencies, metadata, sessionId, sessionState, userId }) =>
          JSON.stringify({ dependencies, metadata, sessionId, sessionState, userId })
      }, {
        user_id: "ada" as never,
        dependencies: { a: 1 },
        metadata: { b: 2 },
        sessionState: { c: 3 }
      })
      assert.strictEqual(
        message,
        `{"dependencies":{"a":1},"metadata":{"b":2},"sessionId":"session","sessionState":{"c":3},"userId":"ada"}`
      )
    }))

  it.effect("the setting systemMessage replaces the whole text", () =>
    Effect.gen(function*() {
      const message = yield* systemOf({ systemMessage: "Only this.", description: "Not this.", markdown: true })
      assert.strictEqual(message, "Only this.")
    }))

  it.effect("the system message is not made with buildContext false, unless it was written as a whole", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* systemOf({ buildContext: false, description: "Not this." }))
      assert.strictEqual(yield* systemOf({ buildContext: false, systemMessage: "This." }), "This.")
    }))

  it.effect("the system message has the role developer when the agent is configured so", () =>
    Effect.gen(function*() {
      const ran = yield* ask({ description: "You sell tea.", systemMessageRole: "developer" })
      assert.deepStrictEqual(rolesOf(ran), ["developer", "user", "assistant"])
      assert.deepStrictEqual(linesOf(ran.calls[0]), ["system: You sell tea.", "user: Hi"])
    }))

  it.effect("the system message has the time in UTC, or in the agent's timezone", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 2, 1, 9, 30))
      const utc = yield* systemOf({ addDatetimeToContext: true })
      assert.match(utc ?? "", /The time is Sunday,? 1 March 2026 at 09:30:00 UTC \(UTC\)\./)
      const tokyo = yield* systemOf({ addDatetimeToContext: true, timezone: "Asia/Tokyo" })
      assert.include(tokyo, "18:30:00")
      assert.include(tokyo, "(Asia/Tokyo).")
    }))

  it.effect("the system message has the state of the session when the run requests it", () =>
    Effect.gen(function*() {
      const given = { sessionState: { a: 1 }, session_state: { b: 2 } }
      assert.isUndefined(yield* systemOf({}, given))
      assert.strictEqual(
        yield* systemOf({}, { ...given, add_session_state_to_context: true }),
        `<session_state>\n{"a":1,"b":2}\n</session_state>`
      )
    }))

  it.effect("the system message describes the schema of the answer to a model without structured output", () =>
    Effect.gen(function*() {
      const outputSchema = Schema.Struct({ title: Schema.String }).annotate({ identifier: "Movie" })
      assert.isUndefined(yield* systemOf({ outputSchema }))
      const message = yield* systemOf({ outputSchema, useJsonMode: true })
      assert.match(
        message ?? "",
        /^Answer with nothing but JSON that fits this JSON Schema:\n<json_schema>\n\{"type":"object"/
      )
    }))
})

describe("instructions that fail", () => {
  it.effect.each<[string, Options["instructions"]]>([
    ["throw", () => {
      throw new Error("password=hunter2")
    }],
    ["reject", () => Promise.reject(new Error("password=hunter2"))],
    ["die", () => Effect.die(new Error("password=hunter2"))],
    ["are no text", () => ({ password: "hunter2" }) as never]
  ])("instructions that %s end the run, and only the log says why", ([, instructions]) =>
    Effect.gen(function*() {
      const { lines, result } = yield* logged(ask({ instructions }))
      assert.strictEqual(result.output.status, "ERROR")
      assert.strictEqual(result.output.content, "The agent failed unexpectedly. The log of the service says more.")
      assert.notInclude(JSON.stringify([result.output, result.events]), "hunter2")
      assert.deepStrictEqual(result.calls, [])
      assert.deepStrictEqual(lines.filter(({ level }) => level === "Error"), [])
      const line = lines.find(({ level }) => level === "Warn")
      assert.include(line?.text, "A run failed")
      assert.deepInclude(line?.annotations, { run_id: "run", agent_id: "agent" })
      assert.deepInclude(result.endEvent, { event: "RunError", error_type: "agent_run_error" })
    }))
})

describe("the message of the user", () => {
  it.effect("the user message is the input: a text as it is, an object as JSON", () =>
    Effect.gen(function*() {
      const ran = yield* ask({}, { input: { input_content: { a: [1] } } })
      assert.deepStrictEqual(linesOf(ran.calls[0]), [`user: {"a":[1]}`])
    }))

  it.effect("the user message has the dependencies when the run requests it", () =>
    Effect.gen(function*() {
      const dependencies = { city: "Rome" }
      const without = yield* ask({}, { dependencies })
      assert.deepStrictEqual(linesOf(without.calls[0]), ["user: Hi"])
      const withThem = yield* ask({}, { dependencies, add_dependencies_to_context: true })
      assert.deepStrictEqual(linesOf(withThem.calls[0]), [
        `user: Hi\n\n<additional_context>\n{"city":"Rome"}\n</additional_context>`
      ])
      const none = yield* ask({}, { add_dependencies_to_context: true })
      assert.deepStrictEqual(linesOf(none.calls[0]), ["user: Hi"])
    }))

  it.effect("the user message has the media of the input, and the stored message keeps them", () =>
    Effect.gen(function*() {
      const ran = yield* ask({}, {
        input: {
          input_content: "See",
          images: [{ url: "https://example.com/a.png" }, { url: "no url" }, { id: "nothing to show" }],
          files: [{ content: "a,b", mime_type: "text/csv", filename: "t.csv" }],
          audios: [{ content: "AAAA", mime_type: "audio/wav" }],
          videos: [{ content: "AAAA", format: "webm" }]
        }
      })
      assert.deepStrictEqual(linesOf(ran.calls[0]), ["user: See | file | file | file | file t.csv"])
      const parts = ran.calls[0]?.prompt.content[0]?.content as ReadonlyArray<{ mediaType?: string; data?: unknown }>
      assert.deepStrictEqual(parts.slice(1).map(({ mediaType }) => mediaType), [
        "image/png",
        "audio/wav",
        "video/webm",
        "text/csv"
      ])
      assert.deepStrictEqual(parts[4]?.data, new TextEncoder().encode("a,b"))
      const [message] = ran.output.messages ?? []
      assert.strictEqual(message?.images?.length, 3)
      assert.strictEqual(message?.audio?.length, 1)
    }))
})
