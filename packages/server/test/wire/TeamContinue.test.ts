// Teams whose members wait for people: the requirement is shown on the team's run, decided
// there, and the run continues where it came from.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { ask, at, column, frames, get, list, serve, undecided } from "../Wire.ts"
import { used } from "./Fixtures.ts"

Tier.oneIn(6)

type Fields = Readonly<Record<string, string>>

const send = (server: TestServer.TestServer, path: string, fields: Fields) =>
  ask(server, `/teams/desk/runs${path}`, { method: "POST", body: new URLSearchParams({ session_id: "s", ...fields }) })

const start = (server: TestServer.TestServer, fields: Fields = {}) =>
  send(server, "", { message: "go", stream: "false", run_id: "r", ...fields })

const continueRun = (server: TestServer.TestServer, requirements: unknown, fields: Fields = {}) =>
  send(server, "/r/continue", {
    stream: "false",
    ...(requirements === undefined ? {} : { requirements: JSON.stringify(requirements) }),
    ...fields
  })

const kindsOf = (body: string) =>
  body.split("\n").filter((line) => line.startsWith("event: ")).map((line) => line.slice("event: ".length))

const delegate = (member_id: string, id: string) => toolCall("delegate_task_to_member", { member_id, task: "pay" }, id)

interface Paying {
  readonly nested?: boolean
  readonly leaderTools?: ReadonlyArray<Tool.Tool>
  readonly leaderTurns?: ReadonlyArray<Script.Turn>
}

/** A team, or a team in a team, whose member asks before it pays. */
const paying = Effect.fnUntraced(function*(options: Paying = {}) {
  const paid: Array<unknown> = []
  const pay = Tool.make({
    name: "pay",
    parameters: Schema.Struct({ amount: Schema.Int }),
    requiresConfirmation: true,
    execute: ({ amount }) => (paid.push(amount), `paid ${amount}`)
  })
  const payer = yield* Script.make([[toolCall("pay", { amount: 5 }, "pay_1"), used], [text("I paid.")]])
  const member = Agent.make({ id: "payer", name: "Payer", model: payer.model, tools: [pay] })
  const inner = yield* Script.make([[delegate("payer", "inner_1"), used], [text("They paid.")]])
  const office = Team.make({ id: "office", name: "Office", model: inner.model, members: [member] })
  const leader = yield* Script.make(
    options.leaderTurns ??
      [[delegate(options.nested === true ? "office" : "payer", "call_1"), used], [text("All paid.")]]
  )
  const desk = Team.make({
    id: "desk",
    name: "Desk",
    model: leader.model,
    tools: options.leaderTools,
    members: [options.nested === true ? office : member]
  })
  return { server: yield* serve({ teams: [desk] }), paid, payer, leader }
})

