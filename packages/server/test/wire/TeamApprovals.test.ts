// Approvals in teams: of a call that the leader makes, of one that a member makes, and of one that a
// member of a team in the team makes. They are requested, seen and resolved in one way, and the team's run continues
// with them.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc/runtime/agent/Agent"
import * as Team from "@svc/runtime/team/Team"
import * as Tool from "@svc/runtime/tool/Tool"
import * as Script from "@svc/testing/ScriptedModel"
import { text, toolCall } from "@svc/testing/ScriptedModel"
import type * as TestServer from "@svc/testing/TestServer"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { at, column, failed, list, serve, undecided } from "../Wire.ts"

const Payment = Schema.Struct({ amount: Schema.Int, to: Schema.String })
type PayOptions = Partial<Tool.Options<typeof Payment>>

const payment = { amount: 5, to: "ann" }
const delegate = (member_id: string, id: string) => toolCall("delegate_task_to_member", { member_id, task: "pay" }, id)

const paying = (options: PayOptions) => {
  const paid: Array<unknown> = []
  const execute = (input: unknown) => (paid.push(input), "paid")
  return { paid, pay: Tool.make({ name: "pay", parameters: Payment, approval: "required", ...options, execute }) }
}

const payer = Effect.fnUntraced(function*(id: string, pay: Tool.Tool) {
  const { model } = yield* Script.make([[toolCall("pay", payment, `pay_${id}`)], [text("I paid.")]])
  return Agent.make({ id, model, tools: [pay] })
})

const leading = Effect.fnUntraced(function*(
  id: string,
  members: ReadonlyArray<Team.Member>,
  asked: Script.Turn,
  tools: ReadonlyArray<Tool.Tool> = []
) {
  const { model } = yield* Script.make([asked, [text("All paid.")]])
  return Team.make({ id, model, members, tools })
})

/** Who makes the call, and the team of which that is one. */
const placed = {
  "the leader": Effect.fnUntraced(function*(pay: Tool.Tool) {
    return yield* leading("desk", [yield* payer("payer", pay)], [toolCall("pay", payment, "pay_1")], [pay])
  }),
  "a member": Effect.fnUntraced(function*(pay: Tool.Tool) {
    return yield* leading("desk", [yield* payer("payer", pay)], [delegate("payer", "a")])
  }),
  "a member of a team in the team": Effect.fnUntraced(function*(pay: Tool.Tool) {
    const office = yield* leading("office", [yield* payer("payer", pay)], [delegate("payer", "b")])
    return yield* leading("desk", [office], [delegate("office", "a")])
  })
}

type Fields = Readonly<Record<string, string>>

const post = (server: TestServer.TestServer, path: string, fields: Fields, bearer?: string) =>
  call(server, {
    path: `/teams/desk/runs${path}`,
    init: { method: "POST", body: new URLSearchParams({ session_id: "s", stream: "false", ...fields }) }
  }, bearer)

const continueRun = (server: TestServer.TestServer, decisions: unknown, bearer?: string) =>
  post(server, "/r/continue", decisions === undefined ? {} : { requirements: JSON.stringify(decisions) }, bearer)

