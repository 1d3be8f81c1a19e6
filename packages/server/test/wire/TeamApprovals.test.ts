// Approvals in teams: of a call that the leader makes, of one that a member makes, and of one that a
// member of a team in the team makes. They are requested, seen and resolved in one way, and the team's run continues
// with them.
import { assert, describe, it } from "@effect/vitest"
import type * as Tool from "@svc-runtime/engine/tool/Tool"
import { toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { at, column, failed, list, serve, undecided } from "../Wire.ts"
import {
  approvalsOf,
  continueRun,
  delegate,
  leading,
  payer,
  paying,
  payment,
  type PayOptions,
  post,
  resolve
} from "./PayingTeams.ts"

Tier.oneIn(10)

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

    it.effect("a copy of the waiting run has an approval of its own, which resumes the copy only", () =>
      Effect.gen(function*() {
        const { ann, boss, id, paid, requirement, server } = yield* paused(place)
        const init = { method: "POST" }
        const fork = yield* call(server, { path: "/teams/desk/sessions/s/fork", init }, ann)
        const session_id = String(at(fork.json, "session_id"))
        const [original, own] = (yield* approvalsOf(server, boss)).toSorted((one) => at(one, "id") === id ? -1 : 1)
        assert.deepInclude(own, { session_id, status: "pending", tool_name: "pay", run_status: "PAUSED" })
        assert.strictEqual(at(own, "source_type"), at(original, "source_type"))
        const { json: runs } = yield* call(server, { path: `/teams/desk/runs?session_id=${session_id}` }, ann)
        const path = `/${String(column(runs, "run_id")[0])}/continue`
        const requirements = JSON.stringify([{ id: at(requirement, "id"), confirmation: true }])
        failed(
          yield* post(server, path, { session_id, requirements }, ann),
          403,
          "FORBIDDEN",
          /requires admin approval/
        )
        yield* resolve(server, String(at(own, "id")), { status: "approved" }, boss)
        for (;;) {
          const { json } = yield* call(server, { path: `/teams/desk/runs?session_id=${session_id}` }, ann)
          if (at(json, 0, "status") === "COMPLETED") break
          yield* TestClock.adjust("1 second")
        }
        assert.deepStrictEqual(paid.length, 1)
        const statuses = new Map((yield* approvalsOf(server, boss)).map((each) => [at(each, "id"), at(each, "status")]))
        assert.deepStrictEqual(statuses, new Map([[at(own, "id"), "approved"], [id, "pending"]]))
      }))

    it.effect("a copy of a copy of the waiting run has an approval of its own when the first session is deleted", () =>
      Effect.gen(function*() {
        const { ann, boss, server } = yield* paused(place)
        const init = { method: "POST" }
        const first = yield* call(server, { path: "/teams/desk/sessions/s/fork", init }, ann)
        yield* call(server, { path: "/sessions/s", init: { method: "DELETE" } }, boss)
        const copy = String(at(first.json, "session_id"))
        const second = yield* call(server, { path: `/teams/desk/sessions/${copy}/fork`, init }, ann)
        const sessions = (yield* approvalsOf(server, boss)).map((each) => at(each, "session_id"))
        assert.deepStrictEqual(new Set(sessions), new Set([copy, at(second.json, "session_id")]))
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
        undecided(yield* resolve(server, id, { status: "approved" }, boss), /needs values of 'to'/)
        assert.strictEqual((yield* events).text, before, "nothing is begun that could not be done")
        failed(yield* continueRun(server, undefined, ann), 403, "FORBIDDEN")
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