describe("a member that waits for a person", () => {
  it.effect("the requirement of a member is shown on the team's run, with the run that waits", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* paying()
      const { json, status } = yield* start(server)
      assert.strictEqual(status, 200)
      assert.strictEqual(at(json, "status"), "PAUSED")
      const [requirement] = list(json, "requirements")
      const [response] = list(json, "member_responses")
      assert.strictEqual(at(requirement, "member_agent_id"), "payer")
      assert.strictEqual(at(requirement, "member_agent_name"), "Payer")
      assert.strictEqual(at(requirement, "member_run_id"), at(response, "run_id"))
      assert.strictEqual(at(requirement, "tool_execution", "tool_name"), "pay")
      assert.strictEqual(at(response, "status"), "PAUSED")
      assert.deepStrictEqual(paid, [])
    }))

  it.effect("a confirmation by the requirement's id alone resumes the member, and the leader after it", () =>
    Effect.gen(function*() {
      const { leader, paid, payer, server } = yield* paying()
      const first = yield* start(server, { stream: "true" })
      assert.deepStrictEqual(kindsOf(first.text).slice(-4), [
        "RunContentCompleted",
        "RunPaused",
        "TeamToolCallCompleted",
        "TeamRunPaused"
      ])
      const { json: paused } = yield* get(server, "/teams/desk/runs/r?session_id=s")
      const id = at(list(paused, "requirements")[0], "id")
      const { text } = yield* continueRun(server, [{ id, confirmation: true }], { stream: "true" })
      assert.deepStrictEqual(kindsOf(text), [
        "RunContinued",
        "ToolCallStarted",
        "ToolCallCompleted",
        "ModelRequestStarted",
        "RunContent",
        "ModelRequestCompleted",
        "RunContentCompleted",
        "RunCompleted",
        "TeamRunContinued",
        "TeamModelRequestStarted",
        "TeamRunContent",
        "TeamModelRequestCompleted",
        "TeamRunContentCompleted",
        "TeamRunCompleted"
      ])
      assert.deepStrictEqual(paid, [5])
      const { json } = yield* get(server, "/teams/desk/runs/r?session_id=s")
      assert.strictEqual(at(json, "content"), "All paid.")
      assert.deepStrictEqual(column(list(json, "member_responses"), "content"), ["I paid."])
      assert.strictEqual(at(list(json, "requirements")[0], "confirmation"), true)
      assert.strictEqual(yield* payer.remaining, 0)
      assert.strictEqual(yield* leader.remaining, 0)
      const { json: rows } = yield* get(server, "/sessions/s/runs")
      assert.deepStrictEqual(column(list(rows), "status"), ["COMPLETED", "COMPLETED"])
    }))

  it.effect("a rejected member gets the rejection with its reason", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* paying()
      const { json: paused } = yield* start(server)
      const [requirement] = list(paused, "requirements")
      const rejected = { ...requirement as object, confirmation: false, confirmation_note: "Too much" }
      const { json } = yield* continueRun(server, [rejected])
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.deepStrictEqual(paid, [])
      const [response] = list(json, "member_responses")
      assert.strictEqual(at(list(response, "tools")[0], "result"), "Too much")
    }))

  it.effect("a rejected call of a member and of the leader is in the event that its run continued", () =>
    Effect.gen(function*() {
      const sign = Tool.make({ name: "sign", requiresConfirmation: true, execute: () => "signed" })
      const { server } = yield* paying({
        leaderTools: [sign],
        leaderTurns: [[delegate("payer", "call_1"), toolCall("sign", {}, "sign_1")], [text("Done.")]]
      })
      const { json: paused } = yield* start(server)
      const rejected = list(paused, "requirements").map((each) => ({ ...each as object, confirmation: false }))
      const { text: stream } = yield* continueRun(server, rejected, { stream: "true" })
      const continued = frames(stream).filter(({ kind }) => kind.endsWith("RunContinued"))
      assert.deepStrictEqual(
        continued.map(({ data, kind }) => [kind, column(list(data, "tools"), "tool_call_id")]),
        [["RunContinued", ["pay_1"]], ["TeamRunContinued", ["sign_1"]]]
      )
    }))

  it.effect("a member without a decision keeps waiting, under the same id", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* paying()
      const { json: paused } = yield* start(server)
      const ids = column(list(paused, "requirements"), "id")
      for (const decisions of [undefined, [], list(paused, "requirements")]) {
        undecided(yield* continueRun(server, decisions), /unresolved HITL requirements/)
        const { json } = yield* get(server, "/teams/desk/runs/r?session_id=s")
        assert.strictEqual(at(json, "status"), "PAUSED")
        assert.deepStrictEqual(column(list(json, "requirements"), "id"), ids)
      }
      const { json } = yield* continueRun(server, [{ tool_execution: { tool_call_id: "pay_1", confirmed: true } }])
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.deepStrictEqual(paid, [5])
    }))

  it.effect("a requirement at any depth is shown and decided on the outermost run", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* paying({ nested: true })
      const { json: paused } = yield* start(server)
      const [requirement] = list(paused, "requirements")
      assert.strictEqual(at(requirement, "member_agent_id"), "payer")
      const [office] = list(paused, "member_responses")
      assert.strictEqual(at(list(office, "member_responses")[0], "run_id"), at(requirement, "member_run_id"))
      const { json } = yield* continueRun(server, [{ id: at(requirement, "id"), confirmation: true }])
      assert.strictEqual(at(json, "content"), "All paid.")
      assert.deepStrictEqual(paid, [5])
      assert.deepStrictEqual(column(list(json, "member_responses"), "content"), ["They paid."])
    }))

  it.effect("the total of a paused run has the usage of its members at any depth, also after it is cancelled", () =>
    Effect.gen(function*() {
      const { server } = yield* paying({ nested: true })
      const { json: paused } = yield* start(server)
      yield* send(server, "/r/cancel", {})
      const { json: cancelled } = yield* get(server, "/teams/desk/runs/r?session_id=s")
      assert.deepStrictEqual([at(paused, "status"), at(cancelled, "status")], ["PAUSED", "CANCELLED"])
      for (const run of [paused, cancelled]) {
        const [office] = list(run, "member_responses")
        const [payer] = list(office, "member_responses")
        const total = (of: unknown) => at(of, "total_metrics", "total_tokens")
        assert.deepStrictEqual(
          [total(run), total(office), total(payer)],
          [45, 30, undefined],
          String(at(run, "status"))
        )
      }
    }))

  it.effect("a member can wait beside the leader, and each continues with its own decision", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      const sign = Tool.make({
        name: "sign",
        requiresConfirmation: true,
        execute: () => (sent.push("signed"), "signed")
      })
      const { paid, server } = yield* paying({
        leaderTools: [sign],
        leaderTurns: [[delegate("payer", "call_1"), toolCall("sign", {}, "sign_1")], [text("Done.")]]
      })
      const { json: paused } = yield* start(server)
      const [own, member] = list(paused, "requirements")
      assert.deepStrictEqual([at(own, "tool_execution", "tool_name"), at(member, "member_agent_id")], ["sign", "payer"])
      const { json: half } = yield* continueRun(server, [{ id: at(member, "id"), confirmation: true }])
      assert.strictEqual(at(half, "status"), "PAUSED")
      assert.deepStrictEqual([paid, sent], [[5], []])
      const { json } = yield* continueRun(server, [{ id: at(own, "id"), confirmation: true }])
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.deepStrictEqual([paid, sent], [[5], ["signed"]])
    }))
})

