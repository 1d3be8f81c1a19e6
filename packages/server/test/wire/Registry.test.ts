// The registry: what components reach and what the application declares, each once, in order, by type and by name.
import { assert, describe, it } from "@effect/vitest"
import * as DeclaredResources from "@svc-runtime/features/registry/DeclaredResources"
import { Agent, type Hook, Knowledge, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { at, column, get, list } from "../Wire.ts"

Tier.oneIn(3)

const Facts = Schema.Struct({ text: Schema.String }).annotate({ identifier: "Facts" })

const lookup = Tool.make({
  name: "lookup",
  description: "Finds facts",
  parameters: Schema.Struct({ topic: Schema.String, days: Schema.optionalKey(Schema.Int) }),
  requiresConfirmation: true,
  execute: () => "nothing"
})

const finder = Agent.make({
  id: "finder",
  name: "The finder",
  model: "openai:gpt-5",
  tools: [lookup],
  outputSchema: Facts,
  memory: true
})

const handbook = Knowledge.make({ name: "handbook", description: "How we work" })
const checkLength: Hook.Hook = { name: "checkLength", run: () => undefined }

const options: TestServer.Options = {
  agents: [Agent.make({ id: "clerk", knowledge: handbook, preHooks: [checkLength], sessionSummaries: true })],
  teams: [Team.make({ id: "desk", members: [finder] })],
  workflows: [
    Workflow.make({
      id: "brief",
      steps: [Step.make({ name: "find", agent: finder }), Step.make({ name: "shorten", run: () => "short" })]
    })
  ],
  registry: {
    tools: [Tool.make({ name: "page_someone", externalExecution: true })],
    models: ["anthropic:claude-sonnet-4-5"],
    schemas: { Order: { type: "object", properties: { count: { type: "integer" } } } },
    functions: { total: () => "0" }
  }
}

const names = (server: TestServer.TestServer, query: string) =>
  Effect.map(get(server, `/registry?${query}`), ({ json }) => column(list(json, "data"), "name"))

describe("the registry", () => {
  it.effect("GET /models has the models of members and steps, and the models that the application declares", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make(options)
      const answer = yield* get(server, "/models")
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(column(list(answer.json), "id"), ["fixed", "gpt-5", "claude-sonnet-4-5"])
    }))

  it.effect("the registry lists what members and steps have, and what the application declares, in order", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make(options)
      const answer = yield* get(server, "/registry?limit=100")
      assert.strictEqual(answer.status, 200, answer.text)
      const items = list(answer.json, "data").map((item) => `${String(at(item, "type"))} ${String(at(item, "name"))}`)
      assert.deepStrictEqual(items, [
        "agent The finder",
        "agent clerk",
        "db main-db",
        "function checkLength",
        "function shorten",
        "function total",
        "knowledge handbook",
        "memory_manager finder-memory-manager",
        "model claude-sonnet-4-5",
        "model fixed",
        "model gpt-5",
        "schema Facts",
        "schema Order",
        "session_summary_manager clerk-session-summary-manager",
        "team desk",
        "tool lookup",
        "tool page_someone",
        "tool search_knowledge",
        "vector_db main-db"
      ])
      assert.strictEqual(at(answer.json, "meta", "total_count"), items.length)
    }))

  it.effect("a tool has its parameters, its signature and its decisions", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make(options)
      const { json } = yield* get(server, "/registry?resource_type=tool&name=LOOKUP")
      const [tool] = list(json, "data")
      assert.deepStrictEqual(at(tool, "description"), "Finds facts")
      assert.deepStrictEqual(at(tool, "metadata"), {
        class_path: "@svc-runtime/server/Tool",
        is_toolkit: false,
        module: "@svc-runtime/server",
        qualname: "lookup",
        has_entrypoint: true,
        parameters: at(tool, "metadata", "parameters"),
        requires_confirmation: true,
        external_execution: false,
        signature: "(topic: string, days?: integer)"
      })
    }))

  it.effect("a tool that an option of its agent brings says so, and a tool of an author does not", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make(options)
      const { json } = yield* get(server, "/registry?resource_type=tool")
      assert.deepStrictEqual(
        list(json, "data").map((tool) => [at(tool, "name"), at(tool, "metadata", "is_of_feature")]),
        [["lookup", undefined], ["page_someone", undefined], ["search_knowledge", true]]
      )
    }))

  it.effect("the registry is filtered by type and by a part of the name, and paged", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make(options)
      assert.deepStrictEqual(yield* names(server, "resource_type=tool&name=%20PAGE%20"), ["page_someone"])
      assert.deepStrictEqual(yield* names(server, "resource_type=model&limit=1&page=2"), ["fixed"])
      assert.deepStrictEqual(yield* names(server, "resource_type=model&page=9"), [])
      for (const query of ["resource_type=wrench", "limit=101", "page=0"]) {
        const refused = yield* get(server, `/registry?${query}`)
        assert.deepStrictEqual([refused.status, at(refused.json, "error_code")], [422, "VALIDATION_ERROR"], query)
      }
    }))

  it("two declared tools of one name are refused", () => {
    const tool = Tool.make({ name: "page_someone", externalExecution: true })
    assert.throws(
      () => DeclaredResources.make({ tools: [tool, { ...tool }] }),
      "The registry has two tools called 'page_someone'"
    )
  })
})
