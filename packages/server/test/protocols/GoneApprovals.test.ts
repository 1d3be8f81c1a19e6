// Approved calls of paused runs whose tool, agent or member is gone when the run resumes, beside calls that wait.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import { Effect, Exit, Scope } from "effect"
import { at, get, list, post, serve } from "../Wire.ts"
import * as PausedWires from "./PausedWires.ts"

/** Components in which two calls wait: one for an approval, whose tool or member can be gone, and one for a person. */
const components = Effect.gen(function*() {
  const made: Array<string> = []
  const state = { isGone: false }
  const order = Tool.make({ name: "order", requiresConfirmation: true, execute: () => (made.push("order"), "ordered") })
  const pay = Tool.make({ name: "pay", approval: "required", execute: () => (made.push("pay"), "paid") })
  const calls = [Script.toolCall("pay", {}, "p"), Script.toolCall("order", {}, "o")]
  const desk = yield* Script.make([calls, [Script.text("Done.")]])
  const member = yield* Script.make([calls, [Script.text("Done.")]])
  const leader = yield* Script.make([
    [Script.toolCall("delegate_task_to_member", { member_id: "desk", task: "pay" }, "d")],
    [Script.text("All done.")]
  ])
  const agent = ({ model }: typeof desk) =>
    Agent.make({ id: "desk", model, tools: state.isGone ? [order] : [order, pay] })
  const server = yield* serve({
    agents: [AgentFactory.make({ id: "desk", build: () => agent(desk) })],
    teams: [
      TeamFactory.make({
        id: "team",
        build: ({ id }) => Team.make({ id, model: leader.model, members: [agent(member)] })
      }),
      TeamFactory.make({
        id: "members",
        build: ({ id }) =>
          Team.make({
            id,
            model: leader.model,
            members: [state.isGone ? Agent.make({ id: "other", model: member.model }) : agent(member)]
          })
      })
    ],
    workflows: [
      WorkflowFactory.make({
        id: "flow",
        build: ({ id }) => Workflow.make({ id, steps: [Step.make({ name: "pay", agent: agent(desk) })] })
      })
    ]
  })
  return { made, read: { agents: desk.calls, teams: member.calls, workflows: desk.calls }, server, state }
})

const stepIn = (run: unknown) => at(run, "step_requirements", 0)

const openIn = (run: unknown) => {
  const step = stepIn(run)
  return step === undefined ? list(run, "requirements") : list(step, "executor_requirements")
}

const waitingFor = (run: unknown, name: string) =>
  openIn(run).find((each) => at(each, "tool_execution", "tool_name") === name)

/** Pauses the run, approves its call, and takes the tool or the member away. */
const approved = Effect.fnUntraced(function*(kind: "agents" | "teams" | "workflows", id: string) {
  const { made, read, server, state } = yield* components
  const target = { kind, id, payload: {}, result: "", server, session: "s" } as const
  yield* PausedWires.wires[0]?.pause(target) ?? Effect.void
  const approval = String(at((yield* get(server, "/approvals")).json, "data", 0, "id"))
  const { status, text } = yield* post(server, `/approvals/${approval}/resolve`, { status: "approved" })
  assert.strictEqual(status, 200, text)
  state.isGone = true
  const decide = Effect.fnUntraced(function*(decisions: ReadonlyArray<readonly [string, boolean]>) {
    const paused = yield* PausedWires.runOf(target)
    const step = stepIn(paused)
    const sent = decisions.map(([name, confirmed]) => ({ id: at(waitingFor(paused, name), "id"), confirmed }))
    const requirements = step === undefined
      ? sent
      : [{ id: at(step, "id"), step_id: at(step, "step_id"), executor_requirements: sent }]
    const path = `/${kind}/${id}/runs/${String(at(paused, "run_id"))}/continue`
    return yield* post(server, path, { session_id: "s", stream: false, requirements })
  })
  return { decide, made, model: read[kind], target }
})

const subjects = [["agents", "desk"], ["teams", "team"], ["workflows", "flow"]] as const

