// Teams that do steps of workflows, as bytes of the wire: what is seen of them, how their pauses are the workflow's, and how
// they go on with what people say (contract runs §4.6, §6.5 to §6.7, §7.5).
import { assert, describe, it } from "@effect/vitest"
import { Agent, Parallel, Step, Team, Tool, Workflow } from "@svc/runtime"
import * as Script from "@svc/testing/ScriptedModel"
import { text, toolCall } from "@svc/testing/ScriptedModel"
import type * as TestServer from "@svc/testing/TestServer"
import { Effect, Schema } from "effect"
import { at, column, type Frame, frames, get, list, post, serve } from "../Wire.ts"
import { first, last, proceed, resolved, start } from "./Flows.ts"

const delegate = (member_id: string, id: string) => toolCall("delegate_task_to_member", { member_id, task: "pay" }, id)

/** Pays what it is asked to, when somebody says so. */
const paying = Effect.fnUntraced(function*(options: Partial<Tool.Options<Schema.Codec<{ readonly amount: number }>>>) {
  const paid: Array<number> = []
  const pay = Tool.make({
    name: "pay",
    parameters: Schema.Struct({ amount: Schema.Int }),
    ...options,
    execute: ({ amount }) => (paid.push(amount), `paid ${amount}`)
  })
  return { paid, pay }
})

/** What a leader does itself, when somebody says so. */
const signing = () => {
  const signed: Array<string> = []
  const execute = () => (signed.push("signed"), "signed")
  return { signed, sign: Tool.make({ name: "sign", requiresConfirmation: true, execute }) }
}

interface Given {
  readonly pay?: Partial<Tool.Options<Schema.Codec<{ readonly amount: number }>>>
  /** Of the one who pays. */
  readonly payer?: ReadonlyArray<Script.Turn>
  readonly leader?: ReadonlyArray<Script.Turn>
  readonly leaderTools?: ReadonlyArray<Tool.Tool>
  readonly flow?: { readonly streamExecutorEvents?: boolean }
}

const asking: ReadonlyArray<Script.Turn> = [[toolCall("pay", { amount: 5 }, "pay_1")], [text("I paid.")]]

/** A workflow with a team in it, in which a team has a member who asks before it pays. */
const served = Effect.fnUntraced(function*(given: Given = {}) {
  const { paid, pay } = yield* paying({ requiresConfirmation: true, ...given.pay })
  const payer = yield* Script.make(given.payer ?? asking)
  const member = Agent.make({ id: "payer", name: "Payer", model: payer.model, tools: [pay] })
  const inner = yield* Script.make([[delegate("payer", "inner_1")], [text("They paid.")]])
  const office = Team.make({ id: "office", name: "Office", model: inner.model, members: [member] })
  const leader = yield* Script.make(given.leader ?? [[delegate("office", "call_1")], [text("All paid.")]])
  const desk = Team.make({
    id: "desk",
    name: "Desk",
    model: leader.model,
    tools: given.leaderTools,
    members: [office]
  })
  const flow = Workflow.make({
    id: "flow",
    ...given.flow,
    steps: [first, Step.make({ name: "ask", team: "desk" }), last]
  })
  return { server: yield* serve({ teams: [desk], workflows: [flow] }), paid, payer, leader }
})

const whoOf = ({ data, kind }: Frame) => `${String(data["team_id"] ?? data["agent_id"] ?? data["workflow_id"])} ${kind}`

const ofRuns = (all: ReadonlyArray<Frame>) =>
  all.map(whoOf).filter((each) => /Step|(Run|Workflow)(Started|Continued|Paused|Completed|Cancelled)/.test(each))

const asked = (run: unknown) => list(list(run, "step_requirements").at(-1), "executor_requirements")

/** The answer to what the run waits for, and what has come of it. */
const answer = (server: TestServer.TestServer, run: unknown, executor_requirements: unknown, more: object = {}) =>
  proceed(server, "flow", { step_requirements: resolved(run, { executor_requirements, ...more }) })

