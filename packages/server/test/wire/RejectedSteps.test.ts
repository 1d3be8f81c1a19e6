// An agent's or a team's step that a person rejects as a whole: all its calls are rejected, and what else is sent of a
// call is refused, because a person would believe that it counts.
import { assert, describe, it } from "@effect/vitest"
import * as ForEach from "@svc-runtime/agents/workflow/define/ForEach"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { at, failed, get, list, post as postJson, serve, undecided } from "../Wire.ts"
import { proceed, seen, start } from "./Flows.ts"

Tier.oneIn(3)

type Sent = Readonly<Record<string, unknown>>

const parameters = Schema.Struct({ to: Schema.String })

/** What each tool waits for. */
const options: Readonly<Record<string, object>> = {
  order: { requiresConfirmation: true },
  form: { requiresUserInput: ["to"] },
  print: { externalExecution: true },
  buy: { approval: "required" }
}

const places = ["agent", "team", "nested", "parallel", "list", "loop"] as const
type Place = typeof places[number]

const stepsOf = (place: Place, step: ReturnType<typeof Step.make>) => {
  switch (place) {
    case "nested":
      return [Step.make({ name: "nested", workflow: Workflow.make({ id: "inner", steps: [step] }) })]
    case "parallel":
      return [Parallel.make({ name: "all", steps: [step] })]
    case "list":
      return [() => ["one"], ForEach.make({ name: "each", steps: [step] })]
    case "loop":
      return [Loop.make({ name: "rounds", maxIterations: 1, steps: [step] })]
    default:
      return [step]
  }
}

/** A run of a workflow whose executor waits for a call of each of the tools. */
const waiting = Effect.fnUntraced(function*(place: Place, names: ReadonlyArray<string>) {
  const done: Array<string> = []
  const tools = names.map((name) =>
    Tool.make(
      {
        name,
        parameters,
        ...options[name],
        ...(name === "print" ? {} : { execute: () => (done.push(name), `did ${name}`) })
      } as never
    )
  )
  const { calls, model } = yield* Script.make([
    names.map((name) => Script.toolCall(name, { to: "ann" }, name)),
    [Script.text("Done.")]
  ])
  const leader = yield* Script.make([
    [Script.toolCall("delegate_task_to_member", { member_id: "buyer", task: "go" }, "d")],
    [Script.text("Done.")]
  ])
  const agent = Agent.make({ id: "buyer", model, tools })
  const step = place === "team"
    ? Step.make({ name: "ask", team: Team.make({ id: "desk", model: leader.model, members: [agent] }) })
    : Step.make({ name: "ask", agent })
  const flow = Workflow.make({ id: "flow", steps: stepsOf(place, step) })
  const server = yield* serve({ workflows: [flow] })
  const paused = yield* start(server, "flow")
  assert.strictEqual(at(paused.json, "status"), "PAUSED", paused.text)
  const requirement = list(paused.json, "step_requirements").at(-1)
  /** The step as a client has it, with more of each call. */
  const decide = (ofStep: Sent, ofCalls: Readonly<Record<string, Sent>>) => {
    const executor_requirements = list(requirement, "executor_requirements").map((call) => {
      const { tool_execution, ...rest } = call as Sent
      const name = String(at(tool_execution, "tool_name"))
      const { tool_execution: inner, ...given } = ofCalls[name] ?? {}
      return { ...rest, ...given, tool_execution: { ...tool_execution as Sent, ...inner as Sent | undefined } }
    })
    const sent = { ...requirement as Sent, ...ofStep, executor_requirements }
    return proceed(server, "flow", { requirements: JSON.stringify([sent]) })
  }
  return { calls, decide, done, server }
})

const no = { confirmed: false, rejection_feedback: "Not today." }
const filled = { user_input_schema: [{ name: "to", value: "bob" }] }

const refusals: ReadonlyArray<readonly [given: Readonly<Record<string, Sent>>, problem: RegExp]> = [
  [{ order: { confirmed: true } }, /'order' is confirmed, and its step is rejected/],
  [{ order: { tool_execution: { confirmation: true } } }, /'order' is confirmed, and its step is rejected/],
  [{ order: { tool_execution: { tool_args: { to: "bob" } } } }, /'order' is both rejected and given arguments/],
  [{ form: filled }, /'form' is both rejected and given values/],
  [{ form: { confirmed: false, ...filled } }, /'form' is both rejected and given values/],
  [{ form: { tool_execution: filled } }, /'form' is both rejected and given values/],
  [{ print: { external_execution_result: "printed" } }, /'print' is both rejected and given a result/],
  [{ print: { tool_execution: { result: "printed" } } }, /'print' is both rejected and given a result/],
  [
    { order: { confirmed: true }, form: { confirmed: true }, print: { confirmed: true } },
    /is confirmed, and its step is rejected/
  ]
]

describe("a step that is rejected as a whole", () => {
  it.effect.each(places)(
    "what else is sent of a call is refused, and nothing is decided: %s",
    (place) =>
      Effect.gen(function*() {
        const { decide, done, server } = yield* waiting(place, ["order", "form", "print"])
        const before = yield* seen(server, "flow")
        for (const [given, problem] of refusals) {
          undecided(yield* decide(no, given), problem)
          assert.strictEqual(yield* seen(server, "flow"), before)
        }
        assert.deepStrictEqual(done, [])
      })
  )

  it.effect.each(["agent", "team"] as const)(
    "a call that is rejected in a step that is confirmed is refused: %s",
    (place) =>
      Effect.gen(function*() {
        const { decide, done } = yield* waiting(place, ["order"])
        undecided(
          yield* decide({ confirmed: true }, { order: { confirmed: false } }),
          /'order' is rejected, and its step is confirmed/
        )
        assert.deepStrictEqual(done, [])
        const { json, text } = yield* decide({ confirmed: true }, { order: { confirmed: true } })
        assert.deepStrictEqual([at(json, "status"), done], ["COMPLETED", ["order"]], text)
      })
  )

  it.effect.each(places)(
    "all calls are rejected with the note of the step, and one with a note of its own: %s",
    (place) =>
      Effect.gen(function*() {
        const { calls, decide, done } = yield* waiting(place, ["order", "form", "print"])
        const { json, text } = yield* decide(no, {
          // what clients leave empty, and the same decision
          order: { confirmed: false },
          form: { confirmation_note: "No address.", user_input_schema: [{ name: "to", value: "" }] },
          print: { external_execution_result: "" }
        })
        assert.deepStrictEqual([at(json, "status"), done], ["COMPLETED", []], text)
        const prompt = JSON.stringify((yield* calls)[1]?.prompt.content)
        assert.strictEqual(prompt.split("Not today.").length - 1, 2, prompt)
        assert.strictEqual(prompt.split("No address.").length - 1, 1, prompt)
      })
  )

  it.effect.each(["agent", "team"] as const)(
    "a call that was approved by now is 409, and one that was rejected is no other decision: %s",
    (place) =>
      Effect.gen(function*() {
        for (const status of ["approved", "rejected"]) {
          const { decide, done, server } = yield* waiting(place, ["buy", "order"])
          const id = String(at((yield* get(server, "/approvals?status=pending")).json, "data", 0, "id"))
          assert.strictEqual((yield* postJson(server, `/approvals/${id}/resolve`, { status })).status, 200)
          const answer = yield* decide(no, {})
          if (status === "approved") failed(answer, 409, "CONFLICT", /buy has been approved by now/)
          else assert.strictEqual(at(answer.json, "status"), "COMPLETED", answer.text)
          assert.deepStrictEqual(done, [])
        }
      })
  )
})
