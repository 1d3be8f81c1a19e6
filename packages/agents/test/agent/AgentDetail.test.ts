// A group contains the settings that differ from their default. An empty group is left out.
import { assert, describe, it } from "@effect/vitest"
import * as AgentSchema from "@svc-runtime/domain/Agent"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Knowledge from "@svc-runtime/features/knowledge/KnowledgeBase"
import { Schema } from "effect"
import { z } from "zod"
import * as AgentDetail from "../../src/agent/define/AgentDetail.ts"

const model = { id: "gpt-5", name: "OpenAIResponses", provider: "OpenAI" }

const context = {
  databaseOf: () => ({ id: "main", sessionTable: "svc_sessions", memoryTable: "svc_memories" }),
  modelOf: () => model
}

const detail = (options: Partial<Agent.Options> = {}, around: Partial<AgentDetail.Dependencies> = {}) => {
  const agent = Agent.make({ id: "agent", ...options })
  return AgentDetail.toDetail(agent, { ...AgentDetail.dependenciesOf(context)(agent), ...around })
}

const add = Tool.make({
  name: "add",
  description: "Adds",
  parameters: z.object({ a: z.number() }),
  strict: true,
  execute: ({ a }) => a
})

describe("an agent in discovery", () => {
  it("an agent without settings shows its ids, its database and its model", () => {
    assert.deepStrictEqual(detail(), {
      id: AgentSchema.Id.make("agent"),
      name: "agent",
      db_id: "main",
      is_factory: false,
      is_component: false,
      model: { name: "OpenAIResponses", model: "gpt-5", provider: "OpenAI" },
      sessions: { session_table: "svc_sessions" }
    })
  })

  it("an agent with knowledge shows its database, its table and its filters, and that it does not search", () => {
    const knowledge = Knowledge.make({ name: "handbook" })
    const { default_tools, knowledge: shown, tools } = detail({
      knowledge,
      knowledgeFilters: { team: "people" },
      searchKnowledge: false
    })
    assert.deepStrictEqual(shown, {
      db_id: "main",
      knowledge_table: "svc_knowledge",
      knowledge_filters: { team: "people" }
    })
    assert.deepStrictEqual([default_tools, tools], [{ search_knowledge: false }, undefined])
    assert.strictEqual(
      detail({ knowledge, agenticKnowledgeFilters: true }).knowledge?.enable_agentic_knowledge_filters,
      true
    )
    const searching = detail({ knowledge })
    assert.isUndefined(searching.default_tools)
    assert.deepStrictEqual(searching.tools?.tools.map(({ name }) => name), ["search_knowledge"])
  })

  it("an agent with every setting at its default shows none of them", () => {
    assert.deepStrictEqual(
      detail({
        addHistoryToContext: false,
        numHistoryRuns: 3,
        reasoning: false,
        reasoningMinSteps: 1,
        reasoningMaxSteps: 10,
        systemMessageRole: "system",
        buildContext: true,
        markdown: false,
        timezone: "UTC",
        retries: 0,
        delayBetweenRetries: "1 second",
        exponentialBackoff: false,
        useJsonMode: false,
        tools: []
      }),
      detail()
    )
  })

  it.each<[string, Partial<Agent.Options>, keyof AgentSchema.Detail, unknown]>([
    ["sessions", { addHistoryToContext: true, numHistoryRuns: 5 }, "sessions", {
      session_table: "svc_sessions",
      add_history_to_context: true,
      num_history_runs: 5
    }],
    ["reasoning", { reasoning: true, reasoningMinSteps: 2, reasoningMaxSteps: 4 }, "reasoning", {
      reasoning: true,
      reasoning_min_steps: 2,
      reasoning_max_steps: 4
    }],
    [
      "system_message",
      {
        systemMessage: "S",
        systemMessageRole: "developer",
        buildContext: false,
        description: "D",
        instructions: ["I"],
        expectedOutput: "E",
        additionalContext: "A",
        markdown: true,
        addNameToContext: true,
        addDatetimeToContext: true,
        timezone: "Europe/Paris"
      },
      "system_message",
      {
        system_message: "S",
        system_message_role: "developer",
        build_context: false,
        description: "D",
        instructions: ["I"],
        expected_output: "E",
        additional_context: "A",
        markdown: true,
        add_name_to_context: true,
        add_datetime_to_context: true,
        timezone_identifier: "Europe/Paris"
      }
    ],
    [
      "response_settings",
      {
        retries: 2,
        delayBetweenRetries: "1500 millis",
        exponentialBackoff: true,
        useJsonMode: true,
        outputSchema: Schema.Struct({}).annotate({ title: "Movie" })
      },
      "response_settings",
      {
        retries: 2,
        delay_between_retries: 1.5,
        exponential_backoff: true,
        output_schema_name: "Movie",
        use_json_mode: true
      }
    ],
    ["metadata", { metadata: { team: "a" } }, "metadata", { team: "a" }],
    ["input_schema", { inputSchema: { type: "object", properties: {} } }, "input_schema", {
      type: "object",
      properties: {}
    }],
    ["tools", { tools: [add], toolCallLimit: 3, toolChoice: { tool: "add" } }, "tools", {
      tools: [{ name: "add", description: "Adds", parameters: add.parameters, strict: true }],
      tool_call_limit: 3,
      tool_choice: { tool: "add" }
    }]
  ])("an agent shows its settings of %s", (_, options, group, expected) => {
    assert.deepStrictEqual(detail(options)[group], expected as never)
  })

  it("an agent shows its reasoning model", () => {
    const reasoningModel = { id: "o3", name: "OpenAIResponses", provider: "OpenAI" }
    assert.deepStrictEqual(detail({ reasoningModel: "openai:o3" }, { reasoningModel }).reasoning, {
      reasoning: true,
      reasoning_model: { name: "OpenAIResponses", model: "o3", provider: "OpenAI" }
    })
  })

  it("an agent does not show instructions that are a function", () => {
    assert.isUndefined(detail({ instructions: () => "Secret" }).system_message)
  })

  it("the detail of an agent has the shape of the contract, and no undefined value", () => {
    const shown = detail({ description: "D", role: "R", introduction: "I", tools: [add], metadata: { a: 1 } })
    assert.deepStrictEqual(Schema.decodeUnknownSync(AgentSchema.Detail)(JSON.parse(JSON.stringify(shown))), shown)
    assert.isFalse(Object.values(shown).includes(undefined as never))
  })
})