describe("a team that does a step", () => {
  it.effect("has its events, and those of its members, between the start and the end of the step", () =>
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

  it.effect("keeps these to itself where the workflow says so", () =>
    Effect.gen(function*() {
      const { server } = yield* served({
        payer: [[text("I have paid.")]],
        flow: { streamExecutorEvents: false }
      })
      const all = frames((yield* start(server, "flow", { stream: "true" })).text)
      assert.deepStrictEqual(all.filter(({ data }) => !("workflow_name" in data)), [])
      assert.strictEqual(all.at(-1)?.kind, "WorkflowCompleted")
    }))

  it.effect("is in the run's output as a team, with the runs of its members", () =>
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
  it.effect("has the workflow wait, in the team's words", () =>
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
      assert.deepInclude(asked(json)[0] as object, { member_agent_id: "payer", member_run_id: payer?.["run_id"] })
    }))

  it.effect("goes on with what is said of its requirement, and the teams around it, and the workflow", () =>
    Effect.gen(function*() {
      const { leader, paid, payer, server } = yield* served()
      const before = frames((yield* start(server, "flow", { stream: "true" })).text)
      const paused = (yield* get(server, "/workflows/flow/runs/r?session_id=s")).json
      const [requirement] = asked(paused)
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

  it.effect("is told of a rejection, and of what was said of it", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* served()
      const paused = (yield* start(server, "flow")).json
      const [requirement] = asked(paused)
      const no = { ...requirement as object, confirmation: false, confirmation_note: "Too much." }
      const { json } = yield* answer(server, paused, [no])
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", []])
      const [office] = list(list(json, "step_executor_runs")[0], "member_responses")
      const [payer] = list(office, "member_responses")
      assert.strictEqual(at(list(payer, "tools")[0], "result"), "Too much.")
    }))

  it.effect("is told of the rejection of the whole step", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* served()
      const paused = (yield* start(server, "flow")).json
      const said = { executor_requirements: null, confirmed: false, rejection_feedback: "Not today." }
      const { json } = yield* proceed(server, "flow", { step_requirements: resolved(paused, said) })
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", []])
      assert.include(JSON.stringify(at(json, "step_executor_runs")), "Not today.")
    }))

  it.effect("waits on, and is asked for again, when nothing is said of it, or what contradicts itself", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* served()
      let paused = (yield* start(server, "flow")).json
      const ids = column(asked(paused), "id")
      const id = ids[0]
      for (
        const said of [
          [],
          asked(paused),
          [{ id: "another", confirmation: true }],
          [{ id, confirmation: true }, { id, confirmation: false }],
          [{ id, member_run_id: "another", confirmation: true }],
          [{ id, confirmation: "yes" }]
        ]
      ) {
        const { json, status } = yield* answer(server, paused, said)
        assert.deepStrictEqual([status, at(json, "status"), paid], [200, "PAUSED", []], JSON.stringify(said))
        assert.deepStrictEqual(column(asked(json), "id"), ids)
        paused = json
      }
      const { json } = yield* answer(server, paused, [{ id, confirmation: true }])
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", [5]])
      assert.strictEqual(list(json, "step_requirements").length, 7)
    }))

  it.effect("may wait again, and beside its leader, and each round hands on what was said in it", () =>
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
      const [own, member] = asked(one)
      assert.deepStrictEqual([at(own, "tool_execution", "tool_name"), at(member, "member_agent_id")], ["sign", "payer"])
      const two = (yield* answer(server, one, [{ id: at(member, "id"), confirmation: true }])).json
      assert.deepStrictEqual([at(two, "status"), paid, signed], ["PAUSED", [5], []])
      const open = asked(two).filter((each) => at(each, "confirmation") === undefined)
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

describe("an approval that somebody in a team waits for while the team does a step", () => {
  const waiting = Effect.fnUntraced(function*(given: Given = {}) {
    const { server, ...more } = yield* served({ ...given, pay: { approval: "required" } })
    const run = (yield* start(server, "flow")).json
    assert.strictEqual(at(run, "status"), "PAUSED")
    return { ...more, server, run }
  })

  const resolve = (server: TestServer.TestServer, id: unknown, status = "approved") =>
    post(server, `/approvals/${encodeURIComponent(String(id))}/resolve`, { status })

  const approvals = (server: TestServer.TestServer) =>
    Effect.map(get(server, "/approvals"), ({ json }) => list(json, "data"))

  it.effect("has the workflow go on by itself when it is given, and whoever asks sees what has come of it", () =>
    Effect.gen(function*() {
      const { paid, run, server } = yield* waiting()
      const [approval] = yield* approvals(server)
      assert.strictEqual(at(approval, "run_id"), at(asked(run)[0], "member_run_id"))
      assert.strictEqual(at(approval, "id"), at(asked(run)[0], "tool_execution", "approval_id"))
      assert.strictEqual((yield* resolve(server, at(approval, "id"))).status, 200)
      const { json, status } = yield* proceed(server, "flow")
      assert.deepStrictEqual([status, at(json, "status"), at(json, "content")], [200, "COMPLETED", "after All paid."])
      assert.deepStrictEqual(paid, [5])
      assert.deepStrictEqual(column(yield* approvals(server), "run_status"), ["COMPLETED"])
    }))

  it.effect("has the member told when it is refused", () =>
    Effect.gen(function*() {
      const { paid, run, server } = yield* waiting()
      yield* resolve(server, at(asked(run)[0], "tool_execution", "approval_id"), "rejected")
      const { json } = yield* proceed(server, "flow")
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", []])
    }))

  it.effect("is not given by whoever continues the workflow, who sees that it waits on", () =>
    Effect.gen(function*() {
      const { paid, run, server } = yield* waiting()
      const said = asked(run).map((each) => ({ ...each as object, confirmation: true }))
      const still = (yield* answer(server, run, said)).json
      assert.deepStrictEqual([at(still, "status"), paid], ["PAUSED", []])
      const nothing = yield* proceed(server, "flow")
      assert.deepStrictEqual([nothing.status, at(nothing.json, "status"), paid], [200, "PAUSED", []])
      assert.strictEqual((yield* approvals(server)).length, 1)
      yield* resolve(server, at(asked(run)[0], "tool_execution", "approval_id"))
      const { json } = yield* proceed(server, "flow")
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", [5]])
    }))

  it.effect("does not have the workflow go on that waits for somebody's word as well, and counts when that is said", () =>
    Effect.gen(function*() {
      const { sign, signed } = signing()
      const { paid, run, server } = yield* waiting({
        leaderTools: [sign],
        leader: [[delegate("office", "call_1"), toolCall("sign", {}, "sign_1")], [text("Done.")]]
      })
      const [own, member] = asked(run)
      yield* resolve(server, at(member, "tool_execution", "approval_id"))
      const { json: still } = yield* get(server, "/workflows/flow/runs/r?session_id=s")
      assert.deepStrictEqual([at(still, "status"), paid], ["PAUSED", []])
      const { json } = yield* answer(server, run, [{ id: at(own, "id"), confirmation: true }])
      assert.deepStrictEqual([at(json, "status"), paid, signed], ["COMPLETED", [5], ["signed"]])
    }))

  it.effect("is cancelled with the workflow, and nobody has to give it any more", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* waiting()
      yield* server.fetch("/workflows/flow/runs/r/cancel", { method: "POST" })
      const { json } = yield* proceed(server, "flow")
      assert.deepStrictEqual([at(json, "status"), paid], ["CANCELLED", []])
      const [approval, ...others] = yield* approvals(server)
      assert.deepStrictEqual([at(approval, "status"), at(approval, "run_status")], ["cancelled", "CANCELLED"])
      assert.deepStrictEqual(others, [])
      assert.strictEqual((yield* resolve(server, at(approval, "id"))).status, 409)
    }))

  it.effect("ends the workflow when it is given, if that was told to end meanwhile", () =>
    Effect.gen(function*() {
      const { paid, run, server } = yield* waiting()
      yield* server.fetch("/workflows/flow/runs/r/cancel", { method: "POST" })
      yield* resolve(server, at(asked(run)[0], "tool_execution", "approval_id"))
      const { json } = yield* proceed(server, "flow")
      assert.deepStrictEqual([at(json, "status"), paid], ["CANCELLED", []])
    }))

  it.effect("goes on with the last of several, in one branch after the other", () =>
    Effect.gen(function*() {
      const { paid, pay } = yield* paying({ approval: "required" })
      const agent = Effect.fnUntraced(function*(id: string, amount: number) {
        const { model } = yield* Script.make([[toolCall("pay", { amount }, `pay_${id}`)], [text(`${id} paid.`)]])
        return Agent.make({ id, model, tools: [pay] })
      })
      const { model } = yield* Script.make([[delegate("one", "a"), delegate("two", "b")], [text("Both paid.")]])
      const team = Team.make({ id: "desk", model, members: [yield* agent("one", 1), yield* agent("two", 2)] })
      const branches = Parallel.make({ name: "all", steps: [team, yield* agent("three", 3)] })
      const server = yield* serve({ workflows: [Workflow.make({ id: "flow", steps: [branches] })] })
      assert.strictEqual(at((yield* start(server, "flow")).json, "status"), "PAUSED")
      const byAmount = new Map(
        (yield* approvals(server)).map((each) => [at(each, "tool_args", "amount"), at(each, "id")])
      )
      assert.strictEqual(byAmount.size, 3)
      for (const amount of [3, 1, 2]) {
        const { json } = yield* get(server, "/workflows/flow/runs/r?session_id=s")
        assert.strictEqual(at(json, "status"), "PAUSED")
        yield* resolve(server, byAmount.get(amount))
        yield* proceed(server, "flow")
      }
      const { json } = yield* proceed(server, "flow")
      assert.deepStrictEqual([at(json, "status"), paid.toSorted()], ["COMPLETED", [1, 2, 3]])
    }))
})
