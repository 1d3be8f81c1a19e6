// Agents with knowledge: what their models are shown, and the references of their answers.
import { assert, describe, it } from "@effect/vitest"
import { Agent, Knowledge, Step, Team, Workflow } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as TopicEmbedder from "@svc-runtime/test-support/TopicEmbedder"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { handbook, serveKnowledge, textFile, uploadContent } from "../Contents.ts"
import * as Mcp from "../mcp/Mcp.ts"
import { ask, at, column, get, hasKeys, invalid, list, run, runFrames, runWhole } from "../Wire.ts"
import { contentsOf, searching } from "./KnowledgeQuestions.ts"

Tier.oneIn(10)

const holidays = "Everybody has thirty days of holiday."
const travel = "Trips by train are paid in first class."

/** Two documents of different teams. */
const filled = Effect.fnUntraced(function*(service: Effect.Success<ReturnType<typeof serveKnowledge>>) {
  for (const [name, text, team] of [["holidays.txt", holidays, "people"], ["travel.txt", travel, "money"]] as const) {
    yield* uploadContent(service.server, { file: textFile(name, text), fields: { metadata: JSON.stringify({ team }) } })
    assert.strictEqual(yield* service.jobEnd, "Completed")
  }
  return service.server
})

const fields = { message: "How many days of holiday do I have?", session_id: "s" }

