// Tools of the AI SDK, made by its package, in runs of agents.
import { assert, describe, it } from "@effect/vitest"
import * as AiSdkTool from "@svc-runtime/engine/tool/AiSdkTool"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { dynamicTool, jsonSchema, tool } from "ai"
import { Effect } from "effect"
import { z } from "zod"
import { at, list, runWhole, serve } from "../Wire.ts"

Tier.oneIn(4)

const inputSchema = z.object({ city: z.string() })

/** The call of a run that calls the tool once. */
const called = Effect.fnUntraced(function*(made: Tool, args: object = { city: "Bern" }) {
  const script = yield* Script.make([[Script.toolCall(made.name, args, "call_1")], [Script.text("Done")]])
  const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model, tools: [made] })] })
  const { json } = yield* runWhole(server, "a", { message: "Hi" })
  const call = list(json, "tools")[0] as Record<string, unknown>
  return { call, status: at(json, "status") }
})

describe("a tool of the AI SDK", () => {
  it.effect("the schema of the tool is shown to the model, and it is executed with the arguments and the id of the call", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const weather = tool({
        description: "The weather",
        inputSchema,
        execute: (input, { abortSignal, messages, toolCallId }) => {
          seen.push(input, toolCallId, messages, abortSignal?.aborted)
          return Promise.resolve({ sky: "clear" })
        }
      })
      const made = AiSdkTool.make("weather", weather, { effects: "read", retries: 1 })
      assert.strictEqual(made.description, "The weather")
      assert.strictEqual(made.effects, "read")
      assert.deepInclude(made.parameters, { type: "object", required: ["city"] })
      const { call } = yield* called(made)
      assert.strictEqual(call["result"], `{"sky":"clear"}`)
      assert.deepStrictEqual(seen, [{ city: "Bern" }, "call_1", [], false])
    }))

  it.effect("invalid arguments are reported to the model", () =>
    Effect.gen(function*() {
      const { call } = yield* called(AiSdkTool.make("t", tool({ inputSchema, execute: () => "no" })), { city: 1 })
      assert.match(String(call["result"]), /^Invalid arguments: city/)
    }))

  it.effect("a JSON Schema of the AI SDK is used, with its own check", () =>
    Effect.gen(function*() {
      const schema = jsonSchema<{ n: number }>({ type: "object", properties: { n: { type: "number" } } }, {
        validate: (value) =>
          (value as { n: number }).n === 1
            ? { success: true, value: { n: 10 } }
            : { success: false, error: new Error("n must be 1") }
      })
      const made = AiSdkTool.make("t", tool({ inputSchema: schema, execute: ({ n }) => n }))
      assert.strictEqual((yield* called(made, { n: 1 })).call["result"], "10")
      assert.match(String((yield* called(made, { n: 2 })).call["result"]), /n must be 1/)
    }))

  it.effect("toModelOutput is what the model reads, and its errors are errors", () =>
    Effect.gen(function*() {
      const output = (value: ReturnType<NonNullable<Parameters<typeof tool>[0]["toModelOutput"]>>) =>
        AiSdkTool.make("t", tool({ inputSchema, execute: () => 1, toModelOutput: () => value as never }))
      const results = yield* Effect.forEach([
        { type: "text", value: "a" },
        { type: "json", value: { b: 1 } },
        { type: "content", value: [{ type: "text", text: "c" }, { type: "media", mediaType: "image/png", data: "" }] },
        { type: "error-text", value: "d" },
        { type: "nonsense" }
      ] as ReadonlyArray<unknown> as ReadonlyArray<never>, (value) =>
        Effect.map(called(output(value)), ({ call }) => [call["result"], call["tool_call_error"]]))
      assert.deepStrictEqual(results, [
        ["a", false],
        [`{"b":1}`, false],
        ["c\n[image/png]", false],
        ["d", true],
        ["The tool has run, but its toModelOutput returned nothing that is known", true]
      ])
    }))

  it.effect("the last of several results is the result, and an error of execute is one", () =>
    Effect.gen(function*() {
      const several = dynamicTool({
        inputSchema,
        execute: async function*() {
          yield "first"
          yield "last"
        }
      })
      assert.strictEqual((yield* called(AiSdkTool.make("t", several))).call["result"], "last")
      const broken = tool({ inputSchema, execute: (): Promise<string> => Promise.reject(new Error("Out of order")) })
      const { call } = yield* called(AiSdkTool.make("t", broken))
      assert.deepInclude(call, { result: "Out of order", tool_call_error: true })
    }))

  it.effect("a tool without execute and a tool that needs approval pause the run", () =>
    Effect.gen(function*() {
      const external = yield* called(AiSdkTool.make("t", tool({ inputSchema })))
      assert.strictEqual(external.status, "PAUSED")
      assert.isTrue(external.call["external_execution_required"])
      const confirmed = tool({ inputSchema, needsApproval: true, execute: () => "ok" })
      assert.isTrue((yield* called(AiSdkTool.make("t", confirmed))).call["requires_confirmation"])
    }))

  it.effect("the function that says whether a call is confirmed gets the arguments and the id of the call", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const guarded = tool({
        inputSchema,
        needsApproval: ({ city }, { toolCallId }) => {
          seen.push(toolCallId)
          return Promise.resolve(city === "Bern")
        },
        execute: () => "ok"
      })
      const made = AiSdkTool.make("t", guarded)
      const guardedCall = yield* called(made)
      assert.strictEqual(guardedCall.status, "PAUSED")
      assert.isTrue(guardedCall.call["requires_confirmation"])
      const free = yield* called(made, { city: "Rome" })
      assert.strictEqual(free.call["result"], "ok")
      assert.deepStrictEqual(seen, ["call_1", "call_1"])
    }))

  it.effect("a function that throws asks for a confirmation", () =>
    Effect.gen(function*() {
      const broken = tool({
        inputSchema,
        needsApproval: () => {
          throw new Error("broken")
        },
        execute: () => "ok"
      })
      assert.strictEqual((yield* called(AiSdkTool.make("t", broken))).status, "PAUSED")
    }))

  it("what cannot be a tool is refused when it is made", () => {
    const cases: ReadonlyArray<[AiSdkTool.AiSdkTool, RegExp]> = [
      [{ type: "provider", inputSchema }, /Tool 't' is a tool of a provider/],
      [{ inputSchema: 7 }, /inputSchema is no Standard Schema/],
      [tool({ inputSchema: jsonSchema(Promise.resolve({ type: "object" })) }), /known at once/]
    ]
    for (const [given, message] of cases) assert.throws(() => AiSdkTool.make("t", given), message)
  })
})
