// What a decision on a call has beside what the call waits for. It would be lost, or change arguments that were not
// asked for without a word to the model, so it is refused, also from callers who may approve.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import * as Mcp from "../mcp/Mcp.ts"
import { ask, at, failed, get, list, serve, undecided } from "../Wire.ts"

Tier.oneIn(4)

const parameters = Schema.Struct({ to: Schema.String, text: Schema.String, copies: Schema.optionalKey(Schema.Int) })
const given = { to: "ann", text: "hi" }

const kinds = {
  confirmation: { requiresConfirmation: true },
  values: { requiresUserInput: ["to", "copies"] },
  result: { externalExecution: true }
} as const

type Kind = keyof typeof kinds

/** A run that waits for a call, of an agent, of a team with it, or of a workflow with it. */
const waiting = Effect.fnUntraced(function*(place: string, kind: Kind, approval?: "required") {
  const sent: Array<unknown> = []
  const execute = kind === "result" ? {} : { execute: (args: object) => (sent.push(args), "sent") }
  const send = Tool.make({ name: "send", parameters, ...kinds[kind], approval, ...execute } as never)
  const { model } = yield* Script.make([[Script.toolCall("send", given, "send_1")], [Script.text("Done.")]])
  const leader = yield* Script.make([
    [Script.toolCall("delegate_task_to_member", { member_id: "sender", task: "send" }, "d")],
    [Script.text("Done.")]
  ])
  const agent = Agent.make({ id: "sender", model, tools: [send] })
  const server = yield* serve({
    agents: [agent],
    teams: [Team.make({ id: "team", model: leader.model, members: [agent] })],
    workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "send", agent })] })],
    settings: { mcp: { enabled: true } }
  })
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    ask(server, `/${place}/runs${path}`, {
      method: "POST",
      body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
    })
  yield* post("", { message: "go", run_id: "r" })
  const { json } = yield* get(server, `/${place}/runs/r?session_id=s`)
  const decided = (decision: object) => (requirement: unknown) => ({
    ...requirement as object,
    tool_execution: { ...at(requirement, "tool_execution") as object, ...decision }
  })
  const step = place === "workflows/flow" ? at(json, "step_requirements", 0) : undefined
  const decide = (decision: object) =>
    post(
      "/r/continue",
      step === undefined
        ? { requirements: JSON.stringify(list(json, "requirements").map(decided(decision))) }
        : {
          step_requirements: JSON.stringify([{
            ...step as object,
            executor_requirements: list(step, "executor_requirements").map(decided(decision))
          }])
        }
    )
  return { decide, sent, server }
})

const values = (to: string) => ({ user_input_schema: [{ name: "to", value: to }] })
const edited = { ...given, text: "bye" }

const refusals: Readonly<Record<Kind, ReadonlyArray<readonly [decision: object, problem: RegExp]>>> = {
  values: [
    [{ ...values("bob"), tool_args: edited }, /'send_1' waits for values, and its other arguments stay/],
    [{ ...values("bob"), confirmed: true, tool_args: { ...given, more: 1 } }, /its other arguments stay/],
    [{ ...values("bob"), result: "sent" }, /'send_1' takes no result/],
    [{ confirmed: false, ...values("bob") }, /'send_1' is both rejected and given values/]
  ],
  confirmation: [
    [{ confirmed: true, result: "sent" }, /'send_1' takes no result/],
    [{ confirmed: true, ...values("bob") }, /'send_1' takes no values/],
    [{ confirmed: false, tool_args: edited }, /'send_1' is both rejected and given arguments/],
    [{ confirmed: false, result: "sent" }, /'send_1' is both rejected and given a result/]
  ],
  result: [[{ result: "sent", ...values("bob") }, /'send_1' takes no values/]]
}

const places = ["agents/sender", "teams/team", "workflows/flow"]

