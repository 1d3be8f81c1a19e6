// Teams that do steps of workflows, as bytes of the wire: what is seen of them, how their pauses are the workflow's,
// and how they continue with decisions of people.
import { assert, describe, it } from "@effect/vitest"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, column, type Frame, frames, get, list, second, serve, undecided } from "../Wire.ts"
import { first, last, proceed, resolved, start } from "./Flows.ts"
import { answer, delegate, executorRequirements, paying, served, signing } from "./TeamFlow.ts"

Tier.oneIn(4)

const whoOf = ({ data, kind }: Frame) => `${String(data["team_id"] ?? data["agent_id"] ?? data["workflow_id"])} ${kind}`

const ofRuns = (all: ReadonlyArray<Frame>) =>
  all.map(whoOf).filter((each) => /Step|(Run|Workflow)(Started|Continued|Paused|Completed|Cancelled)/.test(each))

describe("a team that does a step", () => {
  it.effect("a team in a step has its events, and those of its members, between the start and the end of the step", () =>
    Effect.gen(function*() {
      const { server } = yield* served({ payer: [[text("I have paid.")]] })
      const all = frames((yield* start(server, "flow", { stream: "true" })).text)
      assert.deepStrictEqual(ofRuns(all), [
        "flow WorkflowStarted",
        "flow StepStarted",
        "flow StepOutput",
        "flow StepCompleted",
        "flow StepStarted",
        "desk TeamRunStarted",
        "office TeamRunStarted",
        "payer RunStarted",
        "payer RunCompleted",
        "office TeamRunCompleted",
        "desk TeamRunCompleted",
        "flow StepCompleted",
        "flow StepStarted",
        "flow StepOutput",
        "flow StepCompleted",
        "flow WorkflowCompleted"
      ])
      const step = all.find(({ data, kind }) => kind === "StepStarted" && data["step_name"] === "ask")
      const inside = all.filter(({ data }) => "team_id" in data || "agent_id" in data)
      for (const { data } of inside) {
        assert.deepInclude(data, {
          workflow_id: "flow",
          workflow_run_id: "r",
          step_id: step?.data["step_id"],
          step_name: "ask",
          step_index: 1,
          session_id: "s",
          nested_depth: 0
        })
      }
      const idOf = (kind: string) => inside.find((frame) => whoOf(frame) === kind)?.data ?? {}
      assert.strictEqual(idOf("payer RunStarted")["parent_run_id"], idOf("office TeamRunStarted")["run_id"])
      assert.strictEqual(idOf("office TeamRunStarted")["parent_run_id"], idOf("desk TeamRunStarted")["run_id"])
      assert.isUndefined(idOf("desk TeamRunStarted")["parent_run_id"])
    }))

  it.effect("a team in a step hides its events where the workflow is configured so", () =>
    Effect.gen(function*() {
      const { server } = yield* served({
        payer: [[text("I have paid.")]],
        flow: { streamExecutorEvents: false }
      })
      const all = frames((yield* start(server, "flow", { stream: "true" })).text)
      assert.deepStrictEqual(all.filter(({ data }) => !("workflow_name" in data)), [])
      assert.strictEqual(all.at(-1)?.kind, "WorkflowCompleted")
    }))

  it.effect("a team is in the run's output as a team, with the runs of its members", () =>
    Effect.gen(function*() {
      const { server } = yield* served({ payer: [[text("I have paid.")]] })
      const { json } = yield* start(server, "flow")
      assert.deepStrictEqual([at(json, "status"), at(json, "content")], ["COMPLETED", "after All paid."])
      const [run] = list(json, "step_executor_runs")
      const step = list(json, "step_results")[1]
      assert.deepStrictEqual(
        [at(step, "executor_type"), at(step, "executor_name"), at(step, "step_run_id")],
        ["team", "Desk", at(run, "run_id")]
      )
      assert.deepStrictEqual([at(run, "team_id"), at(run, "parent_run_id"), at(run, "workflow_step_id")], [
        "desk",
        "r",
        at(step, "step_id")
      ])
      const [office] = list(run, "member_responses")
      assert.deepStrictEqual(column(list(office, "member_responses"), "content"), ["I have paid."])
      assert.deepStrictEqual(at(json, "metrics", "steps", "ask", "executor_type"), "team")
      const stored = yield* get(server, "/workflows/flow/runs/r?session_id=s")
      assert.deepStrictEqual(at(stored.json, "step_executor_runs"), at(json, "step_executor_runs"))
      const { json: rows } = yield* get(server, "/sessions/s/runs?type=workflow")
      assert.deepStrictEqual(column(rows, "run_id"), ["r"])
    }))
})

