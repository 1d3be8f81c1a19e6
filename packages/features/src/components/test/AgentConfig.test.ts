// The config of a stored agent becomes the options of an agent, or a list of everything that prevents it.
import { assert, describe, it } from "@effect/vitest"
import { ModelCatalog } from "@svc-runtime/agents/Models"
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import type * as Json from "@svc-runtime/domain/Json"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import { Effect, Result } from "effect"
import * as Agent from "../../Agent.ts"
import * as DeclaredResources from "../../registry/DeclaredResources.ts"
import * as ResourceNames from "../../registry/ResourceNames.ts"
import { AgentConfigModule } from "../AgentConfig.ts"
import type { Identity } from "../ConfigModule.ts"

const tool = (name: string) => Tool.make({ name, execute: () => "done" })

const names = Effect.gen(function*() {
  const registered = ["clerk", "guide"].map((id) => Agent.make({ id, tools: [tool("ambiguous"), tool(`${id}_only`)] }))
  return ResourceNames.make({
    reached: ReachedComponents.of(registered),
    declared: DeclaredResources.make({
      tools: [tool("lookup")],
      hooks: [{ name: "checkLength", run: () => undefined }],
      schemas: { Order: { type: "object", properties: { count: { type: "integer" } } } }
    }),
    models: yield* ModelCatalog,
    knowledge: []
  })
}).pipe(Effect.provide(ModelCatalog.layer({ model: "fixed" })))

const resolved = (known: ResourceNames.ResourceNames, identity: Identity, config: Json.Object) =>
  AgentConfigModule.resolve(known, identity, config, new Map())

const problemsOf = (config: Json.Object) =>
  Effect.map(names, (known) => {
    const result = resolved(known, { id: "stored", name: "Stored one" }, config)
    return Result.isFailure(result)
      ? result.failure.map(({ message, path }) => `${path.join(".")}: ${message}`)
      : []
  })

