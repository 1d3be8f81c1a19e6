// How much a node executes at once, and how large the results of tools may be.
import { assert, describe, it } from "@effect/vitest"
import type * as Hook from "@svc-runtime/agents/agent/define/Hook"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type { TestServer } from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { call, open } from "../mcp/Mcp.ts"
import { always, ask, at, failed, get, list, run, runWhole, serve } from "../Wire.ts"

Tier.oneIn(4)

/** An agent whose first run is stuck until it is let go, on a node with a limit. */
const stuck = Effect.fnUntraced(function*(admission: { readonly runs?: number; readonly inputBytes?: number }) {
  const [requested, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const script = yield* Script.make([
    [Script.wait(Deferred.succeed(requested, undefined)), Script.wait(gate), Script.text("one")],
    ...Array.from({ length: 9 }, () => [Script.text("later")])
  ])
  const server = yield* serve({ agents: [Agent.make({ id: "agent", model: script.model })], admission })
  const first = yield* Effect.forkChild(runWhole(server, "agent", { session_id: "s", message: "x".repeat(1000) }))
  yield* Deferred.await(requested)
  return { server, first, letGo: Deferred.succeed(gate, undefined) }
})

const refusal = "Too many runs are executed at once (MAX_RUNS, MAX_RUN_INPUT_BYTES). Try again shortly."

describe("a run beyond what a node executes at once", () => {
  it.effect.each([["by number", { runs: 1 }], ["by the bytes of inputs", { inputBytes: 1500 }]] as const)(
    "a run is refused %s with 429 and Retry-After, nothing is stored, and it is accepted when there is room",
    ([, admission]) =>
      Effect.gen(function*() {
        const { first, letGo, server } = yield* stuck(admission)
        const fields = { session_id: "other", message: "y".repeat(1000) }
        const answer = yield* run(server, "agent", fields)
        failed(answer, 429, "TOO_MANY_REQUESTS", refusal)
        assert.strictEqual(answer.headers.get("retry-after"), "1")
        assert.strictEqual((yield* get(server, "/sessions/other")).status, 404)
        yield* letGo
        yield* Fiber.join(first)
        assert.strictEqual((yield* runWhole(server, "agent", fields)).status, 200)
      })
  )

  it.effect("a refused run is an error of the tool over MCP", () =>
    Effect.gen(function*() {
      const { server } = yield* stuck({ runs: 1 })
      const answer = yield* call(yield* open(server), "run_agent", { agent_id: "agent", message: "hi" })
      assert.include(JSON.stringify(answer), "MAX_RUNS")
    }))
})

const large = "ü".repeat(1000)

const form = (server: TestServer, path: string, fields: Readonly<Record<string, string>>) =>
  ask(server, path, { method: "POST", body: new URLSearchParams(fields) })

/** The state that a run leaves in its session. */
const stateOf = (server: TestServer, session: string) =>
  Effect.map(get(server, `/sessions/${session}`), ({ json }) => at(json, "session_state"))

describe("the result of a tool", () => {
  it.effect("a result that is too large in bytes is cut, and says so to the model, in events and in the stored run", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.toolCall("read")], [Script.text("Seen.")]])
      const tool = Tool.make({ name: "read", execute: () => `x${"ü".repeat(2_000_000)}` })
      const server = yield* serve({ agents: [Agent.make({ id: "agent", model: script.model, tools: [tool] })] })
      const answer = yield* runWhole(server, "agent", { message: "hi" })
      const [stored] = list(answer.json, "tools")
      const [kept, note] = String(at(stored, "result")).split("\n")
      assert.strictEqual(kept, `x${"ü".repeat(524_287)}`)
      assert.strictEqual(note, "[The result was cut after 1048576 of 4000001 bytes (TOOL_RESULT_MAX_BYTES)]")
    }))

  it.effect("a result of a person is cut in the same way", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.toolCall("read", { id: "c" })], [Script.text("Seen.")]])
      const tool = Tool.make({ name: "read", externalExecution: true })
      const agents = [Agent.make({ id: "agent", model: script.model, tools: [tool] })]
      const server = yield* serve({ agents, byteLimits: { toolResult: 100 } })
      const paused = yield* runWhole(server, "agent", { message: "hi", session_id: "s" })
      const [waiting] = list(paused.json, "tools")
      const tools = JSON.stringify([{ tool_call_id: at(waiting, "tool_call_id"), result: large }])
      const path = `/agents/agent/runs/${String(at(paused.json, "run_id"))}/continue`
      const answer = yield* form(server, path, { session_id: "s", stream: "false", tools })
      assert.strictEqual(at(answer.json, "status"), "COMPLETED", answer.text)
      assert.match(String(at(list(answer.json, "tools")[0], "result")), /cut after 100 of 2000 bytes/)
    }))
})

describe("the answer of a model", () => {
  it.effect.each(["true", "false"])(
    "an answer that is too large in bytes fails the run, with stream=%s",
    (stream) =>
      Effect.gen(function*() {
        const { model } = yield* always(...Array.from({ length: 10 }, () => Script.text("ü".repeat(100))))
        const server = yield* serve({ agents: [Agent.make({ id: "agent", model })], byteLimits: { output: 1000 } })
        const answer = yield* run(server, "agent", { message: "hi", session_id: "s", run_id: "r", stream })
        const reason = "The answer of the model is larger than 1000 bytes (OUTPUT_MAX_BYTES)"
        assert.include(answer.text, reason)
        const stored = yield* get(server, "/agents/agent/runs/r?session_id=s")
        assert.deepInclude(stored.json, { status: "ERROR", content: reason })
      })
  )
})

