// A run that sleeps, on each wire: clients see until when, the run continues by itself, and its end is seen there too.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { sleep } from "../../src/toolkit/sleep.ts"
import * as Mcp from "../mcp/Mcp.ts"
import { ask, at, list, post, serve } from "../Wire.ts"
import { passing } from "../wire/ScheduleTime.ts"
import * as PausedWires from "./PausedWires.ts"

const sleeping = Effect.gen(function*() {
  const nap = Script.toolCall("sleep", { seconds: 60 }, "nap")
  const script = yield* Script.make([[nap], [Script.text("Good morning.")]])
  const agent = Agent.make({ id: "sleeper", model: script.model, tools: [sleep()] })
  const server = yield* serve({ agents: [agent] })
  return { kind: "agents", id: "sleeper", payload: "", result: "", server, session: "s" } as const
})

const until = "2026-11-21T01:11:13.000Z"

/** Time passes until the run has ended. */
const awake = Effect.fnUntraced(function*(target: PausedWires.Target) {
  for (;;) {
    const run = yield* passing(PausedWires.runOf(target))
    if (at(run, "status") === "COMPLETED") return run
    assert.notStrictEqual(at(run, "status"), "ERROR")
    yield* TestClock.adjust("1 second")
  }
})

const rpc = (server: TestServer.TestServer, method: string, params: object) =>
  ask(server, "/a2a/agents/sleeper", {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })

Tier.oneIn(4)

describe("a run that sleeps", () => {
  for (const wire of PausedWires.wires) {
    it.effect(`the run is paused on ${wire.name}, and continues without an answer`, () =>
      Effect.gen(function*() {
        const target = yield* sleeping
        yield* wire.pause(target)
        assert.strictEqual(at(yield* PausedWires.runOf(target), "status"), "PAUSED")
        assert.strictEqual(at(yield* awake(target), "content"), "Good morning.")
      }))
  }

  it.effect("a task of A2A needs input and says until when it sleeps, and is completed later", () =>
    Effect.gen(function*() {
      const target = yield* sleeping
      const message = { messageId: "m", role: "ROLE_USER", contextId: "s", parts: [{ text: "go" }] }
      const sent = yield* rpc(target.server, "SendMessage", { message })
      const task = at(sent.json, "result", "task")
      assert.strictEqual(at(task, "status", "state"), "TASK_STATE_INPUT_REQUIRED")
      assert.include(JSON.stringify(at(task, "status", "message")), `sleep ends at ${until}. A result ends it before.`)
      yield* awake(target)
      const { json } = yield* rpc(target.server, "GetTask", { id: at(task, "id") })
      assert.strictEqual(at(json, "result", "status", "state"), "TASK_STATE_COMPLETED")
      assert.include(JSON.stringify(at(json, "result", "artifacts")), "Good morning.")
    }))

  it.effect("a client of AG-UI gets an interrupt that says until when, and a later connection the end", () =>
    Effect.gen(function*() {
      const target = yield* sleeping
      const input = { threadId: "s", runId: "one", protocolVersion: "1.0" }
      const messages = [{ id: "m", role: "user", content: "go" }]
      const paused = yield* post(target.server, "/agents/sleeper/agui", { ...input, messages })
      assert.include(paused.text, `sleep ends at ${until}. A result ends it before.`)
      yield* awake(target)
      const path = "/copilotkit/agent/agents%2Fsleeper/connect"
      const again = yield* post(target.server, path, { ...input, runId: "two", messages: [] })
      assert.include(again.text, "Good morning.")
      assert.notInclude(again.text, "interrupts")
    }))

  it.effect("a client of MCP gets the paused run with its time, and the end by get_session_runs", () =>
    Effect.gen(function*() {
      const target = yield* sleeping
      const session = yield* Mcp.open(target.server)
      const paused = yield* Mcp.call(session, "run_agent", { agent_id: "sleeper", message: "go", session_id: "s" })
      assert.strictEqual(at(paused, "structuredContent", "status"), "PAUSED")
      const [requirement] = list(paused, "structuredContent", "requirements")
      assert.strictEqual(at(requirement, "tool_execution", "wake_at"), Date.parse(until) / 1000)
      yield* awake(target)
      const ended = yield* Mcp.call(session, "get_session_runs", { session_id: "s" })
      assert.include(JSON.stringify(ended), "Good morning.")
    }))
})
