// The tree of a run of each kind, as `GET /traces/{trace_id}` shows it, against the file of the kind in `trees`.
import { assert, it } from "@effect/vitest"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import { Agent, Condition, Loop, Parallel, Router, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Exit, Scope } from "effect"
import { readFileSync } from "node:fs"
import { handbook, serveKnowledge, textFile, uploadContent } from "./Contents.ts"
import { open as openMcp, post as postMcp, request } from "./mcp/Mcp.ts"
import { always, at, get, post } from "./Wire.ts"
import { first, last, plainFlow } from "./wire/Flows.ts"
import { searching } from "./wire/KnowledgeQuestions.ts"
import { changes } from "./wire/MemoryAgent.ts"
import { open as openWithMemory } from "./wire/MemoryFixtures.ts"
import { delegate } from "./wire/TeamFlow.ts"
import { all, newest, start } from "./wire/TracedRuns.ts"
import { open as openSocket } from "./ws/SocketClient.ts"

Tier.oneIn(8)

const agentOf = Effect.fnUntraced(function*(id: string, ...turns: ReadonlyArray<Script.Turn>) {
  const { model } = yield* Script.make(turns)
  return Agent.make({ id, model })
})

/** On the clock of the machine, because background jobs wait for it. */
const serve = (options: TestServer.Options) =>
  TestServer.make({ traces: new TraceBuffer({ hasContent: true }), ...options })

const hello = Effect.map(always(Script.text("Hello.")), ({ model }) => model)

const treeOf = (server: TestServer.TestServer) => Effect.map(newest(server), ({ tree }) => tree)

const untilEnded = (server: TestServer.TestServer, path: string) =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, get(server, path)), {
    until: ({ json }) => ["COMPLETED", "ERROR"].includes(String(at(json, "status")))
  })

const streamed = Effect.gen(function*() {
  const server = yield* serve({ agents: [yield* agentOf("guide", [Script.text("Hel", "lo.")])] })
  yield* start(server, "/agents/guide/runs", { stream: "true" })
  return yield* treeOf(server)
})

const background = Effect.gen(function*() {
  const server = yield* serve({ agents: [yield* agentOf("guide", [Script.text("Hello.")])] })
  yield* start(server, "/agents/guide/runs", { background: "true", session_id: "s", run_id: "r" })
  yield* untilEnded(server, "/agents/guide/runs/r?session_id=s&user_id=ann")
  return yield* treeOf(server)
})

const mcp = Effect.gen(function*() {
  const server = yield* serve({ agents: [yield* agentOf("guide", [Script.text("Hello.")])] })
  const session = yield* openMcp(server)
  const call = request("tools/call", { name: "run_agent", arguments: { agent_id: "guide", message: "hi" } })
  yield* postMcp(server, call, { headers: session.headers })
  return yield* treeOf(server)
})

const socket = Effect.gen(function*() {
  const traces = new TraceBuffer({ hasContent: true })
  const { url } = yield* TestServer.listen({ workflows: [plainFlow], traces })
  const client = yield* openSocket(url)
  yield* client.send({ action: "start-workflow", workflow_id: "plain", message: "go" })
  let event: unknown
  while (event !== "WorkflowCompleted") event = at(yield* client.next, "event")
  const fetch = (path: string, init?: RequestInit) => Effect.promise(() => globalThis.fetch(`${url}${path}`, init))
  return yield* treeOf({ fetch, logs: [] })
})

/** A run whose process stops while its model answers, and another process that has the same database. */
const takeover = Effect.gen(function*() {
  const started = yield* Deferred.make<void>()
  const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
  const { model } = yield* Script.make([
    [Script.toolCall("look")],
    [Script.wait(Deferred.succeed(started, undefined)), Script.hang],
    [Script.text("Hello.")]
  ])
  const agents = [Agent.make({ id: "guide", model, tools: [look] })]
  const stores = yield* TestDatabase.make()
  const database = () => stores
  const process = yield* Scope.make()
  const stopped = yield* Scope.provide(serve({ agents, database }), process)
  yield* start(stopped, "/agents/guide/runs", { background: "true", session_id: "s", run_id: "r" })
  yield* Deferred.await(started)
  yield* Scope.close(process, Exit.void)
  const server = yield* serve({ agents, database })
  yield* untilEnded(server, "/agents/guide/runs/r?session_id=s&user_id=ann")
  const { detail, tree } = yield* newest(server)
  assert.deepInclude(detail as object, { input: "How are you?", output: "Hello." })
  return tree
})

