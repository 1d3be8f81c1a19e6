// A note on a call without a decision, which a person would believe to count: it is refused, or counts with the
// decision on the step of the call.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { at, failed, list, serve } from "../Wire.ts"
import { post } from "./Flows.ts"

type Sent = Readonly<Record<string, unknown>>

/** An agent whose model calls `buy`. */
const buying = Effect.fnUntraced(function*(id: string, options: Partial<Tool.Options<undefined>> = {}) {
  const done: Array<string> = []
  const buy = Tool.make({ name: "buy", ...options as object, execute: () => (done.push(id), `did ${id}`) })
  const { calls, model } = yield* Script.make([[Script.toolCall("buy", {}, id)], [Script.text("Done.")]])
  return { agent: Agent.make({ id, model, tools: [buy] }), calls, done }
})

const confirmed = { requiresConfirmation: true } as const
const note = { confirmation_note: "Not for me." }

const calls = (step: unknown, given: Sent, ofStep: Sent = {}) => ({
  ...step as Sent,
  ...ofStep,
  executor_requirements: list(step, "executor_requirements").map((call) => ({ ...call as Sent, ...given }))
})

const steps = (run: unknown) =>
  list(run, "step_requirements").toSorted((one, other) =>
    String(at(one, "step_name")).localeCompare(String(at(other, "step_name")))
  )

const fields = { session_id: "s", stream: "false" }
const start = { ...fields, message: "go", run_id: "r" }

describe("a note on a call without a decision", () => {
  it.effect("the note is refused beside a decision on another step", () =>
    Effect.gen(function*() {
      const [a, b] = [yield* buying("a", confirmed), yield* buying("b", confirmed)]
      const flow = Workflow.make({ id: "w", steps: [Parallel.make({ name: "all", steps: [a.agent, b.agent] })] })
      const server = yield* serve({ workflows: [flow] })
      const [first, second] = steps((yield* post(server, "/workflows/w/runs", start)).json)
      const proceed = (...sent: ReadonlyArray<unknown>) =>
        post(server, "/workflows/w/runs/r/continue", { ...fields, step_requirements: JSON.stringify(sent) })
      failed(
        yield* proceed(calls(first, note), calls(second, { confirmation: true })),
        422,
        "VALIDATION_ERROR",
        /buy \(a\) needs `confirmed`/
      )
      assert.deepStrictEqual([...a.done, ...b.done], [])
      const { json } = yield* proceed(first, calls(second, { confirmation: true }))
      assert.deepStrictEqual([at(json, "status"), a.done, b.done], ["PAUSED", [], ["b"]])
    }))

  it.effect("the note is what the model reads if the step of the call is rejected", () =>
    Effect.gen(function*() {
      const { agent, calls: requests, done } = yield* buying("a", confirmed)
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps: [agent] })] })
      const [step] = steps((yield* post(server, "/workflows/w/runs", start)).json)
      const sent = calls(step, note, { confirmed: false, rejection_feedback: "No." })
      const { json, text } = yield* post(server, "/workflows/w/runs/r/continue", {
        ...fields,
        step_requirements: JSON.stringify([sent])
      })
      assert.deepStrictEqual([at(json, "status"), done], ["COMPLETED", []], text)
      assert.include(JSON.stringify((yield* requests)[1]?.prompt.content), "Not for me.")
    }))

  it.effect.each(["agents/a", "teams/t", "workflows/w"])(
    "the note is refused if the call waits for an approval: %s",
    (path) =>
      Effect.gen(function*() {
        const { agent, done } = yield* buying("a", { approval: "required" })
        const leader = yield* Script.make([
          [Script.toolCall("delegate_task_to_member", { member_id: "a", task: "buy" }, "d")],
          [Script.text("Done.")]
        ])
        const server = yield* serve({
          agents: [agent],
          teams: [Team.make({ id: "t", model: leader.model, members: [agent] })],
          workflows: [Workflow.make({ id: "w", steps: [agent] })]
        })
        const { json } = yield* post(server, `/${path}/runs`, start)
        const sent = path === "workflows/w"
          ? { step_requirements: JSON.stringify(steps(json).map((step) => calls(step, note))) }
          : { requirements: JSON.stringify(list(json, "requirements").map((each) => ({ ...each as Sent, ...note }))) }
        failed(
          yield* post(server, `/${path}/runs/r/continue`, { ...fields, ...sent }),
          422,
          "VALIDATION_ERROR",
          /buy \(a\) needs `confirmed`/
        )
        assert.deepStrictEqual(done, [])
      })
  )
})
