// Checkpoints of runs and copies of sessions over HTTP.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import {
  ask,
  at,
  badRequest,
  column,
  get,
  hasKeys,
  invalid,
  list,
  notFound,
  post,
  runWhole,
  serve,
  uuid
} from "../Wire.ts"
import { assistant, lookup, plain } from "./Fixtures.ts"

Tier.oneIn(6)

const started = Effect.gen(function*() {
  const server = yield* serve({ agents: [(yield* assistant).agent, (yield* plain).agent] })
  yield* runWhole(server, "assistant", { message: "What is tea?", session_id: "s", run_id: "r", user_id: "ann" })
  return server
})

const path = "/agents/assistant/runs/r/checkpoints"

describe("GET /agents/{id}/runs/{run_id}/checkpoints", () => {
  it.effect("the list has the places from which the run can be forked", () =>
    Effect.gen(function*() {
      const server = yield* started
      const { json, status } = yield* get(server, `${path}?session_id=s`)
      assert.strictEqual(status, 200)
      hasKeys(json, "run_id", "session_id", "checkpoints")
      const [end] = at(json, "checkpoints") as ReadonlyArray<Record<string, unknown>>
      const { created_at, message_id, ...rest } = end!
      assert.match(String(message_id), uuid)
      assert.isNumber(created_at)
      assert.deepStrictEqual(rest, {
        checkpoint_id: "1",
        run_id: "r",
        session_id: "s",
        message_index: 5,
        continue_from: 5,
        status: "COMPLETED",
        reason: "end",
        message_role: "assistant",
        message_preview: "Tea is a leaf.",
        is_latest: true
      })
    }))

  it.effect("a checkpoint shows the run as it was at a message, without separating a call from its answer", () =>
    Effect.gen(function*() {
      const server = yield* started
      const { json, status } = yield* get(server, `${path}/3?session_id=s`)
      assert.strictEqual(status, 200)
      hasKeys(json, "checkpoint", "snapshot")
      assert.deepInclude(at(json, "checkpoint"), { message_index: 2, reason: "snapshot", checkpoint_id: null })
      assert.deepStrictEqual(column(at(json, "snapshot", "messages"), "role"), ["system", "user"])
      assert.deepStrictEqual(at(json, "snapshot", "tools"), [])
      assert.strictEqual(at(json, "snapshot", "last_checkpoint_at_message_index"), 2)
      const whole = yield* get(server, `${path}/5?session_id=s`)
      assert.strictEqual(at(whole.json, "checkpoint", "checkpoint_id"), "1")
    }))

  it.effect("an unknown place of a run is refused", () =>
    Effect.gen(function*() {
      const server = yield* started
      for (const index of [-1, 6]) {
        badRequest(yield* get(server, `${path}/${index}?session_id=s`), "message_index must be between 0 and 5")
      }
      invalid(yield* get(server, `${path}/two?session_id=s`), [["path", "message_index"], "int_parsing"])
      invalid(yield* get(server, path), [["query", "session_id"], "missing"])
    }))

  it.effect("a run of another session or agent is not found", () =>
    Effect.gen(function*() {
      const server = yield* started
      for (const suffix of ["", "/0"]) {
        notFound(yield* get(server, `${path}${suffix}?session_id=other`), "Run not found")
        notFound(yield* get(server, `/agents/plain/runs/r/checkpoints${suffix}?session_id=s`), "Run not found")
        notFound(yield* get(server, `/agents/unknown/runs/r/checkpoints${suffix}?session_id=s`), "Agent not found")
      }
    }))
})