const evaluation = Effect.gen(function*() {
  const agents = [Agent.make({ id: "assistant", model: yield* hello })]
  const server = yield* serve({ agents, model: "demo" })
  yield* post(server, "/eval-runs", {
    agent_id: "assistant",
    input: "What is the capital of France?",
    eval_type: "accuracy",
    expected_output: "Paris"
  })
  return yield* all(server)
})

const retrieval = Effect.gen(function*() {
  const { model } = yield* Script.make(searching())
  const { jobEnd, server } = yield* serveKnowledge({
    agents: [Agent.make({ id: "guide", model, knowledge: handbook })],
    traces: new TraceBuffer({ hasContent: true })
  })
  yield* uploadContent(server, { file: textFile("holidays.txt", "Everybody has thirty days of holiday.") })
  yield* jobEnd
  yield* start(server, "/agents/guide/runs")
  return yield* treeOf(server)
})

const memory = Effect.gen(function*() {
  const { model } = yield* Script.make([
    [Script.toolCall("remember", { memory: "The user is called Ann." })],
    [Script.text("Noted.")]
  ])
  const agent = Agent.make({ id: "guide", model, memory: { tools: true, update: "off" } })
  const server = yield* serve({ agents: [agent] })
  yield* start(server, "/agents/guide/runs", { session_id: "s" })
  return yield* all(server)
})

/** What a job after the run does with a model. */
const jobs = Effect.gen(function*() {
  const reading = yield* Script.make([changes({ action: "create", memory: "The user is called Ann." })])
  const agent = Agent.make({ id: "guide", model: yield* hello, memory: { model: reading.model } })
  const { jobEnd, server } = yield* openWithMemory({ agents: [agent], traces: new TraceBuffer({ hasContent: true }) })
  yield* start(server, "/agents/guide/runs", { session_id: "s" })
  yield* jobEnd
  return yield* all(server)
})

const teamInTeam = Effect.gen(function*() {
  const poet = Agent.make({ id: "poet", model: yield* hello })
  const inner = yield* Script.make([[delegate("poet", "inner_1")], [Script.text("A poem.")]])
  const office = Team.make({ id: "office", model: inner.model, members: [poet] })
  const outer = yield* Script.make([[delegate("office", "call_1")], [Script.text("Done.")]])
  const server = yield* serve({ teams: [Team.make({ id: "desk", model: outer.model, members: [office] })] })
  yield* start(server, "/teams/desk/runs")
  return yield* treeOf(server)
})

const containers = Effect.gen(function*() {
  const agent = Agent.make({ id: "guide", model: yield* hello })
  const flow = Workflow.make({
    id: "flow",
    steps: [
      first,
      Parallel.make({ name: "both", steps: [Step.make({ name: "ask", agent }), last] }),
      Loop.make({ name: "twice", maxIterations: 2, steps: [last] }),
      Condition.make({ name: "if", evaluator: () => true, steps: [first] }),
      Router.make({ name: "route", selector: () => "last", choices: [first, last] }),
      Step.make({ name: "inner", workflow: plainFlow })
    ]
  })
  const server = yield* serve({ workflows: [flow] })
  yield* start(server, "/workflows/flow/runs")
  return yield* treeOf(server)
})

const kinds = {
  background,
  containers,
  evaluation,
  jobs,
  mcp,
  memory,
  retrieval,
  socket,
  streamed,
  takeover,
  "team-in-team": teamInTeam
}

for (const [kind, tree] of Object.entries(kinds)) {
  it.live(`the trace of a run has the tree of its file, ${kind}`, () =>
    Effect.gen(function*() {
      const file = new URL(`trees/${kind}.txt`, import.meta.url)
      assert.strictEqual(`${(yield* tree).join("\n")}\n`, readFileSync(file, "utf8"))
    }))
}
