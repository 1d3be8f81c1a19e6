// Runs that wait for a time: they are paused until then, and are resumed then, once.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import { FactoryPermissionError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import type { StepInput } from "@svc-runtime/agents/workflow/define/StepInput"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { sleep } from "../../src/toolkit/sleep.ts"
import { ask, at, type Fields, frames, get, list, second, serve, undecided } from "../Wire.ts"
import { passing } from "./ScheduleTime.ts"

Tier.oneIn(6)

const sleeper = Effect.fnUntraced(function*(...first: ReadonlyArray<Script.Step>) {
  const script = yield* Script.make([first, [text("Good morning.")]])
  const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
  return Agent.make({ id: "sleeper", model: script.model, tools: [sleep(), pay] })
})

const waited = "Waited until 2026-11-21T01:11:13.000Z"

const nap = toolCall("sleep", { seconds: 60 }, "nap")

/** Calls the sleeper by a tool call. */
const calling = (name: string, input: object) =>
  Effect.map(Script.make([[toolCall(name, input)], [text("It slept.")]]), ({ model }) => model)

const kinds = {
  "an agent": Effect.map(sleeper(nap), (agent) => ({ path: "/agents/sleeper/runs", parts: { agents: [agent] } })),
  "a member of a team": Effect.gen(function*() {
    const model = yield* calling("delegate_task_to_member", { member_id: "sleeper", task: "sleep" })
    const team = Team.make({ id: "desk", members: [yield* sleeper(nap)], model })
    return { path: "/teams/desk/runs", parts: { teams: [team] } }
  }),
  "a component that is a tool": Effect.gen(function*() {
    const tools = [ComponentTool.make({ component: yield* sleeper(nap) })]
    const host = Agent.make({ id: "host", model: yield* calling("sleeper", { task: "sleep" }), tools })
    return { path: "/agents/host/runs", parts: { agents: [host] } }
  }),
  "the function of a tool": Effect.gen(function*() {
    const tool = Tool.make({
      name: "nap",
      execute: async (_, { sleep: wait }) => {
        await wait("60 seconds")
        return waited
      }
    })
    const script = yield* Script.make([[toolCall("nap", {})], [text("Good morning.")]])
    const agent = Agent.make({ id: "napper", model: script.model, tools: [tool] })
    return { path: "/agents/napper/runs", parts: { agents: [agent] } }
  }),
  "the function of a step": Effect.sync(() => {
    const run = async ({ sleep: wait }: StepInput) => {
      await wait("60 seconds")
      return waited
    }
    return { path: "/workflows/flow/runs", parts: { workflows: [Workflow.make({ id: "flow", steps: [run] })] } }
  }),
  "a step of a workflow": Effect.gen(function*() {
    const flow = Workflow.make({ id: "flow", steps: [yield* sleeper(nap)] })
    return { path: "/workflows/flow/runs", parts: { workflows: [flow] } }
  }),
  "a tool of a step": Effect.gen(function*() {
    const tools = [ComponentTool.make({ component: yield* sleeper(nap) })]
    const host = Agent.make({ id: "host", model: yield* calling("sleeper", { task: "sleep" }), tools })
    return { path: "/workflows/flow/runs", parts: { workflows: [Workflow.make({ id: "flow", steps: [host] })] } }
  })
}

const send = (server: TestServer.TestServer, path: string, fields: Fields) =>
  ask(server, path, { method: "POST", body: new URLSearchParams({ session_id: "s", stream: "false", ...fields }) })

const start = (server: TestServer.TestServer, path: string, fields: Fields = {}) =>
  send(server, path, { message: "go", run_id: "r", ...fields })

const find = (server: TestServer.TestServer, path: string) =>
  Effect.map(get(server, `${path}/r?session_id=s`), ({ json }) => json)

/** Time passes until the run is no longer paused. */
const awake = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string) {
  for (;;) {
    const run = yield* passing(find(server, path))
    if (at(run, "status") !== "PAUSED" && at(run, "status") !== "RUNNING") return run
    yield* TestClock.adjust("1 second")
  }
})

