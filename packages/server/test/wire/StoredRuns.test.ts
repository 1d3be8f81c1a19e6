// Stored components execute runs: with the version that is current at the start of a run, and with that one to its end.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { json } from "@svc-runtime/test-support/endpoints/Checked"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { type Answer, ask, at, column, type Fields, get, list, notFound, post, send, serve } from "../Wire.ts"

Tier.oneIn(4)

/** The instructions that the model got are its answer. */
const instructed = ({ prompt }: Script.Call): ReadonlyArray<Script.Step> => {
  const system = prompt.content.find(({ role }) => role === "system")
  return [Script.text(String(system?.content))]
}

const registryOf = Effect.map(
  Script.make(Array.from({ length: 100 }, () => instructed)),
  ({ model }) => ({ models: [model] })
)

const model = { id: "scripted", provider: "Scripted" }

const team = (fields: object) => ({ name: "Desk", members: [{ type: "agent", agent_id: "writer" }], ...fields })

const runOf = (server: TestServer.TestServer, path: string, fields: Fields = {}) =>
  ask(server, `${path}/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: "Hi", stream: "false", ...fields })
  })

const answerOf = (server: TestServer.TestServer, path: string, fields: Fields = {}) =>
  Effect.map(runOf(server, path, fields), ({ json, status, text }) => {
    assert.strictEqual(status, 200, text)
    return String(at(json, "content"))
  })

describe("a stored agent", () => {
  it.effect("a stored agent answers with its current version, and with another one that the request names", () =>
    Effect.gen(function*() {
      const server = yield* serve({ registry: yield* registryOf })
      const body = { name: "Greeter", model, instructions: "First" }
      assert.strictEqual((yield* post(server, "/agents", body)).status, 201)
      assert.strictEqual(yield* answerOf(server, "/agents/greeter"), "First")
      yield* send(server, "PATCH", "/agents/greeter", { instructions: "Second" })
      assert.strictEqual(yield* answerOf(server, "/agents/greeter"), "Second")
      assert.strictEqual(yield* answerOf(server, "/agents/greeter", { version: "1" }), "First")
      yield* post(server, "/components/greeter/configs/1/set-current", {})
      assert.strictEqual(yield* answerOf(server, "/agents/greeter"), "First")
      notFound(yield* runOf(server, "/agents/greeter", { version: "3" }), "Agent not found")
      notFound(yield* runOf(server, "/teams/greeter"), "Team not found")
      yield* send(server, "DELETE", "/components/greeter/configs/2", undefined)
      notFound(yield* runOf(server, "/agents/greeter", { version: "2" }), "Agent not found")
    }))

  it.effect("a stored agent that is based on one in code has its tools, hooks and instructions, unless it has its own", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make(Array.from({ length: 10 }, () => instructed))
      const seen: Array<string> = []
      const shop = Agent.make({
        id: "shop",
        model,
        instructions: () => "In code",
        tools: [Tool.make({ name: "find", execute: () => "found" })],
        preHooks: [{ name: "seen", run: () => void seen.push("checked") }]
      })
      const desk = Team.make({ id: "desk", model, members: [shop], mode: "route" })
      const server = yield* serve({ agents: [shop], teams: [desk] })
      const made = yield* post(server, "/agents", { id: "copy", name: "Copy", base: "shop" })
      assert.strictEqual(made.status, 201, made.text)
      assert.include(yield* answerOf(server, "/agents/copy"), "In code")
      yield* send(server, "PATCH", "/agents/copy", { instructions: "Stored" })
      assert.include(yield* answerOf(server, "/agents/copy"), "Stored")
      assert.include(yield* answerOf(server, "/agents/copy", { version: "1" }), "In code")
      assert.deepStrictEqual(seen, ["checked", "checked", "checked"])
      const { json } = yield* get(server, "/agents/copy")
      assert.deepStrictEqual(column(list(json, "tools", "tools"), "name"), ["find"])
      assert.deepStrictEqual(at(json, "name"), "Copy")
      // a team has the members of the one in code
      assert.strictEqual((yield* post(server, "/teams", { id: "copies", name: "Copies", base: "desk" })).status, 201)
      const team = (yield* get(server, "/teams/copies")).json
      assert.deepStrictEqual([at(team, "mode"), column(list(team, "members"), "id")], ["route", ["shop"]])
      const refused = yield* post(server, "/agents", { id: "other", name: "Other", base: "copy" })
      assert.strictEqual(refused.status, 422, refused.text)
      assert.include(refused.text, "There is no agent in code 'copy' in the registry")
    }))

  it.effect("a stored agent is listed and shown behind the registered agents", () =>
    Effect.gen(function*() {
      const server = yield* serve({ registry: yield* registryOf, agents: [Agent.make({ id: "host", model: "fixed" })] })
      yield* post(server, "/agents", { name: "Greeter", model, instructions: "First" })
      yield* post(server, "/agents", { name: "Draft", model, stage: "draft" })
      yield* post(server, "/teams", team({ members: [{ type: "agent", agent_id: "greeter" }] }))
      yield* post(server, "/workflows", { name: "Flow", steps: [{ name: "a", agent_id: "greeter" }] })
      const agents = (yield* get(server, "/agents")).json
      assert.deepStrictEqual(column(agents, "id"), ["host", "greeter"])
      const version = { is_component: true, is_factory: false, current_version: 1, stage: "published" }
      // only lists mark stored components
      const detail = { ...version, is_component: false }
      assert.deepStrictEqual({ ...at(agents, 1) as object, ...detail }, (yield* get(server, "/agents/greeter")).json)
      assert.deepInclude(at(agents, 1) as object, { ...version, name: "Greeter", db_id: "main-db" })
      assert.strictEqual(at(agents, 1, "system_message", "instructions"), "First")
      for (const path of ["/teams/desk", "/workflows/flow"]) {
        assert.deepInclude((yield* get(server, path)).json as object, detail)
        const [kind] = path.slice(1).split("/")
        assert.deepInclude(list((yield* get(server, `/${kind}`)).json)[0] as object, version)
      }
      notFound(yield* get(server, "/agents/draft"), "Agent not found")
      notFound(yield* get(server, "/workflows/flow?version=2"), "Workflow not found")
    }))

  it.effect("only callers who may change it try its drafts", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ registry: yield* registryOf })
      const [runner, writer] = [yield* token("ann", "agents:run"), yield* token("bob", "agents:run", "agents:g:write")]
      const body = { id: "g", name: "G", model, instructions: "Draft", stage: "draft" }
      const author = yield* token("eve", "agents:write")
      const made = yield* call(server, { path: "/agents", init: json("POST", body) }, author)
      assert.strictEqual(made.status, 201, made.text)
      const runAs = (bearer: string, fields: Fields) =>
        call(server, {
          path: "/agents/g/runs",
          init: { method: "POST", body: new URLSearchParams({ message: "Hi", stream: "false", ...fields }) }
        }, bearer)
      notFound(yield* runAs(writer, {}), "Agent not found")
      // as a version that does not exist: the caller does not learn of the draft
      const refused = yield* runAs(runner, { version: "1" })
      notFound(refused, "Agent not found")
      const unknown = yield* runAs(runner, { version: "2" })
      assert.strictEqual(refused.text, unknown.text.replace("version 2", "version 1"))
      assert.strictEqual(at((yield* runAs(writer, { version: "1" })).json, "content"), "Draft")
    }))

  it.effect("runs of a deleted agent stay readable, and no new one begins", () =>
    Effect.gen(function*() {
      const server = yield* serve({ registry: yield* registryOf })
      yield* post(server, "/agents", { name: "Greeter", model, instructions: "First" })
      yield* answerOf(server, "/agents/greeter", { run_id: "r", session_id: "s" })
      yield* send(server, "DELETE", "/agents/greeter", undefined)
      notFound(yield* runOf(server, "/agents/greeter"), "Agent not found")
      const { json } = yield* get(server, "/agents/greeter/runs/r?session_id=s")
      assert.strictEqual(at(json, "content"), "First")
      notFound(yield* get(server, "/agents/other/runs/r?session_id=s"), "Agent not found")
    }))

  it.effect("a run is resumed after a restart with the version of its start, which is no longer current", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      let calls = 0
      const slow = Tool.make({
        name: "slow",
        effects: "read",
        // the process stops during the first call
        execute: () => ++calls === 1 ? Effect.andThen(Deferred.succeed(started, undefined), Effect.never) : "done"
      })
      const turn = (call: Script.Call) =>
        call.prompt.content.some(({ role }) => role === "tool") ? instructed(call) : [Script.toolCall("slow")]
      const scripted = yield* Script.make(Array.from({ length: 10 }, () => turn))
      const stores = yield* TestDatabase.make()
      const options: TestServer.Options = {
        registry: { models: [scripted.model], tools: [slow] },
        database: () => stores
      }
      const life = yield* Scope.make()
      const first = yield* Scope.provide(serve(options), life)
      yield* post(first, "/agents", { name: "Greeter", model, instructions: "First", tools: ["slow"] })
      yield* runOf(first, "/agents/greeter", { run_id: "r", session_id: "s", background: "true" })
      yield* Deferred.await(started)
      yield* send(first, "PATCH", "/agents/greeter", { instructions: "Second" })
      yield* send(first, "DELETE", "/agents/greeter", undefined)
      yield* Scope.close(life, Exit.void)
      const second = yield* TestServer.make(options)
      const { json } = yield* Effect.repeat(
        Effect.andThen(TestClock.adjust("1 second"), get(second, "/agents/greeter/runs/r?session_id=s")),
        { until: ({ json }) => at(json, "status") === "COMPLETED", times: 30 }
      )
      assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
      assert.strictEqual(at(json, "content"), "First")
      assert.strictEqual(calls, 2)
    }))
})

/** The leader calls the writer, and answers with what it got. */
const delegating = (call: Script.Call): ReadonlyArray<Script.Step> => {
  if (!call.tools.some(({ name }) => name === "delegate_task_to_member")) return instructed(call)
  const result = call.prompt.content.find(({ role }) => role === "tool")
  return result === undefined
    ? [Script.toolCall("delegate_task_to_member", { member_id: "writer", task: "Write" })]
    : [Script.text(JSON.stringify(result.content))]
}

const withTeams = Effect.map(
  Script.make(Array.from({ length: 100 }, () => delegating)),
  ({ model }): TestServer.Options => ({
    registry: { models: [model], functions: { shout: ({ input }) => `${input}!` } }
  })
)

const problemsOf = ({ json, status, text }: Answer) => {
  assert.strictEqual(status, 422, text)
  return list(json, "errors").map((problem) => `${list(problem, "loc").join(".")}: ${at(problem, "msg")}`)
}

describe("stored teams and workflows", () => {
  it.effect("a team runs with the linked versions of its members, and a workflow with the current ones", () =>
    Effect.gen(function*() {
      const server = yield* serve(yield* withTeams)
      yield* post(server, "/agents", { name: "Writer", model, instructions: "First" })
      const made = yield* post(server, "/teams", team({ model }))
      assert.strictEqual(made.status, 201, made.text)
      const steps = [{ name: "write", agent_id: "writer" }, { name: "shout", function: "shout" }]
      const flow = yield* post(server, "/workflows", { name: "Flow", steps })
      assert.strictEqual(flow.status, 201, flow.text)
      assert.include(yield* answerOf(server, "/teams/desk"), "First")
      assert.strictEqual(yield* answerOf(server, "/workflows/flow"), "First!")
      yield* send(server, "PATCH", "/agents/writer", { instructions: "Second" })
      assert.include(yield* answerOf(server, "/teams/desk"), "First")
      assert.strictEqual(yield* answerOf(server, "/workflows/flow"), "Second!")
      yield* send(server, "PATCH", "/teams/desk", { members: [{ type: "agent", agent_id: "writer" }] })
      assert.include(yield* answerOf(server, "/teams/desk"), "Second")
    }))

  it.effect("steps are nested in containers, which functions of the registry control", () =>
    Effect.gen(function*() {
      const server = yield* serve({
        registry: {
          functions: {
            add: ({ input }) => `${input}+`,
            isLong: ({ input }) => String(input).endsWith("+++"),
            second: () => "b"
          }
        }
      })
      const add = (name: string) => ({ type: "Step", name, function: "add" })
      const steps = [
        { type: "Loop", name: "loop", steps: [add("one")], max_iterations: 9, end_condition: "isLong" },
        { type: "Condition", name: "if", evaluator: "isLong", steps: [add("yes")], else_steps: [] },
        { type: "Router", name: "router", selector: "second", choices: [add("a"), add("b")] },
        { type: "Steps", name: "steps", steps: [add("last")] }
      ]
      const made = yield* post(server, "/workflows", { name: "Flow", steps })
      assert.strictEqual(made.status, 201, made.text)
      const run = yield* runOf(server, "/workflows/flow")
      assert.strictEqual(at(run.json, "status"), "COMPLETED", run.text)
      assert.strictEqual(String(at(run.json, "content")).replaceAll(/[^+]/g, ""), "++++++")
    }))

  it.effect("a config that names what is not there is refused when it is saved, with the path", () =>
    Effect.gen(function*() {
      const server = yield* serve(yield* withTeams)
      assert.deepStrictEqual(
        problemsOf(yield* post(server, "/agents", { name: "A", tools: ["gone"], num_history_runs: "two" })).map((
          text
        ) => text.split(":")[0]),
        ["body.num_history_runs"]
      )
      assert.deepStrictEqual(
        problemsOf(
          yield* post(server, "/components", {
            name: "A",
            component_type: "agent",
            config: { tools: ["gone"], model: { id: "x", provider: "unheard" } }
          })
        ).map((text) => text.split(". ")[0]),
        [
          "body.config.model: Unknown model provider 'unheard'",
          "body.config.tools.0: There is no tool 'gone' in the registry"
        ]
      )
      assert.deepStrictEqual(
        problemsOf(
          yield* post(server, "/workflows", {
            name: "F",
            steps: [{ type: "Parallel", name: "p", steps: [{ name: "s", agent_id: "gone" }] }, { name: "t" }]
          })
        ),
        ["body.steps.0.steps.0.agent_id: There is no agent 'gone' with a published version"]
      )
      notFound(yield* runOf(server, "/workflows/f"), "Workflow not found")
      assert.deepStrictEqual(
        problemsOf(
          yield* post(server, "/workflows", { name: "F", input_schema: { pattern: "(a+)+$" }, steps: [] })
        ).map((text) => text.split(":")[0]),
        ["body.input_schema.pattern"]
      )
    }))

  it.effect("a key that no config has is refused when it is saved, once, at every depth and with its path", () =>
    Effect.gen(function*() {
      const server = yield* serve(yield* withTeams)
      const refused = (path: string, body: object) =>
        Effect.map(post(server, path, body), (answer) => problemsOf(answer).map((text) => text.split(":")[0]))
      const agent = { name: "A", instruction: "Hi", memory: { updates: "off" }, metadata: { any: "key" } }
      assert.deepStrictEqual(yield* refused("/agents", agent), ["body.instruction", "body.memory.updates"])
      const draft = { component_type: "agent", name: "A", config: { model: { id: "x", name: "y" } } }
      assert.deepStrictEqual(yield* refused("/components", draft), ["body.config.model.name"])
      yield* post(server, "/agents", { name: "Writer" })
      const members = [{ type: "agent", agent_id: "writer", role: "x" }]
      assert.deepStrictEqual(yield* refused("/teams", team({ members })), ["body.members.0.role"])
      const depth = 40
      let steps: ReadonlyArray<object> = [{ name: "s", function: "shout", retry: 1 }]
      for (let level = 0; level < depth; level++) steps = [{ type: "Loop", name: "l", steps }]
      const path = ["body", ...Array.from({ length: depth + 1 }, () => "steps.0"), "retry"].join(".")
      assert.deepStrictEqual(yield* refused("/workflows", { name: "F", steps }), [path])
    }))

  it.effect("components that name each other in a circle are refused with the circle", () =>
    Effect.gen(function*() {
      const server = yield* serve(yield* withTeams)
      yield* post(server, "/workflows", { name: "A", steps: [{ name: "shout", function: "shout" }] })
      yield* post(server, "/workflows", { name: "B", steps: [{ name: "a", workflow_id: "a" }] })
      const steps = [{ name: "b", workflow_id: "b" }]
      const [problem] = problemsOf(yield* send(server, "PATCH", "/workflows/a", { steps }))
      assert.include(problem, "in a circle: workflow 'a' → workflow 'b' → workflow 'a'")
      // the refused change is not stored
      assert.strictEqual(yield* answerOf(server, "/workflows/b"), "Hi!")
    }))

  it.effect("nested workflows that would execute more than 1,000 components are refused", () =>
    Effect.gen(function*() {
      const server = yield* serve(yield* withTeams)
      yield* post(server, "/workflows", { name: "W0", steps: [{ name: "shout", function: "shout" }] })
      const statuses: Array<number> = []
      for (let level = 1; level <= 9; level++) {
        const steps = ["a", "b"].map((name) => ({ name, workflow_id: `w${level - 1}` }))
        const made = yield* post(server, "/workflows", { name: `W${level}`, steps })
        statuses.push(made.status)
        if (level === 9) assert.include(made.text, "A run would execute more than 1000 components")
      }
      assert.deepStrictEqual(statuses, [201, 201, 201, 201, 201, 201, 201, 201, 422])
    }))
})
