// Agents as discovery shows them: groups of settings that differ from their default, and nothing null.
import { assert, describe, it } from "@effect/vitest"
import { fromJsonSchema } from "@svc-runtime/engine/schema/AnySchema"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { at, column, get, hasKeys, notFound, runWhole, serve } from "../Wire.ts"
import { lookup, plain } from "./Fixtures.ts"

Tier.oneIn(4)

const detail = Effect.fnUntraced(function*(options: Omit<Agent.Options, "id">) {
  const { script } = yield* plain
  const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model, ...options })] })
  const { json, status } = yield* get(server, "/agents/a")
  assert.strictEqual(status, 200)
  assert.deepStrictEqual((yield* get(server, "/agents")).json, [json], "the list shows the same object")
  return json
})

const bare = {
  id: "a",
  name: "a",
  db_id: "main-db",
  is_factory: false,
  is_component: false,
  model: { name: "ScriptedModel", model: "scripted", provider: "Scripted" },
  sessions: { session_table: "svc_sessions" }
}

describe("GET /agents/{id}", () => {
  it.effect("an agent without settings has no group but its table", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* detail({}), bare)
    }))

  it.effect("a setting with its default value is hidden", () =>
    Effect.gen(function*() {
      const json = yield* detail({
        addHistoryToContext: false,
        numHistoryRuns: 3,
        reasoning: false,
        reasoningMinSteps: 1,
        reasoningMaxSteps: 10,
        systemMessageRole: "system",
        buildContext: true,
        markdown: false,
        addNameToContext: false,
        addDatetimeToContext: false,
        retries: 0,
        delayBetweenRetries: "1 second",
        exponentialBackoff: false,
        useJsonMode: false,
        tools: []
      })
      assert.deepStrictEqual(json, bare)
    }))

  it.effect("a setting with another value is shown", () =>
    Effect.gen(function*() {
      const Movie = Schema.Struct({ title: Schema.String }).annotate({ title: "Movie" })
      const { script } = yield* plain
      const json = yield* detail({
        name: "Ann",
        description: "Does all",
        role: "Helper",
        introduction: "Hello",
        instructions: ["Be kind.", "Be brief."],
        tools: [lookup],
        toolCallLimit: 5,
        toolChoice: { tool: "lookup" },
        addHistoryToContext: true,
        numHistoryRuns: 7,
        inputSchema: Movie,
        outputSchema: Movie,
        useJsonMode: true,
        systemMessage: "You are.",
        systemMessageRole: "developer",
        buildContext: false,
        expectedOutput: "A list",
        additionalContext: "More",
        markdown: true,
        addNameToContext: true,
        addDatetimeToContext: true,
        timezone: "Asia/Tokyo",
        reasoning: true,
        reasoningModel: { ...script.model, id: "thinker" },
        reasoningMinSteps: 2,
        reasoningMaxSteps: 4,
        retries: 2,
        delayBetweenRetries: "500 millis",
        exponentialBackoff: true,
        metadata: { team: "a" }
      })
      assert.deepStrictEqual(json, {
        ...bare,
        name: "Ann",
        description: "Does all",
        role: "Helper",
        introduction: "Hello",
        tools: {
          tools: [{
            name: "lookup",
            description: "Find a fact.",
            parameters: at(json, "tools", "tools", 0, "parameters")
          }],
          tool_call_limit: 5,
          tool_choice: { tool: "lookup" }
        },
        sessions: { session_table: "svc_sessions", add_history_to_context: true, num_history_runs: 7 },
        reasoning: {
          reasoning: true,
          reasoning_min_steps: 2,
          reasoning_max_steps: 4,
          reasoning_model: { name: "ScriptedModel", model: "thinker", provider: "Scripted" }
        },
        system_message: {
          system_message: "You are.",
          system_message_role: "developer",
          build_context: false,
          description: "Does all",
          instructions: ["Be kind.", "Be brief."],
          expected_output: "A list",
          additional_context: "More",
          markdown: true,
          add_name_to_context: true,
          add_datetime_to_context: true,
          timezone_identifier: "Asia/Tokyo"
        },
        response_settings: {
          retries: 2,
          delay_between_retries: 0.5,
          exponential_backoff: true,
          output_schema_name: "Movie",
          use_json_mode: true
        },
        metadata: { team: "a" },
        input_schema: at(json, "input_schema")
      })
      assert.deepInclude(at(json, "input_schema"), { type: "object", required: ["title"] })
      assert.deepInclude(at(json, "tools", "tools", 0, "parameters"), { type: "object", required: ["query"] })
    }))

  it.effect("instructions that are a function are not shown", () =>
    Effect.gen(function*() {
      const json = yield* detail({ instructions: () => "secret", description: "D" })
      assert.deepStrictEqual(at(json, "system_message"), { description: "D" })
    }))

  it.effect("a JSON Schema is shown as it was given", () =>
    Effect.gen(function*() {
      const parameters = {
        type: "object" as const,
        properties: { a: { type: "integer", description: "A number", minimum: 3 } },
        required: ["a"]
      }
      const given = Tool.make({ name: "given", parameters, strict: true, execute: () => "" })
      const json = yield* detail({ tools: [given] })
      assert.deepStrictEqual(at(json, "tools", "tools", 0), { name: "given", parameters, strict: true })
      assert.deepStrictEqual(fromJsonSchema(parameters).jsonSchema, parameters)
    }))

  it.effect("a tool without arguments is shown as one that takes none", () =>
    Effect.gen(function*() {
      const json = yield* detail({ tools: [Tool.make({ name: "now", execute: () => "" })] })
      assert.deepStrictEqual(at(json, "tools"), {
        tools: [{ name: "now", parameters: { type: "object", properties: {}, additionalProperties: false } }]
      })
    }))

  it.effect.each(["none", "A", "constructor", "__proto__", "%20"])(
    "an unknown id is 404: %s",
    (id) =>
      Effect.gen(function*() {
        const { agent } = yield* plain
        notFound(yield* get(yield* serve({ agents: [agent] }), `/agents/${id}`), "Agent not found")
      })
  )
})