const resolve = (server: TestServer.TestServer, id: string, body: object, bearer: string) =>
  call(server, {
    path: `/approvals/${encodeURIComponent(id)}/resolve`,
    init: { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  }, bearer)

const approvalsOf = (server: TestServer.TestServer, bearer?: string) =>
  Effect.map(call(server, { path: "/approvals" }, bearer), ({ json }) => list(json, "data"))

/** The result of the call, whatever agent or team has made it. */
const toolOf = (run: unknown): unknown => {
  const tools = list(run, "tools")
  const own = tools.find((tool) => at(tool, "tool_name") === "pay")
  return own ?? toolOf(list(run, "member_responses")[0])
}

/** Ann has started the run; the boss may approve. */
const paused = Effect.fnUntraced(function*(place: keyof typeof placed, options: PayOptions = {}) {
  const { paid, pay } = paying(options)
  const server = yield* serveClosed({ teams: [yield* placed[place](pay)] })
  const ann = yield* token("ann", "teams:run", "teams:read", "approvals:read")
  const boss = yield* token("boss", "platform:admin", "teams:run", "approvals:write", "approvals:read")
  const { json: run } = yield* post(server, "", { message: "go", run_id: "r" }, ann)
  const id = String(at(list(run, "requirements")[0], "tool_execution", "approval_id"))
  return { ann, boss, id, paid, run, server, requirement: list(run, "requirements")[0] }
})

describe.each(Object.keys(placed) as ReadonlyArray<keyof typeof placed>)(
  "a call of %s that needs an approval",
  (place) => {
    it.effect("an approval is stored, and named on the team's run", () =>
      Effect.gen(function*() {
        const { ann, id, paid, requirement, run, server } = yield* paused(place)
        assert.strictEqual(at(run, "status"), "PAUSED")
        const [approval, ...others] = yield* approvalsOf(server, ann)
        assert.deepStrictEqual(others, [])
        const ofLeader = place === "the leader"
        assert.deepInclude(approval, {
          id,
          run_id: ofLeader ? "r" : at(requirement, "member_run_id"),
          session_id: "s",
          status: "pending",
          source_type: ofLeader ? "team" : "agent",
          team_id: ofLeader ? "desk" : null,
          agent_id: ofLeader ? null : "payer",
          tool_name: "pay",
          user_id: "ann",
          run_status: "PAUSED"
        })
        assert.strictEqual(at(toolOf(run), "approval_type"), "required")
        assert.strictEqual(at(toolOf(run), "approval_id"), id)
        assert.deepStrictEqual(paid, [])
      }))

    it.effect("an approval keeps the run waiting for callers who may not approve, whatever decision they send", () =>
      Effect.gen(function*() {
        const { ann, paid, requirement, server } = yield* paused(place)
        const detail = "This run requires admin approval before it can be continued"
        for (const decisions of [undefined, [], [{ id: at(requirement, "id"), confirmation: true }]]) {
          failed(yield* continueRun(server, decisions, ann), 403, "FORBIDDEN", detail)
        }
        assert.deepStrictEqual(paid, [])
      }))

    it.effect("an approval stays pending when a caller who may approve sends no decision", () =>
      Effect.gen(function*() {
        const { boss, id, paid, server } = yield* paused(place)
        for (const decisions of [undefined, []]) {
          undecided(yield* continueRun(server, decisions, boss), /unresolved HITL requirements/)
        }
        assert.deepStrictEqual(column(yield* approvalsOf(server, boss), "id"), [id], "nothing is asked for twice")
        assert.deepStrictEqual(paid, [])
      }))

    it.effect("an approved call is made with the values of the approval, and the caller who started the run sees that", () =>
      Effect.gen(function*() {
        const { ann, boss, id, paid, server } = yield* paused(place, { requiresUserInput: ["to"] })
        const approved = yield* resolve(
          server,
          id,
          { status: "approved", resolution_data: { values: { to: "bob" } } },
          boss
        )
        assert.strictEqual(approved.status, 200, approved.text)
        // it continues by itself, and is watched to its end
        const events = yield* call(server, { path: "/teams/desk/runs/r/events?session_id=s" }, ann)
        assert.match(events.text, /\nevent: TeamRunCompleted\n[^\n]+\n[^\n]+\n\n$/)
        const { json, status } = yield* continueRun(server, undefined, ann)
        assert.strictEqual(status, 200)
        assert.deepInclude(json, { run_id: "r", status: "COMPLETED", content: "All paid." })
        assert.strictEqual(at(json, "metadata", "approval", "status"), "approved")
        assert.deepStrictEqual(paid, [{ amount: 5, to: "bob" }])
        const [approval] = yield* approvalsOf(server, ann)
        assert.deepInclude(approval, { status: "approved", resolved_by: "boss", run_status: "COMPLETED" })
      }))

    it.effect("a call keeps waiting when the approval leaves out required input", () =>
      Effect.gen(function*() {
        const { ann, boss, id, paid, server } = yield* paused(place, { requiresUserInput: ["to"] })
        const events = call(server, { path: "/teams/desk/runs/r/events?session_id=s" }, ann)
        const before = (yield* events).text
        yield* resolve(server, id, { status: "approved" }, boss)
        assert.strictEqual((yield* events).text, before, "nothing is begun that could not be done")
        undecided(yield* continueRun(server, undefined, ann), /unresolved HITL requirements/)
        assert.deepStrictEqual(paid, [])
      }))

    it.effect("a rejected call is not made, and the team continues without it", () =>
      Effect.gen(function*() {
        const { ann, boss, id, paid, server } = yield* paused(place)
        yield* resolve(server, id, { status: "rejected" }, boss)
        const { json } = yield* continueRun(server, undefined, ann)
        assert.deepInclude(json, { run_id: "r", status: "COMPLETED" })
        assert.deepInclude(toolOf(json), {
          confirmed: false,
          tool_call_error: true,
          result: "Tool call was rejected"
        })
        assert.deepStrictEqual(paid, [])
        const [approval] = yield* approvalsOf(server, ann)
        assert.deepInclude(approval, { status: "rejected", run_status: "COMPLETED" })
      }))

    it.effect("a call is made by the decision of a caller who may approve, which resolves the approval", () =>
      Effect.gen(function*() {
        const { boss, id, paid, requirement, server } = yield* paused(place)
        const { json } = yield* continueRun(server, [{ id: at(requirement, "id"), confirmation: true }], boss)
        assert.deepInclude(json, { run_id: "r", status: "COMPLETED" })
        assert.deepStrictEqual(paid, [payment])
        const [approval] = yield* approvalsOf(server, boss)
        assert.deepInclude(approval, { id, status: "approved", resolved_by: "boss" })
      }))

    it.effect("a call keeps waiting when the approval was deleted, whatever decision a caller who may not approve sends", () =>
      Effect.gen(function*() {
        const { ann, id, paid, requirement, server } = yield* paused(place)
        const keeper = yield* token("keeper", "platform:admin", "approvals:delete")
        const path = `/approvals/${encodeURIComponent(id)}`
        assert.strictEqual((yield* call(server, { path, init: { method: "DELETE" } }, keeper)).status, 204)
        const { json, status } = yield* continueRun(server, [{ id: at(requirement, "id"), confirmation: true }], ann)
        assert.deepStrictEqual([status, at(json, "status")], [200, "PAUSED"])
        assert.deepStrictEqual(paid, [])
      }))

    it.effect("an approval is requested anew in a copy of the session, where it is needed as well", () =>
      Effect.gen(function*() {
        const { ann, boss, id, paid, requirement, server } = yield* paused(place)
        const forked = yield* call(server, { path: "/teams/desk/sessions/s/fork", init: { method: "POST" } }, ann)
        const session_id = String(at(forked.json, "session_id"))
        const { json: runs } = yield* call(server, { path: `/teams/desk/runs?session_id=${session_id}` }, ann)
        const requirements = JSON.stringify([{ id: at(requirement, "id"), confirmation: true }])
        const path = `/${String(column(runs, "run_id")[0])}/continue`
        const { json } = yield* post(server, path, { session_id, requirements }, ann)
        assert.strictEqual(at(json, "status"), "PAUSED", JSON.stringify(json))
        assert.deepStrictEqual(paid, [])
        const [of, ...others] = (yield* approvalsOf(server, boss)).filter((approval) => at(approval, "id") !== id)
        assert.deepStrictEqual(others, [])
        assert.deepInclude(of, { session_id, status: "pending" })
        yield* resolve(server, String(at(of, "id")), { status: "approved" }, boss)
        const ended = yield* post(server, path, { session_id }, ann)
        assert.strictEqual(at(ended.json, "status"), "COMPLETED", ended.text)
        assert.deepStrictEqual(paid, [payment])
      }))

    it.effect("an approval is closed when the run was cancelled", () =>
      Effect.gen(function*() {
        const { boss, paid, requirement, server } = yield* paused(place)
        yield* call(server, { path: "/teams/desk/runs/r/cancel", init: { method: "POST" } }, boss)
        const { status } = yield* continueRun(server, [{ id: at(requirement, "id"), confirmation: true }], boss)
        assert.strictEqual(status, 409)
        assert.deepStrictEqual(paid, [])
        const [approval] = yield* approvalsOf(server, boss)
        assert.deepInclude(approval, { status: "cancelled", run_status: "CANCELLED" })
      }))

    it.effect("an audit approval is stored when its call is decided", () =>
      Effect.gen(function*() {
        const { paid, pay } = paying({ approval: "audit" })
        const server = yield* serve({ teams: [yield* placed[place](pay)] })
        const { json: run } = yield* post(server, "", { message: "go", run_id: "r" })
        assert.deepStrictEqual(yield* approvalsOf(server), [])
        const [requirement] = list(run, "requirements")
        yield* continueRun(server, [{ id: at(requirement, "id"), confirmation: true }])
        const [audit] = yield* approvalsOf(server)
        assert.deepInclude(audit, {
          approval_type: "audit",
          status: "approved",
          run_id: place === "the leader" ? "r" : at(requirement, "member_run_id"),
          run_status: "COMPLETED"
        })
        assert.deepStrictEqual(paid, [payment])
      }))
  }
)

describe("a team that waits for two approvals", () => {
  const both = Effect.gen(function*() {
    const { paid, pay } = paying({})
    const members = [yield* payer("first", pay), yield* payer("second", pay)]
    const desk = yield* leading("desk", members, [delegate("first", "a"), delegate("second", "b")])
    const server = yield* serveClosed({ teams: [desk] })
    const boss = yield* token("boss", "platform:admin", "teams:run", "approvals:write", "approvals:read")
    const { json: run } = yield* post(server, "", { message: "go", run_id: "r" }, boss)
    const ids = list(run, "requirements").map((each) => String(at(each, "tool_execution", "approval_id")))
    return { boss, ids, paid, run, server }
  })

  const read = (server: TestServer.TestServer, bearer: string) =>
    Effect.map(call(server, { path: "/teams/desk/runs/r?session_id=s" }, bearer), ({ json }) => json)

  it.effect("a team continues with the last of its approvals, and one never counts for the other", () =>
    Effect.gen(function*() {
      const { boss, ids: [first = "", second = ""], paid, server } = yield* both
      assert.notStrictEqual(first, second)
      yield* resolve(server, first, { status: "approved" }, boss)
      assert.strictEqual(at(yield* read(server, boss), "status"), "PAUSED")
      assert.deepStrictEqual(paid, [])
      yield* resolve(server, second, { status: "rejected" }, boss)
      yield* call(server, { path: "/teams/desk/runs/r/events?session_id=s" }, boss)
      assert.strictEqual(at(yield* read(server, boss), "status"), "COMPLETED")
      assert.deepStrictEqual(paid, [payment])
    }))

  it.effect("a team continues with one approval and a decision about the other call", () =>
    Effect.gen(function*() {
      const { boss, ids: [first = ""], paid, run, server } = yield* both
      yield* resolve(server, first, { status: "approved" }, boss)
      const id = at(list(run, "requirements")[1], "id")
      const { json } = yield* continueRun(server, [{ id, confirmation: true }], boss)
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.deepStrictEqual(paid, [payment, payment])
    }))
})

describe("An approval that is resolved while other members are executed", () => {
  it.effect("The team resumes after it has paused for the approval", () =>
    Effect.gen(function*() {
      const { paid, pay } = paying({})
      const gate = yield* Deferred.make<void>()
      const { model } = yield* Script.make([[Script.wait(gate), text("I looked.")]])
      const members = [yield* payer("payer", pay), Agent.make({ id: "slow", model })]
      const desk = yield* leading("desk", members, [delegate("payer", "a"), delegate("slow", "b")])
      const server = yield* serveClosed({ teams: [desk] })
      const boss = yield* token("boss", "platform:admin", "teams:run", "approvals:write", "approvals:read")
      const running = yield* Effect.forkChild(post(server, "", { message: "go", run_id: "r" }, boss))
      const [approval] = yield* Effect.repeat(Effect.andThen(Effect.yieldNow, approvalsOf(server, boss)), {
        until: (all) => all.length === 1,
        times: 1000
      })
      assert.strictEqual((yield* resolve(server, String(at(approval, "id")), { status: "approved" }, boss)).status, 200)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(at((yield* Fiber.join(running)).json, "status"), "PAUSED")
      const read = Effect.map(call(server, { path: "/teams/desk/runs/r?session_id=s" }, boss), ({ json }) => json)
      const run = yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), read), {
        until: (run) => at(run, "status") === "COMPLETED",
        times: 10
      })
      assert.strictEqual(at(run, "content"), "All paid.")
      assert.deepStrictEqual(paid, [payment])
    }))
})