describe("a member that waits while its team does a step", () => {
  it.effect("a waiting member pauses the workflow, with the requirement of the team", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* served()
      const all = frames((yield* start(server, "flow", { stream: "true" })).text)
      assert.deepStrictEqual(ofRuns(all).slice(-5), [
        "payer RunPaused",
        "office TeamRunPaused",
        "desk TeamRunPaused",
        "flow StepExecutorPaused",
        "flow WorkflowPaused"
      ])
      const { json } = yield* get(server, "/workflows/flow/runs/r?session_id=s")
      assert.deepStrictEqual([at(json, "status"), at(json, "pause_kind"), paid], ["PAUSED", "executor", []])
      const requirement = list(json, "step_requirements")[0]
      const team = all.find((frame) => whoOf(frame) === "desk TeamRunPaused")?.data
      const payer = all.find((frame) => whoOf(frame) === "payer RunPaused")?.data
      const executor = {
        executor_id: "desk",
        executor_name: "Desk",
        executor_type: "team",
        executor_run_id: team?.["run_id"]
      }
      assert.deepInclude(requirement as object, {
        ...executor,
        requires_executor_input: true,
        executor_session_id: "s",
        executor_requirements: team?.["requirements"]
      })
      assert.deepInclude(all.at(-2)?.data, { ...executor, executor_requirements: team?.["requirements"] })
      assert.deepInclude(executorRequirements(json)[0] as object, {
        member_agent_id: "payer",
        member_run_id: payer?.["run_id"]
      })
    }))

  it.effect("a decision about the requirement resumes the member, the teams around it, and the workflow", () =>
    Effect.gen(function*() {
      const { leader, paid, payer, server } = yield* served()
      const before = frames((yield* start(server, "flow", { stream: "true" })).text)
      const paused = (yield* get(server, "/workflows/flow/runs/r?session_id=s")).json
      const [requirement] = executorRequirements(paused)
      const { text } = yield* proceed(server, "flow", {
        stream: "true",
        step_requirements: resolved(paused, {
          executor_requirements: [{ id: at(requirement, "id"), confirmation: true }]
        })
      })
      const after = frames(text)
      assert.deepStrictEqual(ofRuns(after), [
        "flow StepExecutorContinued",
        "payer RunContinued",
        "payer RunCompleted",
        "office TeamRunContinued",
        "office TeamRunCompleted",
        "desk TeamRunContinued",
        "desk TeamRunCompleted",
        "flow StepCompleted",
        "flow StepStarted",
        "flow StepOutput",
        "flow StepCompleted",
        "flow WorkflowCompleted"
      ])
      assert.strictEqual(after[0]?.id, before.length)
      const { json } = yield* get(server, "/workflows/flow/runs/r?session_id=s")
      assert.deepStrictEqual([at(json, "content"), paid], ["after All paid.", [5]])
      assert.deepStrictEqual([yield* payer.remaining, yield* leader.remaining], [0, 0])
      const runOf = (all: ReadonlyArray<Frame>, kind: string) =>
        all.find((each) => whoOf(each) === kind)?.data["run_id"]
      assert.strictEqual(runOf(after, "payer RunCompleted"), runOf(before, "payer RunStarted"))
      assert.strictEqual(runOf(after, "desk TeamRunCompleted"), runOf(before, "desk TeamRunStarted"))
    }))

  it.effect("a rejected member gets the rejection, with its reason", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* served()
      const paused = (yield* start(server, "flow")).json
      const [requirement] = executorRequirements(paused)
      const no = { ...requirement as object, confirmation: false, confirmation_note: "Too much." }
      const { json } = yield* answer(server, paused, [no])
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", []])
      const [office] = list(list(json, "step_executor_runs")[0], "member_responses")
      const [payer] = list(office, "member_responses")
      assert.strictEqual(at(list(payer, "tools")[0], "result"), "Too much.")
    }))

  it.effect.each<readonly [string, object]>([
    ["without its calls", { executor_requirements: null }],
    ["with its calls as they are", {}]
  ])("a rejection of the whole step that is sent %s reaches the member", ([, calls]) =>
    Effect.gen(function*() {
      const { paid, server } = yield* served()
      const paused = (yield* start(server, "flow")).json
      const decision = { ...calls, confirmed: false, rejection_feedback: "Not today." }
      const { json } = yield* proceed(server, "flow", { step_requirements: resolved(paused, decision) })
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", []])
      assert.include(JSON.stringify(at(json, "step_executor_runs")), "Not today.")
    }))

  it.effect("a member keeps waiting without a decision or with a contradicting one", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* served()
      const paused = (yield* start(server, "flow")).json
      const ids = column(executorRequirements(paused), "id")
      const id = ids[0]
      for (
        const refused of [
          [],
          executorRequirements(paused),
          [{ id: "another", confirmation: true }],
          [{ id, confirmation: "yes" }],
          [{ id, confirmation: true }, { id, confirmation: false }],
          [{ id, confirmation: true, tool_execution: { confirmed: false } }],
          [{ id, member_run_id: "another", confirmation: true }]
        ]
      ) {
        undecided(yield* answer(server, paused, refused))
        const { json } = yield* get(server, "/workflows/flow/runs/r?session_id=s")
        assert.deepStrictEqual([at(json, "status"), paid], ["PAUSED", []], JSON.stringify(refused))
        assert.deepStrictEqual(column(executorRequirements(json), "id"), ids)
      }
      const { json } = yield* answer(server, paused, [{ id, confirmation: true }])
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", [5]])
      assert.strictEqual(list(json, "step_requirements").length, 1)
    }))

  it.effect("a member can wait again, and beside its leader, and each round passes its decisions on", () =>
    Effect.gen(function*() {
      const { sign, signed } = signing()
      const { leader, paid, payer, server } = yield* served({
        payer: [
          [toolCall("pay", { amount: 5 }, "pay_1")],
          [toolCall("pay", { amount: 7 }, "pay_2")],
          [text("I paid twice.")]
        ],
        leaderTools: [sign],
        leader: [[delegate("office", "call_1"), toolCall("sign", {}, "sign_1")], [text("Done.")]]
      })
      const one = (yield* start(server, "flow")).json
      const [own, member] = executorRequirements(one)
      assert.deepStrictEqual([at(own, "tool_execution", "tool_name"), at(member, "member_agent_id")], ["sign", "payer"])
      const two = (yield* answer(server, one, [{ id: at(member, "id"), confirmation: true }])).json
      assert.deepStrictEqual([at(two, "status"), paid, signed], ["PAUSED", [5], []])
      const open = executorRequirements(two).filter((each) => at(each, "confirmation") === undefined)
      assert.deepStrictEqual(open.map((each) => at(each, "tool_execution", "tool_call_id")).sort(), ["pay_2", "sign_1"])
      const byCall = (id: string) => open.find((each) => at(each, "tool_execution", "tool_call_id") === id)
      const three = (yield* answer(server, two, [{ id: at(byCall("sign_1"), "id"), confirmation: true }])).json
      assert.deepStrictEqual([at(three, "status"), paid, signed], ["PAUSED", [5], ["signed"]])
      const four = (yield* answer(server, three, [{ id: at(byCall("pay_2"), "id"), confirmation: true }])).json
      assert.deepStrictEqual([at(four, "status"), at(four, "content")], ["COMPLETED", "after Done."])
      assert.deepStrictEqual([paid, signed], [[5, 7], ["signed"]])
      assert.deepStrictEqual([yield* payer.remaining, yield* leader.remaining], [0, 0])
    }))
})