describe("an agent that is not there", () => {
  const agents = Effect.map(
    plain,
    ({ script: { model } }) => ["poet", "critic"].map((id) => Agent.make({ id, model }))
  )

  it.effect("the error names it, and the agent that is probably meant, or those of the service", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents })
      notFound(yield* get(server, "/agents/peot"), "Agent not found: 'peot'. Is 'poet' meant?")
      const listed = "Agent not found: 'none'. The service has 'poet', 'critic'. GET /agents lists all."
      notFound(yield* get(server, "/agents/none"), listed)
      notFound(yield* runWhole(server, "none", { message: "Hi" }), listed)
      notFound(yield* get(server, `/agents/${"x".repeat(500)}`), `Agent not found: '${"x".repeat(64)}…'. `)
    }))

  it.effect("the error names no agent that the caller may not see", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ agents: yield* agents })
      const bearer = yield* token("ann", "agents:critic:read", "agents:run")
      const init = { method: "POST", body: new URLSearchParams({ message: "Hi", stream: "false" }) }
      const answer = yield* call(server, { path: "/agents/none/runs", init }, bearer)
      notFound(answer, "Agent not found: 'none'. The service has 'critic'. GET /agents lists all.")
    }))
})

describe("GET /agents", () => {
  it.effect("the list is an array in the order of registration, without pages", () =>
    Effect.gen(function*() {
      const ids = ["zebra", "ant", "bee"]
      const agents = ids.map((id) => Agent.make({ id, model: "fixed" }))
      const { json, status } = yield* get(yield* serve({ agents }), "/agents?limit=1&page=2")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(column(json, "id"), ids)
      hasKeys(at(json, 0), ...Object.keys(bare))
    }))

  it.effect("the list is empty without agents", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* get(yield* serve(), "/agents")).json, [])
    }))
})
