// How much a node executes at once, and how large the results of tools may be.
import { assert, describe, it } from "@effect/vitest"
import { Agent, Tool } from "@svc/runtime"
import * as Script from "@svc/testing/ScriptedModel"
import { Deferred, Effect, Fiber } from "effect"
import { call, open } from "../mcp/Mcp.ts"
import { at, failed, get, list, run, runWhole, serve } from "../Wire.ts"

/** An agent whose first run is stuck until it is let go, on a node with a limit. */
const stuck = Effect.fnUntraced(function*(admission: { readonly runs?: number; readonly inputBytes?: number }) {
  const [asked, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const script = yield* Script.make([
    [Script.wait(Deferred.succeed(asked, undefined)), Script.wait(gate), Script.text("one")],
    ...Array.from({ length: 9 }, () => [Script.text("later")])
  ])
  const server = yield* serve({ agents: [Agent.make({ id: "agent", model: script.model })], admission })
  const first = yield* Effect.forkChild(runWhole(server, "agent", { session_id: "s", message: "x".repeat(1000) }))
  yield* Deferred.await(asked)
  return { server, first, letGo: Deferred.succeed(gate, undefined) }
})

const refusal = "Too many runs are executed at once (MAX_RUNS, MAX_RUN_INPUT_BYTES). Try again shortly."

describe("a run beyond what a node executes at once", () => {
  it.effect.each([["by number", { runs: 1 }], ["by the bytes of inputs", { inputBytes: 1500 }]] as const)(
    "is refused %s with 429 and Retry-After, nothing is stored, and it is accepted when there is room",
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

  it.effect("is an error of the tool over MCP", () =>
    Effect.gen(function*() {
      const { server } = yield* stuck({ runs: 1 })
      const answer = yield* call(yield* open(server), "run_agent", { agent_id: "agent", message: "hi" })
      assert.include(JSON.stringify(answer), "MAX_RUNS")
    }))
})

describe("the result of a tool", () => {
  it.effect("that is too large is cut, and says so to the model, in events and in what is stored", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.toolCall("read")], [Script.text("Seen.")]])
      const tool = Tool.make({ name: "read", execute: () => "ü".repeat(2_000_000) })
      const server = yield* serve({ agents: [Agent.make({ id: "agent", model: script.model, tools: [tool] })] })
      const answer = yield* runWhole(server, "agent", { message: "hi" })
      const [stored] = list(answer.json, "tools")
      const result = String(at(stored, "result"))
      assert.isBelow(result.length, 1_050_000)
      assert.match(result, /The result was cut after 1048576 of 2000000 characters \(TOOL_RESULT_MAX_BYTES\)/)
    }))
})