describe("an agent with knowledge", () => {
  it.live("the model searches with a tool, and the answer has the references with content, chunk, score and origin", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* Script.make(searching())
      const agent = Agent.make({ id: "agent", model, knowledge: handbook })
      const server = yield* filled(yield* serveKnowledge({ agents: [agent], knowledge: [] }))
      const { json } = yield* runWhole(server, "agent", fields)
      assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
      const [searched] = list(json, "references")
      assert.strictEqual(at(searched, "query"), "days of holiday")
      assert.strictEqual(typeof at(searched, "time"), "number")
      const [first] = list(searched, "references")
      const [content] = list((yield* get(server, "/knowledge/content?sort_by=name&sort_order=asc")).json, "data")
      assert.deepStrictEqual(
        ["content_id", "name", "content", "chunk", "content_origin", "meta_data"].map((key) => at(first, key)),
        [at(content, "id"), "holidays.txt", holidays, 1, "holidays.txt", { team: "people" }]
      )
      assert.isAbove(Number(at(first, "score")), 0)
      const tools = (yield* calls)[0]?.tools.map(({ name }) => name)
      assert.deepStrictEqual(tools, ["search_knowledge"])
      const stored = yield* get(server, "/sessions/s/runs")
      assert.deepStrictEqual(at(list(stored.json)[0], "references"), at(json, "references"))
    }))

  it.live("a run that ends while the service stops still searches", () =>
    Effect.gen(function*() {
      const [reached, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const waiting = Script.wait(Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(go)))
      const [[search = waiting] = [], answer = []] = searching()
      const { calls, model } = yield* Script.make([[waiting, search], answer])
      const agents = [Agent.make({ id: "agent", model, knowledge: handbook })]
      const scope = yield* Scope.make()
      const service = yield* Scope.provide(serveKnowledge({ agents, drainTimeout: "1 minute" }), scope)
      const server = yield* filled(service)
      yield* runWhole(server, "agent", { ...fields, background: "true" })
      yield* Deferred.await(reached)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      while (!server.logs.some(({ message }) => message.startsWith("Waiting for 1 running run"))) {
        yield* Effect.sleep("10 millis")
      }
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(closing)
      assert.include(JSON.stringify((yield* calls)[1]), holidays)
    }))

  it.live("the answer of the MCP tool names the sources", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make(searching())
      const agents = [Agent.make({ id: "agent", model, knowledge: handbook })]
      const session = yield* Mcp.open(yield* filled(yield* serveKnowledge({ agents })))
      const body = Mcp.request("tools/call", {
        name: "run_agent",
        arguments: { agent_id: "agent", message: fields.message }
      })
      const [answer] = Mcp.messages(yield* Mcp.post(session.server, body, { headers: session.headers }))
      const references = list(at(answer, "result", "structuredContent"), "references")
      hasKeys(references[0], "chunk", "content_id", "content_origin", "name", "score")
      assert.deepStrictEqual([at(references[0], "content_origin"), at(references[0], "chunk")], ["holidays.txt", 1])
    }))

  it.live("the last event of a streamed run has the references", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make(searching())
      const server = yield* filled(
        yield* serveKnowledge({ agents: [Agent.make({ id: "agent", model, knowledge: handbook })] })
      )
      const last = (yield* runFrames(server, "agent", fields)).at(-1)
      assert.strictEqual(last?.kind, "RunCompleted")
      assert.strictEqual(contentsOf(last?.data)[0]?.[0], holidays)
    }))

  it.live("an agent with knowledge in its context is shown the results before it answers, and has no tool", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* Script.make([[Script.text("Thirty days.")]])
      const agent = Agent.make({
        id: "agent",
        model,
        knowledge: handbook,
        addKnowledgeToContext: true,
        searchKnowledge: false
      })
      const server = yield* filled(yield* serveKnowledge({ agents: [agent] }))
      const { json } = yield* runWhole(server, "agent", fields)
      assert.strictEqual(contentsOf(json)[0]?.[0], holidays)
      const [call] = yield* calls
      assert.deepStrictEqual(call?.tools, [])
      const system = JSON.stringify(call?.prompt.content.filter(({ role }) => role === "system"))
      assert.include(system, holidays)
      assert.deepStrictEqual(at(list(json, "messages")[1], "content"), fields.message)
    }))

  it.live("an agent with its own system message is shown the results after it, also if it builds no context", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* Script.make([[Script.text("Thirty days.")]])
      const agent = Agent.make({
        id: "agent",
        model,
        knowledge: handbook,
        addKnowledgeToContext: true,
        systemMessage: "Answer in one sentence.",
        buildContext: false
      })
      const server = yield* filled(yield* serveKnowledge({ agents: [agent] }))
      yield* runWhole(server, "agent", fields)
      const [call] = yield* calls
      const system = call?.prompt.content.flatMap(({ content, role }) => role === "system" ? [content] : []).join()
      assert.match(String(system), /^Answer in one sentence\.[^]*thirty days of holiday/)
    }))

  it.live("filters of the request are added to those of the agent and of the knowledge", () =>
    Effect.gen(function*() {
      const knowledge = Knowledge.make({ name: "handbook", filters: { op: "NOT", condition: { team: "secret" } } })
      const { model } = yield* Script.make([...searching(""), ...searching("train holiday"), ...searching("train")])
      const agent = Agent.make({ id: "agent", model, knowledge, knowledgeFilters: { team: ["people", "money"] } })
      const server = yield* filled(yield* serveKnowledge({ agents: [agent], knowledge: [] }))
      const searched = (knowledge_filters: string) =>
        Effect.map(runWhole(server, "agent", { ...fields, knowledge_filters }), ({ json }) =>
          at(json, "references") === undefined ? [] : contentsOf(json))
      assert.deepStrictEqual(yield* searched("{}"), [])
      assert.deepStrictEqual(yield* searched(`{"team":"money"}`), [[travel]])
      assert.deepStrictEqual(yield* searched(`{"op":"EQ","key":"team","value":"secret"}`), [])
      const deep = `${"[".repeat(9_000)}${"]".repeat(9_000)}`
      const unusable = [
        ...[`{"op":"NEAR"}`, "5", `"team"`, `{"team":{"a":1}}`, "[[[[[[[[[[[]]]]]]]]]]]"].map((text) =>
          [text, "value_error"] as const
        ),
        [deep, "json_too_deep"] as const
      ]
      for (const [knowledge_filters, type] of unusable) {
        invalid(
          yield* run(server, "agent", { ...fields, knowledge_filters }),
          [["body", "knowledge_filters"], type]
        )
      }
    }))

  it.live("a model that chooses filters is shown the keys, and narrows what the filters of agent and request leave", () =>
    Effect.gen(function*() {
      const search = (key: string, value: string) => [
        [Script.toolCall("search_knowledge", { query: "train holiday", filters: [{ key, value }] }, "call-1")],
        [Script.text("Done.")]
      ]
      const chosen = [["team", "money"], ["team", "people"], ["year", "2026"], ["", "x"]] as const
      const { calls, model } = yield* Script.make([
        ...chosen.flatMap(([key, value]) => search(key, value)),
        ...searching()
      ])
      const agent = Agent.make({ id: "agent", model, knowledge: handbook, agenticKnowledgeFilters: true })
      const service = yield* serveKnowledge({ agents: [agent], knowledge: [] })
      const server = yield* filled(service)
      yield* uploadContent(server, {
        file: textFile("plan.txt", "A train to the sea."),
        fields: { metadata: `{"year":2026}` }
      })
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const searched = (knowledge_filters = "{}") =>
        Effect.map(runWhole(server, "agent", { ...fields, knowledge_filters }), ({ json }) => json)
      assert.deepStrictEqual(contentsOf(yield* searched()), [[travel]])
      assert.isUndefined(at(yield* searched(`{"team":"money"}`), "references"))
      assert.deepStrictEqual(contentsOf(yield* searched()), [["A train to the sea."]])
      const refused = yield* searched()
      assert.strictEqual(at(refused, "tools", 0, "result"), "IN filter requires a 'key'")
      assert.strictEqual(contentsOf(yield* searched()).length, 1)
      const [first] = yield* calls
      const system = JSON.stringify(first?.prompt.content.filter(({ role }) => role === "system"))
      assert.include(system, `[\\"team\\",\\"year\\"]`)
      assert.strictEqual(
        at((yield* get(server, "/agents/agent")).json, "knowledge", "enable_agentic_knowledge_filters"),
        true
      )
    }))

  it.live("members of a team and steps of a workflow search their knowledge, with the filters of the request", () =>
    Effect.gen(function*() {
      const delegating = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "agent", task: "Look." }, "call-1")],
        [Script.text("Done.")]
      ])
      const { model } = yield* Script.make(Array.from({ length: 3 }, () => searching("train holiday")).flat())
      const agent = Agent.make({ id: "agent", model, knowledge: handbook })
      const team = Team.make({ id: "team", model: delegating.model, members: [agent] })
      const workflow = Workflow.make({ id: "flow", steps: [Step.make({ name: "look", agent })] })
      const server = yield* filled(yield* serveKnowledge({ teams: [team], workflows: [workflow], knowledge: [] }))
      const body = { ...fields, stream: "false", knowledge_filters: `{"team":"money"}` }
      const send = (path: string, session_id: string) =>
        ask(server, path, { method: "POST", body: new URLSearchParams({ ...body, session_id }) })
      const teamRun = yield* send("/teams/team/runs", "t")
      assert.deepStrictEqual(contentsOf(at(teamRun.json, "member_responses", 0)), [[travel]], teamRun.text)
      const flowRun = yield* send("/workflows/flow/runs", "w")
      assert.deepStrictEqual(contentsOf(at(flowRun.json, "step_executor_runs", 0)), [[travel]], flowRun.text)
      const knowledge_filters = { team: "money" }
      const input = { workflow_id: "flow", message: fields.message, session_id: "m", knowledge_filters }
      const toolRun = yield* Mcp.call(yield* Mcp.open(server), "run_workflow", input)
      const path = `/workflows/flow/runs/${String(at(toolRun, "structuredContent", "run_id"))}?session_id=m`
      const stored = yield* get(server, path)
      assert.deepStrictEqual(contentsOf(at(stored.json, "step_executor_runs", 0)), [[travel]], stored.text)
    }))

  it.live("a question to several knowledge bases is embedded once, and the nearest text is the first", () =>
    Effect.gen(function*() {
      const [tea, trains] = [Knowledge.make({ name: "tea" }), Knowledge.make({ name: "trains" })]
      const questions = ["When does the first train leave?", "When is the first coffee?"] as const
      const { model } = yield* Script.make(questions.flatMap((question) => searching(question)))
      const agent = Agent.make({ id: "agent", model, knowledge: [tea, trains] })
      const embedded: Array<string> = []
      const embedder = TopicEmbedder.make({
        before: (texts) => Effect.andThen(Effect.sync(() => void embedded.push(...texts)), Effect.yieldNow)
      })
      const { jobEnd, server } = yield* serveKnowledge({ agents: [agent], knowledge: [], embedder })
      const { json: config } = yield* get(server, "/config")
      const texts = ["The first coffee is at seven.", "The first train leaves at eight."] as const
      for (const [index, id] of column(at(config, "knowledge", "knowledge_instances"), "id").entries()) {
        yield* uploadContent(server, { fields: { text_content: texts[index] ?? "" }, query: `?knowledge_id=${id}` })
        assert.strictEqual(yield* jobEnd, "Completed")
      }
      const found = Effect.map(runWhole(server, "agent", { message: "Search" }), ({ json }) => contentsOf(json)[0])
      assert.deepStrictEqual(yield* found, [texts[1], texts[0]])
      assert.deepStrictEqual(yield* found, [texts[0], texts[1]])
      assert.deepStrictEqual(embedded, [...texts, ...questions])
    }))

  it.live("a search that fails is an error that the model reads, and the run continues", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make(searching())
      const embedder = "openai:text-embedding-3-small"
      const agent = Agent.make({ id: "agent", model, knowledge: Knowledge.make({ embedder }) })
      const { server } = yield* serveKnowledge({ agents: [agent], knowledge: [] })
      const { json } = yield* runWhole(server, "agent", fields)
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.match(String(at(json, "tools", 0, "result")), /^OPENAI_API_KEY is not set/)
      assert.isUndefined(at(json, "references"))
    }))
})