describe("what is sent of requirements is refused", () => {
  it.effect("requirements that the run does not wait for are refused, and the run keeps waiting", () =>
    Effect.gen(function*() {
      const { paid, server } = yield* paying()
      const { json: paused } = yield* start(server)
      const [requirement] = list(paused, "requirements")
      const id = at(requirement, "id")
      for (
        const wrong of [
          [{ id: "another", confirmation: true }],
          [{ id, confirmation: true }, { id, confirmation: false }],
          [{ id, member_run_id: "another", confirmation: true }],
          [{ tool_execution: { tool_call_id: "another", confirmed: true } }]
        ]
      ) {
        undecided(yield* continueRun(server, wrong))
      }
      assert.strictEqual((yield* continueRun(server, undefined, { requirements: "{" })).status, 400)
      assert.strictEqual((yield* continueRun(server, undefined, { requirements: "{}" })).status, 422)
      assert.deepStrictEqual(paid, [])
      assert.strictEqual(at((yield* get(server, "/teams/desk/runs/r?session_id=s")).json, "status"), "PAUSED")
    }))

  it.effect("requirements for an ended run are refused, and without them a new run continues it", () =>
    Effect.gen(function*() {
      const { server } = yield* paying({
        leaderTurns: [[text("Hello.")], [text("Hello again.")]]
      })
      yield* start(server)
      assert.strictEqual((yield* continueRun(server, [])).status, 409)
      const { json, status } = yield* continueRun(server, undefined, { input: "And now?" })
      assert.strictEqual(status, 200)
      assert.strictEqual(at(json, "content"), "Hello again.")
      assert.strictEqual(at(json, "forked_from_run_id"), "r")
    }))
})