describe("the config of an agent", () => {
  it.effect("names of resources become the resources", () =>
    Effect.gen(function*() {
      const agent = Result.getOrThrow(resolved(yield* names, { id: "stored", name: "Stored one" }, {
        name: "Stored",
        model: { id: "gpt-5", provider: "OpenAI" },
        instructions: ["Be short."],
        tools: ["lookup", { name: "clerk_only" }],
        pre_hooks: ["checkLength"],
        output_schema: "Order",
        num_history_runs: 2,
        description: null,
        unknown_to_this_version: true
      }))
      assert.strictEqual<string>(agent.id, "stored")
      assert.deepInclude(agent, { name: "Stored", model: "openai:gpt-5", numHistoryRuns: 2 })
      assert.deepStrictEqual([...agent.tools.keys()], ["lookup", "clerk_only"])
      assert.deepStrictEqual(agent.preHooks.map(({ name }) => name), ["checkLength"])
      assert.property(agent.outputSchema?.jsonSchema["properties"], "count")
    }))

  it.effect("a config that is based on an agent in code has its options, hooks too, and what it says instead", () =>
    Effect.gen(function*() {
      const guide = Agent.make({
        id: "guide",
        name: "Guide",
        instructions: ({ dependencies }) => String(dependencies["tenant"]),
        tools: [tool("walk")],
        preHooks: [{ name: "checkLength", run: () => undefined }],
        memory: { contextTokens: 50 },
        markdown: true,
        retries: 3,
        timezone: "Europe/Paris"
      })
      const known = ResourceNames.make({
        reached: ReachedComponents.of([guide]),
        declared: DeclaredResources.make({}),
        models: yield* ModelCatalog,
        knowledge: []
      })
      const of = (config: Json.Object) =>
        Result.getOrThrow(resolved(known, { id: "copy", name: "Copy" }, { base: "guide", ...config }))
      const same = of({})
      assert.strictEqual<string>(same.id, "copy")
      assert.deepInclude(same, { name: "Copy", markdown: true, retries: 3, memory: guide.memory })
      assert.strictEqual(same.instructions, guide.instructions)
      assert.deepStrictEqual(same.preHooks, guide.preHooks)
      assert.deepStrictEqual([...same.tools.keys()], [...guide.tools.keys()])
      const other = of({
        instructions: "Be short.",
        tools: [],
        memory: false,
        retries: null,
        timezone_identifier: null
      })
      assert.deepInclude(other, { instructions: "Be short.", markdown: true, retries: 0, memory: undefined })
      assert.deepInclude(other, { timezone: "UTC" })
      assert.deepStrictEqual([...other.tools.keys()], [])
      assert.deepStrictEqual(other.preHooks, guide.preHooks)
      const missing = resolved(known, { id: "copy", name: "Copy" }, { base: "copy" })
      assert.deepStrictEqual(Result.isFailure(missing) ? missing.failure : [], [
        { path: ["base"], message: "There is no agent in code 'copy' in the registry" }
      ])
    }).pipe(Effect.provide(ModelCatalog.layer({ model: "fixed" }))))

  it.effect("a tool source and a tool of a provider are named like tools", () =>
    Effect.gen(function*() {
      const source: ToolSource = {
        _tag: "ToolSource",
        name: "tickets",
        open: Effect.succeed({ tools: [], problem: undefined }),
        last: () => undefined
      }
      const known = ResourceNames.make({
        reached: ReachedComponents.of([Agent.make({ id: "clerk", tools: [source] })]),
        declared: DeclaredResources.make({}),
        models: yield* ModelCatalog,
        knowledge: []
      })
      const agent = Result.getOrThrow(resolved(known, { id: "a", name: "A" }, { tools: ["tickets"] }))
      assert.deepStrictEqual(agent.toolSources, [source])
    }).pipe(Effect.provide(ModelCatalog.layer({ model: "fixed" }))))

  it.effect("limits of requests, and a summary in the place of what they leave out, are those of an agent in code", () =>
    Effect.gen(function*() {
      const limits = { numHistoryMessages: 20, maxContextTokens: 9000, numToolResults: 2 }
      const expected = Agent.make({ id: "a", ...limits, numHistoryRuns: 2, summarizeHistory: true })
      const agent = Result.getOrThrow(resolved(yield* names, { id: "a", name: "A" }, {
        num_history_messages: 20,
        max_context_tokens: 9000,
        num_tool_results: 2,
        num_history_runs: 2,
        summarize_history: { after_runs: null }
      }))
      assert.deepInclude(agent, limits)
      assert.deepStrictEqual(agent.sessionSummaries, expected.sessionSummaries)
    }))

  it.effect("options that are objects have the defaults of an agent in code", () =>
    Effect.gen(function*() {
      const resolve = (config: Json.Object) =>
        Effect.map(names, (known) => Result.getOrThrow(resolved(known, { id: "a", name: "A" }, config)))
      const expected = Agent.make({
        id: "a",
        memory: { contextTokens: 50, model: "openai:gpt-5" },
        learning: { mode: ["agentic", "always"], namespace: "shared" },
        sessionSummaries: { afterRuns: 2 },
        searchPastSessions: true,
        checkpoint: "tool-batch",
        onUnknownOutcome: "fail"
      })
      const { learning, memory, searchPastSessions, sessionSummaries, tools } = expected
      const agent = yield* resolve({
        memory: { context_tokens: 50, model: { id: "gpt-5", provider: "OpenAI" } },
        learning: { mode: ["agentic", "always"], namespace: "shared", types: null },
        session_summaries: { after_runs: 2 },
        search_past_sessions: true,
        checkpoint: "tool-batch",
        on_unknown_outcome: "fail"
      })
      assert.deepStrictEqual([...agent.tools.keys()], [...tools.keys()])
      assert.deepInclude(agent, {
        checkpoint: "tool-batch",
        learning,
        memory,
        onUnknownOutcome: "fail",
        searchPastSessions,
        sessionSummaries
      })
      const plain = yield* resolve({ memory: null, learning: false })
      assert.deepInclude(plain, { memory: undefined, learning: undefined, sessionSummaries: undefined })
      const [problem] = yield* problemsOf({ search_past_sessions: { runs: 99 } })
      assert.include(problem, "searchPastSessions.runs is 99")
    }))

  it.effect("everything that is not there is reported with its path", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* problemsOf({ tools: ["lookup", "gone", "ambiguous"], output_schema: "Bill" }), [
        "tools.1: There is no tool 'gone' in the registry",
        "tools.2: The registry has 2 different tools called 'ambiguous'",
        "output_schema: There is no schema 'Bill' in the registry"
      ])
      const [model] = yield* problemsOf({ model: "unheard:gpt" })
      assert.include(model, "model: Unknown model provider 'unheard'")
      const [type] = yield* problemsOf({ num_history_runs: "two" })
      assert.match(type ?? "", /^num_history_runs: /)
      const [zone] = yield* problemsOf({ timezone_identifier: "Nowhere/City" })
      assert.include(zone, "there is no timezone 'Nowhere/City'")
    }))

  it.effect("a regular expression in a JSON Schema is refused with its path, because it could block the node", () =>
    Effect.gen(function*() {
      const text = { type: "string", pattern: "(a+)+$" }
      const message = "A pattern is not allowed here. Declare the schema in the application, and give its name"
      assert.deepStrictEqual(
        yield* problemsOf({
          input_schema: { type: "object", properties: { pattern: { type: "string" }, a: { anyOf: [text] } } },
          output_schema: { type: "object", patternProperties: { "(a+)+$": {} } }
        }),
        [`input_schema.properties.a.anyOf.0.pattern: ${message}`, `output_schema.patternProperties: ${message}`]
      )
      assert.deepStrictEqual(yield* problemsOf({ input_schema: { properties: { pattern: { type: "string" } } } }), [])
    }))
})