describe("an approved call whose tool is gone before the run resumes", () => {
  for (const [kind, id] of subjects) {
    it.effect.each([true, false])(
      `a decision (%s) on another call in ${kind} counts, and the model reads that the tool is gone`,
      (isConfirmed) =>
        Effect.gen(function*() {
          const { decide, made, model } = yield* approved(kind, id)
          const { json, text } = yield* decide([["order", isConfirmed]])
          assert.strictEqual(at(json, "status"), "COMPLETED", text)
          assert.deepStrictEqual(made, isConfirmed ? ["order"] : [])
          const [paid, ordered] = (yield* model)[1]?.prompt.content.slice(-2).map(({ content }) => content[0]) ?? []
          assert.deepInclude(paid, {
            isFailure: true,
            result: "The tool 'pay' is not available now: the agent has no such tool any more. Nothing was done"
          })
          assert.strictEqual(at(ordered, "isFailure"), !isConfirmed)
        })
    )

    it.effect(`a rejection of it in ${kind} is refused with a way on: the run follows the approval`, () =>
      Effect.gen(function*() {
        const { decide, target } = yield* approved(kind, id)
        const refused = yield* decide([["pay", false], ["order", false]])
        assert.strictEqual(refused.status, 409, refused.text)
        assert.include(refused.text, "Leave it out, and send a decision on each other call: order (o)")
        assert.strictEqual(at(yield* PausedWires.runOf(target), "status"), "PAUSED")
      }))
  }

  it.effect("a decision inside of a member that is gone counts, and the run asks what has happened", () =>
    Effect.gen(function*() {
      const { decide, made, target } = yield* approved("teams", "members")
      const { json, text } = yield* decide([["order", false]])
      assert.strictEqual(at(json, "status"), "PAUSED", text)
      assert.deepStrictEqual(
        list(yield* PausedWires.runOf(target), "requirements").slice(-1).map((each) => [
          at(each, "tool_execution", "tool_name"),
          at(each, "tool_execution", "outcome_unknown")
        ]),
        [["delegate_task_to_member", true]]
      )
      assert.strictEqual(at((yield* decide([["delegate_task_to_member", false]])).json, "status"), "COMPLETED")
      assert.deepStrictEqual(made, [])
    }))
})

describe("an approval of a run whose agent, team or workflow the service has no more", () => {
  it.effect.each(subjects)(
    "in %s it stays pending if it is approved, and a rejection counts",
    ([kind, id]) =>
      Effect.gen(function*() {
        const pay = Tool.make({ name: "pay", approval: "required", execute: () => "paid" })
        const { model } = yield* Script.make([
          [
            kind === "teams"
              ? Script.toolCall("delegate_task_to_member", { member_id: "desk", task: "pay" }, "d")
              : Script.toolCall("pay", {}, "p")
          ],
          [Script.toolCall("pay", {}, "p")]
        ])
        const agent = Agent.make({ id: "desk", model, tools: [pay] })
        const stores = yield* TestDatabase.make()
        const database = () => stores
        const life = yield* Scope.make()
        const serving = serve({
          database,
          agents: kind === "agents" ? [agent] : [],
          teams: [Team.make({ id: "team", model, members: [agent] })],
          workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "pay", agent })] })]
        })
        const before = yield* Scope.provide(serving, life)
        const target = { kind, id, payload: {}, result: "", server: before, session: "s" } as const
        yield* PausedWires.wires[0]?.pause(target) ?? Effect.void
        yield* Scope.close(life, Exit.void)
        const server = yield* serve({ database, agents: [Agent.make({ id: "other", model })] })
        const approval = at((yield* get(server, "/approvals")).json, "data", 0)
        const resolve = (status: string) => post(server, `/approvals/${String(at(approval, "id"))}/resolve`, { status })
        const refused = yield* resolve("approved")
        assert.strictEqual(refused.status, 422, refused.text)
        assert.include(refused.text, "pay cannot be called: the agent has no such tool any more. It can be rejected")
        assert.strictEqual(
          at((yield* get(server, `/approvals/${String(at(approval, "id"))}`)).json, "status"),
          "pending"
        )
        assert.strictEqual((yield* resolve("rejected")).status, 200)
      })
  )
})
