// The limits of the runs of a user, of a component and of the service, on each way that starts a run.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as A2a from "../a2a/Requests.ts"
import * as Mcp from "../mcp/Mcp.ts"
import { always, ask, at, failed, get, list, post, run, runWhole, serve } from "../Wire.ts"
import { connect, error, serve as listen, start } from "../ws/SocketService.ts"
import { plain } from "./Fixtures.ts"

Tier.oneIn(3)

const agentWith = (options: Partial<Agent.Options> = {}) =>
  Effect.map(
    always(...Array.from({ length: 20 }, () => Script.text("Hello"))),
    ({ model }) => Agent.make({ id: "agent", model, ...options })
  )

const perMinute = { user: { runsPerMinute: 2 } }
const refusal = "This user has started 2 of 2 runs within a minute. Try again in 60 seconds."

describe("a run beyond a limit", () => {
  it.effect("the run is refused with 429, with the limit, what was used, and when to try again, and nothing is stored", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [yield* agentWith()], startLimits: perMinute })
      const fields = { message: "hi", user_id: "ada" }
      for (let count = 0; count < 2; count++) assert.strictEqual((yield* runWhole(server, "agent", fields)).status, 200)
      for (const mode of [{ stream: "true" }, { stream: "false" }, { background: "true", stream: "false" }]) {
        const answer = yield* run(server, "agent", { ...fields, ...mode, session_id: "refused" })
        failed(answer, 429, "TOO_MANY_REQUESTS", refusal)
        assert.strictEqual(answer.headers.get("retry-after"), "60")
      }
      assert.strictEqual((yield* get(server, "/sessions/refused")).status, 404)
      assert.strictEqual((yield* runWhole(server, "agent", { ...fields, user_id: "bob" })).status, 200)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* runWhole(server, "agent", fields)).status, 200)
    }))

  it.effect("the limits of a component replace the settings for components, one by one", () =>
    Effect.gen(function*() {
      const agents = [yield* agentWith({ limits: { runsPerMinute: 1 } }), yield* agentWith({ id: "other" })]
      const team = Team.make({ id: "agent", members: agents, model: "fixed", limits: { runsPerMinute: 1 } })
      const startLimits = { component: { runsPerMinute: 2, runsAtOnce: 1 } }
      const server = yield* serve({ agents, teams: [team], startLimits })
      assert.strictEqual((yield* runWhole(server, "agent", { message: "hi" })).status, 200)
      assert.include(
        (yield* runWhole(server, "agent", { message: "hi" })).text,
        "This component has started 1 of 1 runs"
      )
      for (let count = 0; count < 2; count++) {
        assert.strictEqual((yield* runWhole(server, "other", { message: "hi" })).status, 200)
      }
      assert.include(
        (yield* runWhole(server, "other", { message: "hi" })).text,
        "This component has started 2 of 2 runs"
      )
      const ofTeam = () =>
        ask(server, "/teams/agent/runs", {
          method: "POST",
          body: new URLSearchParams({ message: "hi", stream: "false" })
        })
      assert.strictEqual((yield* ofTeam()).status, 200)
      assert.include((yield* ofTeam()).text, "This component has started 1 of 1 runs")
    }))

  it.effect("a user who has used the tokens of a day is refused until midnight in UTC", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello"), Script.usage({ input: 70, output: 40 }))
      const agents = [Agent.make({ id: "agent", model })]
      const server = yield* serve({ agents, startLimits: { user: { tokensPerDay: 100 } } })
      assert.strictEqual((yield* runWhole(server, "agent", { message: "hi" })).status, 200)
      const answer = yield* runWhole(server, "agent", { message: "hi" })
      const seconds = 86_400 - 1 * 3600 - 10 * 60 - 13
      const detail = `This user has used 110 of 100 tokens today (UTC). Try again in ${seconds} seconds.`
      failed(answer, 429, "TOO_MANY_REQUESTS", detail)
      assert.strictEqual(answer.headers.get("retry-after"), String(seconds))
    }))

  it.effect("a run continues within the limits only, and stays paused when it is refused", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.toolCall("send", { id: "c" }))
      const tool = Tool.make({ name: "send", externalExecution: true })
      const agents = [Agent.make({ id: "agent", model, tools: [tool] })]
      const server = yield* serve({ agents, startLimits: { service: { runsPerMinute: 1 } } })
      const paused = yield* runWhole(server, "agent", { message: "hi", session_id: "s" })
      const [waiting] = list(paused.json, "tools")
      const path = `/agents/agent/runs/${String(at(paused.json, "run_id"))}`
      const tools = JSON.stringify([{ tool_call_id: at(waiting, "tool_call_id"), result: "Sent" }])
      const body = new URLSearchParams({ session_id: "s", stream: "false", tools })
      const answer = yield* ask(server, `${path}/continue`, { method: "POST", body })
      failed(
        answer,
        429,
        "TOO_MANY_REQUESTS",
        "The service has started 1 of 1 runs within a minute. Try again in 60 seconds."
      )
      assert.strictEqual(at((yield* get(server, `${path}?session_id=s`)).json, "status"), "PAUSED")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* ask(server, `${path}/continue`, { method: "POST", body })).status, 200)
    }))

  it.effect("the run is refused over other protocols with their errors, which have the same text", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const server = yield* serve({ agents: [agent], startLimits: { service: { runsPerMinute: 1 } } })
      assert.strictEqual((yield* runWhole(server, "plain", { message: "hi" })).status, 200)
      const text = "The service has started 1 of 1 runs within a minute. Try again in 60 seconds."
      const user = { id: "m1", role: "user", parts: [{ type: "text", text: "hi" }] }
      const answers = [
        yield* post(server, "/v1/chat/completions", { model: "plain", messages: [{ role: "user", content: "hi" }] }),
        yield* post(server, "/v1/responses", { model: "plain", input: "hi" }),
        yield* post(server, "/agents/plain/chat", { id: "c", messages: [user], trigger: "submit-message" }),
        yield* post(server, "/agents/plain/agui", {
          threadId: "t",
          runId: "r",
          state: {},
          messages: [{ id: "m", role: "user", content: "hi" }],
          tools: [],
          context: [],
          forwardedProps: {}
        })
      ]
      for (const answer of answers) {
        assert.strictEqual(answer.status, 429, answer.text)
        assert.include(answer.text, text)
        assert.strictEqual(answer.headers.get("retry-after"), "60")
      }
      const task = yield* A2a.rpc(server, "SendMessage", A2a.message())
      assert.strictEqual(A2a.codeOf(task), -32603, task.text)
      assert.include(task.text, text)
      const called = yield* Mcp.call(yield* Mcp.open(server), "run_agent", { agent_id: "plain", message: "hi" })
      assert.include(JSON.stringify(called), text)
    }))

  it.effect("the refusal is an error of the message over a socket, which stays open", () =>
    Effect.gen(function*() {
      const { url } = yield* listen({ startLimits: { service: { runsPerMinute: 1 } } })
      assert.strictEqual(
        (yield* Effect.promise(() =>
          fetch(`${url}/workflows/plain/runs`, {
            method: "POST",
            body: new URLSearchParams({ message: "go", stream: "false" })
          })
        )).status,
        200
      )
      const client = yield* connect(url)
      const text = "The service has started 1 of 1 runs within a minute. Try again in 60 seconds."
      assert.deepStrictEqual(yield* client.ask(start), error(text))
      assert.deepStrictEqual(yield* client.ask({ action: "ping" }), { event: "pong" })
    }))

  it.effect("refused runs are counted by the limit that refused them", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [yield* agentWith()], startLimits: perMinute })
      for (let count = 0; count < 4; count++) yield* runWhole(server, "agent", { message: "hi" })
      const { text } = yield* get(server, "/metrics/prometheus")
      assert.match(text, /^svc_runs_refused_total\{scope="user",limit="runsPerMinute"\} 2$/m)
    }))
})

describe("a limit that cannot be used", () => {
  it("a limit that cannot be used is refused when the component is made", () => {
    assert.throws(
      () => Agent.make({ id: "a", limits: { runsAtOnce: 0 } }),
      "Agent 'a': limits.runsAtOnce must be a whole number of at least 1, not 0"
    )
    assert.throws(
      () => Agent.make({ id: "a", limits: { tokensPerDay: 1.5 } }),
      "Agent 'a': limits.tokensPerDay must be a whole number of at least 1, not 1.5"
    )
  })
})