describe.each(Object.keys(kinds) as ReadonlyArray<keyof typeof kinds>)("%s that sleeps", (kind) => {
  it.effect("the run is paused until the time has come, and then continues without a request", () =>
    Effect.gen(function*() {
      const { parts, path } = yield* kinds[kind]
      const server = yield* serve(parts)
      const { json } = yield* start(server, path)
      assert.strictEqual(at(json, "status"), "PAUSED", JSON.stringify(json))
      yield* TestClock.adjust("55 seconds")
      assert.strictEqual(at(yield* passing(find(server, path)), "status"), "PAUSED")
      const ended = yield* awake(server, path)
      assert.strictEqual(at(ended, "status"), "COMPLETED", JSON.stringify(ended))
      const { text } = yield* get(server, "/sessions/s/runs")
      assert.include(text, waited)
    }))
})

describe("an agent that sleeps", () => {
  const path = "/agents/sleeper/runs"
  const serving = (...first: ReadonlyArray<Script.Step>) =>
    Effect.flatMap(sleeper(...first), (agent) => serve({ agents: [agent] }))

  it.effect("the pause shows when it ends, and watchers see the call answered when the run continues", () =>
    Effect.gen(function*() {
      const server = yield* serving(nap)
      const paused = frames((yield* start(server, path, { stream: "true" })).text)
      assert.strictEqual(paused.at(-1)?.kind, "RunPaused")
      assert.strictEqual(
        at(paused.at(-1)?.data, "content"),
        "The run waits: sleep ends at 2026-11-21T01:11:13.000Z."
      )
      const call = at(paused.at(-1)?.data, "requirements", 0, "tool_execution")
      assert.deepInclude(call as object, { tool_call_id: "nap", wake_at: second + 60, result: null })
      yield* TestClock.adjust("1 minute")
      yield* awake(server, path)
      const events = frames((yield* get(server, `${path}/r/events?session_id=s`)).text).slice(paused.length)
      assert.strictEqual(events[0]?.kind, "RunContinued")
      assert.deepInclude(at(events[0]?.data, "tools", 0) as object, { tool_call_id: "nap", tool_call_error: false })
      assert.strictEqual(events.at(-1)?.kind, "RunCompleted")
    }))

  it.effect("cancelling ends the run at once, and it is not resumed later", () =>
    Effect.gen(function*() {
      const server = yield* serving(nap)
      yield* start(server, path)
      assert.strictEqual((yield* ask(server, `${path}/r/cancel`, { method: "POST" })).status, 200)
      assert.strictEqual(at(yield* find(server, path), "status"), "CANCELLED")
      yield* passing(TestClock.adjust("2 minutes"))
      yield* passing(find(server, path))
      assert.strictEqual(at(yield* find(server, path), "status"), "CANCELLED")
    }))

  it.effect("a factory that refuses to build the agent again is called once, and the run stays paused", () =>
    Effect.gen(function*() {
      const agent = yield* sleeper(nap)
      let calls = 0
      const factory = AgentFactory.make({
        id: "sleeper",
        build: () => {
          if (calls++ > 0) throw new FactoryPermissionError({ message: "Not again" })
          return agent
        }
      })
      const server = yield* serve({ agents: [factory] })
      yield* start(server, path)
      for (let minute = 0; minute < 3; minute++) yield* passing(TestClock.adjust("1 minute"))
      assert.strictEqual(at(yield* passing(find(server, path)), "status"), "PAUSED")
      assert.strictEqual(calls, 2)
    }))

  it.effect("a person wakes it with a result, and the time that comes later changes nothing", () =>
    Effect.gen(function*() {
      const server = yield* serving(nap)
      yield* start(server, path)
      undecided(yield* send(server, `${path}/r/continue`, { tools: JSON.stringify([{ tool_call_id: "nap" }]) }))
      const tools = JSON.stringify([{ tool_call_id: "nap", result: "Get up" }])
      const { json } = yield* send(server, `${path}/r/continue`, { tools })
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.strictEqual(at(json, "tools", 0, "result"), "Get up")
      yield* passing(TestClock.adjust("2 minutes"))
      assert.deepStrictEqual(yield* find(server, path), yield* find(server, path))
      assert.strictEqual(at(yield* find(server, path), "status"), "COMPLETED")
    }))

  it.effect("a run that also waits for a person continues with the decision of the person after the time", () =>
    Effect.gen(function*() {
      const server = yield* serving(nap, toolCall("pay", {}, "pay"))
      yield* start(server, path)
      const tools = JSON.stringify([{ tool_call_id: "pay", confirmed: true }])
      undecided(yield* send(server, `${path}/r/continue`, { tools }))
      yield* passing(TestClock.adjust("2 minutes"))
      assert.strictEqual(at(yield* passing(find(server, path)), "status"), "PAUSED")
      const { json } = yield* send(server, `${path}/r/continue`, { tools })
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.deepStrictEqual(
        list(json, "tools").map((tool) => at(tool, "result")),
        ["Waited until 2026-11-21T01:11:13.000Z", "paid"]
      )
    }))

  it.effect.each([
    [{}, /^Give either seconds or until$/],
    [{ seconds: 5, until: "2027-01-01T00:00:00Z" }, /^Give either seconds or until$/],
    [{ seconds: 0 }, /^seconds must be at least 1$/],
    [{ seconds: 1.5 }, /^Invalid arguments: seconds/],
    [{ seconds: 8 * 24 * 3600 }, /^The longest wait is 7d/],
    [{ until: "2026-11-21T01:00:00Z" }, /^The time is past: it is 2026-11-21T01:10:13.000Z$/],
    [{ until: "2026-11-21T12:00:00" }, /^until must be a time of ISO 8601 with its offset from UTC$/],
    [{ until: "tomorrow+01:00" }, /^until must be a time/]
  ] as ReadonlyArray<[object, RegExp]>)(
    "the call %j is answered with an error at once",
    ([input, error]) =>
      Effect.gen(function*() {
        const server = yield* serving(toolCall("sleep", input))
        const { json } = yield* start(server, path)
        assert.strictEqual(at(json, "status"), "COMPLETED")
        assert.match(String(at(json, "tools", 0, "result")), error)
      })
  )

  it.effect("a time with an offset from UTC is that moment", () =>
    Effect.gen(function*() {
      const server = yield* serving(toolCall("sleep", { until: "2026-11-21T02:11:13+01:00" }))
      const { json } = yield* start(server, path)
      assert.strictEqual(at(json, "requirements", 0, "tool_execution", "wake_at"), second + 60)
    }))
})

describe("a run that wakes when its user is at a limit", () => {
  it.effect("the run waits for room without a warning, and then continues", () =>
    Effect.gen(function*() {
      const hanging = yield* Script.make([[Script.hang]])
      const agents = [yield* sleeper(nap), Agent.make({ id: "hanging", model: hanging.model })]
      const server = yield* serve({ agents, startLimits: { user: { runsAtOnce: 1 } } })
      assert.strictEqual(at((yield* start(server, "/agents/sleeper/runs")).json, "status"), "PAUSED")
      const other = { session_id: "other", run_id: "other", background: "true" }
      assert.strictEqual((yield* start(server, "/agents/hanging/runs", other)).status, 202)
      for (let count = 0; count < 200; count++) yield* passing(TestClock.adjust("1 second"))
      assert.strictEqual(at(yield* find(server, "/agents/sleeper/runs/"), "status"), "PAUSED")
      assert.deepStrictEqual(server.logs.filter(({ level }) => /warn|error/i.test(String(level))), [])
      yield* send(server, "/agents/hanging/runs/other/cancel?session_id=other", {})
      const run = yield* awake(server, "/agents/sleeper/runs/")
      assert.strictEqual(at(run, "status"), "COMPLETED")
    }))
})