describe("an agent with checkpoints after each batch of tool results", () => {
  it.effect("a checkpoint shows the conversation of an executing run, and stays when the run has ended", () =>
    Effect.gen(function*() {
      const [requested, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const calls = [
        Script.toolCall("lookup", { query: "tea" }, "a"),
        Script.toolCall("lookup", { query: "milk" }, "b")
      ]
      const script = yield* Script.make([
        calls,
        [Script.wait(Deferred.succeed(requested, undefined)), Script.wait(gate), Script.text("Done.")]
      ])
      const agent = Agent.make({ id: "agent", model: script.model, tools: [lookup], checkpoint: "tool-batch" })
      const server = yield* serve({ agents: [agent] })
      const running = yield* Effect.forkChild(runWhole(server, "agent", { message: "?", session_id: "s", run_id: "r" }))
      yield* Deferred.await(requested)
      const path = "/agents/agent/runs/r"
      const { json } = yield* get(server, `${path}?session_id=s`)
      assert.strictEqual(at(json, "status"), "RUNNING")
      assert.deepStrictEqual(column(at(json, "messages"), "role"), ["user", "assistant", "tool", "tool"])
      assert.deepStrictEqual(column(at(json, "messages"), "checkpoint_status"), [
        undefined,
        undefined,
        undefined,
        "RUNNING"
      ])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(running)
      const ended = yield* get(server, `${path}/checkpoints?session_id=s`)
      const places = list(ended.json, "checkpoints").map((each) => [at(each, "message_index"), at(each, "status")])
      assert.deepStrictEqual(places, [[4, "RUNNING"], [5, "COMPLETED"]])
    }))

  it.effect("a checkpoint shows no call without its answer", () =>
    Effect.gen(function*() {
      const called = yield* Deferred.make<void>()
      const slow = Tool.make({
        name: "slow",
        execute: () => Effect.andThen(Deferred.succeed(called, undefined), Effect.never)
      })
      const script = yield* Script.make([[Script.toolCall("slow", {}, "a")]])
      const agent = Agent.make({ id: "agent", model: script.model, tools: [slow], checkpoint: "tool-batch" })
      const server = yield* serve({ agents: [agent] })
      yield* runWhole(server, "agent", { message: "?", session_id: "s", run_id: "r", background: "true" })
      yield* Deferred.await(called)
      const { json } = yield* get(server, "/agents/agent/runs/r?session_id=s")
      assert.deepStrictEqual(column(at(json, "messages"), "role"), ["user"])
      yield* server.fetch("/agents/agent/runs/r/cancel", { method: "POST" })
    }))
})

const fork = (path: string) => ({ path: `/agents/${path}/fork`, init: { method: "POST" } })

describe("POST /agents/{id}/sessions/{session_id}/fork", () => {
  it.effect("a fork copies the session with its runs", () =>
    Effect.gen(function*() {
      const server = yield* started
      const { init, path } = fork("assistant/sessions/s")
      const { json, status } = yield* ask(server, path, init)
      assert.strictEqual(status, 200)
      hasKeys(json, "session_id", "forked_from_session_id")
      const id = String(at(json, "session_id"))
      assert.match(id, uuid)
      assert.strictEqual(at(json, "forked_from_session_id"), "s")
      const runs = yield* get(server, `/agents/assistant/runs?session_id=${id}`)
      assert.notInclude(column(runs.json, "run_id"), "r")
      assert.deepStrictEqual(column(runs.json, "content"), ["Tea is a leaf."])
      assert.deepStrictEqual(column(runs.json, "forked_from_session_id"), ["s"])
      const session = yield* get(server, `/sessions/${id}`)
      assert.strictEqual(at(session.json, "user_id"), "ann")
      const roles = ["system", "user", "assistant", "tool", "assistant"]
      assert.deepStrictEqual(column(at(session.json, "chat_history"), "role"), roles)
    }))

  it.effect("a session that is empty, of another user or agent, or unknown is not copied", () =>
    Effect.gen(function*() {
      const server = yield* started
      yield* post(server, "/sessions?type=agent", { session_id: "empty", agent_id: "assistant" })
      const empty = fork("assistant/sessions/empty")
      badRequest(yield* ask(server, empty.path, empty.init), "Source session has no runs to fork.")
      for (const source of ["assistant/sessions/none", "plain/sessions/s"]) {
        const { init, path } = fork(source)
        const id = source.slice(source.lastIndexOf("/") + 1)
        notFound(yield* ask(server, path, init), `Session with id '${id}' not found`)
      }
      const { init, path } = fork("assistant/sessions/s")
      notFound(yield* ask(server, `${path}?user_id=bob`, init), "Session with id 's' not found")
      assert.strictEqual((yield* ask(server, `${path}?user_id=ann`, init)).status, 200)
      notFound(yield* ask(server, "/agents/unknown/sessions/s/fork", init), "Agent not found")
    }))
})