const stateful = Tool.make({
  name: "grow",
  execute: (_, { sessionState }) => {
    sessionState["large"] = large
    return "Done."
  }
})

describe("the session state", () => {
  it.effect("a state that a tool makes too large fails the run, which leaves the stored state as it was", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.toolCall("grow")], [Script.text("Seen.")]])
      const agents = [Agent.make({ id: "agent", model: script.model, tools: [stateful] })]
      const server = yield* serve({ agents, byteLimits: { sessionState: 1000 } })
      const state = JSON.stringify({ a: 1 })
      const answer = yield* runWhole(server, "agent", { message: "hi", session_id: "s", session_state: state })
      assert.strictEqual(at(answer.json, "status"), "ERROR")
      const expected = "The session state is larger than 1000 bytes (SESSION_STATE_MAX_BYTES)"
      assert.strictEqual(at(answer.json, "content"), expected)
      assert.notProperty(yield* stateOf(server, "s"), "large")
    }))

  it.effect("a state that a post-hook makes too large fails the run", () =>
    Effect.gen(function*() {
      const script = yield* always(Script.text("Hello."))
      const hook = {
        name: "grow",
        run: ({ context }: Hook.HookInput) => {
          context.sessionState["large"] = large
        }
      }
      const agents = [Agent.make({ id: "agent", model: script.model, postHooks: [hook] })]
      const server = yield* serve({ agents, byteLimits: { sessionState: 1000 } })
      const answer = yield* runWhole(server, "agent", { message: "hi", session_id: "s" })
      assert.include(String(at(answer.json, "content")), "SESSION_STATE_MAX_BYTES")
    }))

  it.effect("A run that gives a state more than 500 keys fails, and the stored state stays as it was.", () =>
    Effect.gen(function*() {
      const script = yield* always(Script.text("Hello."))
      const hook = {
        name: "grow",
        run: ({ context }: Hook.HookInput) => {
          for (let key = 0; key < 501; key++) context.sessionState[`key${key}`] = key
        }
      }
      const agents = [Agent.make({ id: "agent", model: script.model, postHooks: [hook] })]
      const server = yield* serve({ agents })
      const answer = yield* runWhole(server, "agent", { message: "hi", session_id: "s" })
      assert.include(String(at(answer.json, "content")), "has more than 500 keys")
      assert.deepStrictEqual(yield* stateOf(server, "s"), {})
    }))

  it.effect("a state that a step makes too large fails the step", () =>
    Effect.gen(function*() {
      const grow = Step.make({
        name: "grow",
        run: ({ sessionState }) => {
          sessionState["large"] = large
          return "Done."
        }
      })
      const workflows = [Workflow.make({ id: "flow", steps: [grow] })]
      const server = yield* serve({ workflows, byteLimits: { sessionState: 1000 } })
      const answer = yield* form(server, "/workflows/flow/runs", { message: "x", stream: "false", session_id: "s" })
      assert.strictEqual(at(answer.json, "status"), "ERROR")
      assert.include(answer.text, "SESSION_STATE_MAX_BYTES")
    }))
})

describe("an output", () => {
  it.effect("an output of a step that is too large fails the step", () =>
    Effect.gen(function*() {
      const workflows = [Workflow.make({ id: "flow", steps: [Step.make({ name: "write", run: () => large })] })]
      const server = yield* serve({ workflows, byteLimits: { output: 1000 } })
      const answer = yield* form(server, "/workflows/flow/runs", { message: "x", stream: "false" })
      assert.include(answer.text, "The output of the step is larger than 1000 bytes (OUTPUT_MAX_BYTES)")
    }))

  it.effect("a structured output that is too large fails the run", () =>
    Effect.gen(function*() {
      const script = yield* always(Script.text(JSON.stringify({ large })))
      const outputSchema = { type: "object", properties: { large: { type: "string" } } } as const
      const server = yield* serve({
        agents: [Agent.make({ id: "agent", model: script.model, outputSchema })],
        byteLimits: { output: 1000 }
      })
      const answer = yield* runWhole(server, "agent", { message: "hi" })
      assert.strictEqual(at(answer.json, "status"), "ERROR")
      const expected = "The answer of the model is larger than 1000 bytes (OUTPUT_MAX_BYTES)"
      assert.strictEqual(at(answer.json, "content"), expected)
    }))
})

describe("a custom event", () => {
  it.effect("a custom event that is too large is refused where it is emitted", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.toolCall("tell")], [Script.text("Seen.")]])
      const tool = Tool.make({
        name: "tell",
        execute: (_, { emit }) => {
          emit({ large })
          return "Done."
        }
      })
      const agents = [Agent.make({ id: "agent", model: script.model, tools: [tool] })]
      const server = yield* serve({ agents, byteLimits: { customEvent: 1000 } })
      const answer = yield* runWhole(server, "agent", { message: "hi" })
      const result = String(at(list(answer.json, "tools")[0], "result"))
      assert.include(result, "emit: the event has 2012 bytes, more than 1000 (CUSTOM_EVENT_MAX_BYTES)")
    }))
})