describe("a decision with what the call does not wait for", () => {
  for (const place of places) {
    it.effect.each(["values", "confirmation", "result"] as const)(
      `the decision is refused, and the run waits: ${place}, %s`,
      (kind) =>
        Effect.gen(function*() {
          const { decide, sent, server } = yield* waiting(place, kind)
          for (const [decision, problem] of refusals[kind]) undecided(yield* decide(decision), problem)
          assert.strictEqual(at((yield* get(server, `/${place}/runs/r?session_id=s`)).json, "status"), "PAUSED")
          assert.deepStrictEqual(sent, [])
        })
    )

    it.effect(`the call as the run shows it, and its arguments with the values, are no other arguments: ${place}`, () =>
      Effect.gen(function*() {
        for (const tool_args of [given, { ...given, to: "bob" }]) {
          const { decide, sent } = yield* waiting(place, "values")
          const { json, text } = yield* decide({ ...values("bob"), tool_args })
          assert.strictEqual(at(json, "status"), "COMPLETED", text)
          assert.deepStrictEqual(sent, [{ ...given, to: "bob" }])
        }
        const { decide, sent } = yield* waiting(place, "values")
        // a field of a form that was left empty
        assert.strictEqual(at((yield* decide({ confirmed: false, ...values("") })).json, "status"), "COMPLETED")
        assert.deepStrictEqual(sent, [])
      }))
  }

  it.effect("arguments that clients fill from the fields are no other arguments", () =>
    Effect.gen(function*() {
      const fields = (copies: unknown) => ({
        user_input_schema: [{ name: "to", value: "bob" }, { name: "copies", value: copies }]
      })
      for (
        const [decision, executed] of [
          [{ ...fields(null), tool_args: { ...given, to: "bob", copies: null } }, { ...given, to: "bob" }],
          [{ ...fields("3"), tool_args: { ...given, to: "bob", copies: "3" } }, { ...given, to: "bob", copies: 3 }],
          [{ ...fields("3"), tool_args: { ...given, to: "bob", copies: 3 } }, { ...given, to: "bob", copies: 3 }]
        ] as const
      ) {
        const { decide, sent } = yield* waiting("agents/sender", "values")
        const { json, text } = yield* decide(decision)
        assert.strictEqual(at(json, "status"), "COMPLETED", text)
        assert.deepStrictEqual(sent, [executed])
      }
      const { decide } = yield* waiting("agents/sender", "values")
      // what would count: the value of the field, or the argument?
      const others = { ...fields("3"), tool_args: { ...given, to: "bob", copies: 4 } }
      undecided(yield* decide(others), /its other arguments stay/)
    }))

  it.effect("arguments that are sent as their text are these arguments", () =>
    Effect.gen(function*() {
      const cases = [
        ["values", { ...values("bob"), tool_args: JSON.stringify(given) }, { ...given, to: "bob" }],
        ["values", { ...values("bob"), tool_args: JSON.stringify({ ...given, to: "bob" }) }, { ...given, to: "bob" }],
        ["confirmation", { confirmed: true, tool_args: JSON.stringify(given) }, given],
        ["confirmation", { confirmed: true, tool_args: JSON.stringify(edited) }, edited],
        ["confirmation", { confirmed: false, tool_args: JSON.stringify(given) }, undefined],
        ["result", { result: "sent", tool_args: JSON.stringify(given) }, undefined]
      ] as const
      for (const [kind, decision, executed] of cases) {
        const { decide, sent } = yield* waiting("agents/sender", kind)
        const { json, text } = yield* decide(decision)
        assert.strictEqual(at(json, "status"), "COMPLETED", text)
        assert.deepStrictEqual(sent, executed === undefined ? [] : [executed])
      }
      const { decide } = yield* waiting("agents/sender", "values")
      undecided(yield* decide({ ...values("bob"), tool_args: JSON.stringify(edited) }), /its other arguments stay/)
    }))

  it.effect("an empty result beside a decision that takes none is no result", () =>
    Effect.gen(function*() {
      for (
        const [kind, decision] of [
          ["confirmation", { confirmed: true, result: "" }],
          ["values", { ...values("bob"), result: "" }],
          ["result", { confirmed: false, result: "" }]
        ] as const
      ) {
        const { decide } = yield* waiting("agents/sender", kind)
        const { json, text } = yield* decide(decision)
        assert.strictEqual(at(json, "status"), "COMPLETED", text)
      }
    }))

  it.effect.each(places)(
    "a caller who may approve is refused too, and the approval stays pending: %s",
    (place) =>
      Effect.gen(function*() {
        for (const kind of ["values", "confirmation"] as const) {
          const { decide, sent, server } = yield* waiting(place, kind, "required")
          for (const [decision, problem] of refusals[kind]) undecided(yield* decide(decision), problem)
          assert.deepStrictEqual(sent, [])
          assert.strictEqual(at((yield* get(server, "/approvals")).json, "data", 0, "status"), "pending")
        }
      })
  )

  it.effect("a decision over MCP is refused by the same rule", () =>
    Effect.gen(function*() {
      const { sent, server } = yield* waiting("agents/sender", "values")
      const opened = yield* Mcp.open(server)
      const { json } = yield* get(server, "/agents/sender/runs/r?session_id=s")
      const call = { ...at(json, "tools", 0) as object, ...values("bob"), tool_args: edited }
      const refused = yield* Mcp.call(opened, "continue_run", {
        agent_id: "sender",
        run_id: "r",
        session_id: "s",
        requirements: [{ ...at(json, "requirements", 0) as object, tool_execution: call }]
      })
      assert.match(JSON.stringify(refused), /its other arguments stay as the model has given them/)
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("the model reads the note beside what a function gets that waits", () =>
    Effect.gen(function*() {
      const tool = Tool.make({ name: "pay", execute: (_, { waitFor }) => waitFor("paid") })
      const { model } = yield* Script.make([[Script.toolCall("pay", {}, "pay_1")], [Script.text("Done.")]])
      const server = yield* serve({ agents: [Agent.make({ id: "payer", model, tools: [tool] })] })
      const post = (path: string, fields: Readonly<Record<string, string>>) =>
        ask(server, `/agents/payer/runs${path}`, {
          method: "POST",
          body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
        })
      const { json } = yield* post("", { message: "go", run_id: "r" })
      const id = at(json, "requirements", 0, "id")
      const decision = { id, external_execution_result: "12", confirmation_note: "By hand" }
      const done = yield* post("/r/continue", { requirements: JSON.stringify([decision]) })
      assert.strictEqual(at(done.json, "status"), "COMPLETED", done.text)
      const shown = list(done.json, "messages").find((message) => at(message, "role") === "tool")
      assert.strictEqual(
        at(shown, "content"),
        "(A person has added a note to this call: \"By hand\".)\n\n12"
      )
    }))

  it.effect("feedback beside a confirmation of a step is refused", () =>
    Effect.gen(function*() {
      const step = Step.make({ name: "one", confirmation: true, run: () => "done" })
      const server = yield* serve({ workflows: [Workflow.make({ id: "flow", steps: [step] })] })
      const post = (path: string, fields: Readonly<Record<string, string>>) =>
        ask(server, `/workflows/flow/runs${path}`, {
          method: "POST",
          body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
        })
      const { json } = yield* post("", { message: "go", run_id: "r" })
      const decided = (decision: object) =>
        post("/r/continue", {
          step_requirements: JSON.stringify([{ ...at(json, "step_requirements", 0) as object, ...decision }])
        })
      undecided(
        yield* decided({ confirmed: true, rejection_feedback: "Too late" }),
        /takes no feedback without a rejection/
      )
      assert.strictEqual(at((yield* decided({ confirmed: true, rejection_feedback: "" })).json, "status"), "COMPLETED")
    }))

  it.effect("a result with arguments that the call does not have is a conflict", () =>
    Effect.gen(function*() {
      const { decide } = yield* waiting("teams/team", "result")
      failed(yield* decide({ result: "sent", tool_args: edited }), 409, "CONFLICT", /read the run/)
    }))
})
