// The log lines of a run.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { serve } from "../Wire.ts"
import { free } from "../wire/Fixtures.ts"

const throwing = () => {
  throw new Error("the till is empty")
}

const start = (server: TestServer.TestServer, path: string, fields: Readonly<Record<string, string>>) =>
  Effect.flatMap(
    server.fetch(path, { method: "POST", body: new URLSearchParams({ stream: "false", ...fields }) }),
    (response) => Effect.promise(() => response.json() as Promise<{ readonly status: string }>)
  )

/** The log lines of a run, when it has ended. */
const linesOf = Effect.fnUntraced(function*({ logs }: TestServer.TestServer, run_id: string) {
  while (!logs.some(({ message }) => message.startsWith("A run has ended"))) {
    yield* Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))
  }
  return logs.filter(({ annotations }) => annotations["run_id"] === run_id)
})

describe("the log of a run", () => {
  it.effect("a run leaves a line at its start and one at its end, with its ids, status, time and tokens", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.text("Hello."), Script.usage({ input: 7, output: 3 })]])
      const server = yield* serve({ agents: [Agent.make({ id: "desk", model })], prices: free })
      yield* start(server, "/agents/desk/runs", { message: "hi", run_id: "r", session_id: "s", user_id: "ann" })
      const [first, last, ...more] = yield* linesOf(server, "r")
      const ids = { part: "runs", run_id: "r", session_id: "s", attempt: 1, agent_id: "desk" }
      assert.deepStrictEqual([first?.message, last?.message, more], [
        "A run starts",
        "A run has ended as COMPLETED",
        []
      ])
      assert.deepStrictEqual(first?.annotations, { ...ids, user_id: "ann" })
      assert.deepInclude(last?.annotations, { ...ids, status: "COMPLETED", input_tokens: 7, output_tokens: 3 })
      assert.isAtLeast(Number(last?.annotations["time_ms"]), 0)
    }))

  it.effect("the last line of a continued run has the tokens that it has used since it paused", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("pay", {}, "call_1"), Script.usage({ input: 7, output: 3 })],
        [Script.text("Paid."), Script.usage({ input: 5 })]
      ])
      const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
      const server = yield* serve({ agents: [Agent.make({ id: "desk", model, tools: [pay] })] })
      yield* start(server, "/agents/desk/runs", { message: "hi", run_id: "r", session_id: "s" })
      const tools = JSON.stringify([{ tool_call_id: "call_1", confirmed: true }])
      yield* start(server, "/agents/desk/runs/r/continue", { session_id: "s", tools })
      const used = server.logs.flatMap(({ annotations: { attempt, input_tokens, output_tokens }, message }) =>
        message.startsWith("A run has ended") ? [[attempt, input_tokens, output_tokens]] : []
      )
      assert.deepStrictEqual(used, [[1, 7, 3], [2, 5, undefined]])
    }))

  it.effect("what a step throws is logged once, although the workflow skips it and completes", () =>
    Effect.gen(function*() {
      const workflow = Workflow.make({
        id: "bill",
        steps: [Step.make({ name: "pay", run: throwing, onError: "skip" })]
      })
      const server = yield* serve({ workflows: [workflow] })
      const { status } = yield* start(server, "/workflows/bill/runs", { message: "hi", run_id: "r", session_id: "s" })
      assert.strictEqual(status, "COMPLETED")
      const thrown = server.logs.filter(({ cause }) => cause.includes("the till is empty"))
      assert.lengthOf(thrown, 1)
      assert.deepInclude(thrown[0]?.annotations, { run_id: "r", session_id: "s", step: "pay", workflow_id: "bill" })
    }))
})