describe("a team in a workflow in a loop of the workflow", () => {
  it.effect("a team in a loop waits in each round anew, and continues with the decision of that round", () =>
    Effect.gen(function*() {
      const { paid, pay } = yield* paying({ requiresConfirmation: true })
      const payer = yield* Script.make([1, 2].flatMap((amount) => [
        [toolCall("pay", { amount }, `pay_${amount}`)],
        [text(`I paid ${amount}.`)]
      ]))
      const leader = yield* Script.make([1, 2].flatMap((amount) => [
        [delegate("payer", `call_${amount}`)],
        [text(`Paid ${amount}.`)]
      ]))
      const member = Agent.make({ id: "payer", model: payer.model, tools: [pay] })
      const desk = Team.make({ id: "desk", model: leader.model, members: [member] })
      const inner = Workflow.make({ id: "inner", steps: [first, Step.make({ name: "ask", team: desk })] })
      const rounds = Loop.make({
        name: "rounds",
        maxIterations: 2,
        steps: [Step.make({ name: "inner", workflow: inner })]
      })
      const server = yield* serve({ workflows: [Workflow.make({ id: "flow", steps: [rounds, last] })] })
      let run: unknown = frames((yield* start(server, "flow", { stream: "true" })).text).at(-1)?.data
      const begun: Array<unknown> = []
      for (const amount of [1, 2]) {
        const requirement = list(run, "step_requirements").at(-1)
        assert.deepStrictEqual(
          [at(requirement, "step_name"), at(requirement, "executor_type"), paid.length],
          ["ask", "team", amount - 1]
        )
        begun.push(at(requirement, "executor_run_id"))
        yield* TestClock.adjust("1 minute")
        run =
          (yield* answer(server, run, [{ id: at(executorRequirements(run).at(-1), "id"), confirmation: true }])).json
      }
      assert.deepStrictEqual([at(run, "status"), at(run, "content"), paid], ["COMPLETED", "after Paid 2.", [1, 2]])
      const teams = list(run, "step_executor_runs").flatMap((nested) => list(nested, "step_executor_runs"))
      assert.deepStrictEqual(column(teams, "run_id"), begun)
      assert.deepStrictEqual(column(teams, "created_at"), [second, second + 60], "and not when they were resumed")
      const all = frames((yield* get(server, "/workflows/flow/runs/r/events?session_id=s")).text)
      assert.deepStrictEqual(
        all.filter(({ kind }) => kind === "TeamRunStarted").map(({ data }) => data["workflow_id"]),
        [
          "inner",
          "inner"
        ]
      )
    }))
})
