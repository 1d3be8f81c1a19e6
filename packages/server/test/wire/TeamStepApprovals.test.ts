// Approvals that an agent or a team waits for while a team executes a step of a workflow: the workflow
// continues with them, and with no other decision.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { closed, token } from "../authorization/Closed.ts"
import { type Answer, ask, at, column, failed, get, list, post, serve } from "../Wire.ts"
import { proceed, start } from "./Flows.ts"
import { answer, delegate, executorRequirements, type Given, paying, served, signing } from "./TeamFlow.ts"

Tier.oneIn(8)

const needsApproval = (answered: Answer) =>
  failed(answered, 403, "FORBIDDEN", "This run requires admin approval before it can be continued")

describe("an approval that a member waits for while its team executes a step", () => {
  const waiting = Effect.fnUntraced(function*(given: Given = {}) {
    const { server, ...more } = yield* served({ ...given, pay: { ...given.pay, approval: "required" } })
    const run = (yield* start(server, "flow")).json
    assert.strictEqual(at(run, "status"), "PAUSED")
    return { ...more, server, run }
  })

  const resolve = (server: TestServer.TestServer, id: unknown, status = "approved") =>
    post(server, `/approvals/${encodeURIComponent(String(id))}/resolve`, { status })

  const approvals = (server: TestServer.TestServer) =>
    Effect.map(get(server, "/approvals"), ({ json }) => list(json, "data"))

  it.effect("a given approval resumes the workflow by itself, and a caller who continues it sees the result", () =>
    Effect.gen(function*() {
      const { paid, run, server } = yield* waiting()
      const [approval] = yield* approvals(server)
      assert.strictEqual(at(approval, "run_id"), at(executorRequirements(run)[0], "member_run_id"))
      assert.strictEqual(at(approval, "id"), at(executorRequirements(run)[0], "tool_execution", "approval_id"))
      assert.strictEqual((yield* resolve(server, at(approval, "id"))).status, 200)
      const { json, status } = yield* proceed(server, "flow")
      assert.deepStrictEqual([status, at(json, "status"), at(json, "content")], [200, "COMPLETED", "after All paid."])
      assert.deepStrictEqual(paid, [5])
      assert.deepStrictEqual(column(yield* approvals(server), "run_status"), ["COMPLETED"])
    }))

  it.effect("a rejected approval tells the member", () =>
    Effect.gen(function*() {
      const { paid, run, server } = yield* waiting()
      yield* resolve(server, at(executorRequirements(run)[0], "tool_execution", "approval_id"), "rejected")
      const { json } = yield* proceed(server, "flow")
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", []])
    }))

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  /** Ann has started the workflow; the boss may approve. */
  const closedWaiting = Effect.fnUntraced(function*() {
    const { paid, server } = yield* served({ pay: { approval: "required" }, authorization: yield* closed })
    const ann = bearer(yield* token("ann", "workflows:run", "workflows:read", "approvals:read"))
    const boss = bearer(
      yield* token("boss", "platform:admin", "workflows:run", "workflows:read", "approvals:read", "approvals:write")
    )
    const run = (yield* start(server, "flow", {}, ann)).json
    assert.strictEqual(at(run, "status"), "PAUSED")
    return { ann, boss, paid, run, server }
  })

  const yes = (run: unknown) => executorRequirements(run).map((each) => ({ ...each as object, confirmation: true }))
  const no = (run: unknown) => executorRequirements(run).map((each) => ({ ...each as object, confirmation: false }))

  it.effect("a caller who may not approve does not give the approval by continuing the workflow, which keeps waiting", () =>
    Effect.gen(function*() {
      const { ann, boss, paid, run, server } = yield* closedWaiting()
      for (const [sent, more] of [[yes, {}], [no, { confirmed: false }]] as const) {
        needsApproval(yield* answer(server, run, sent(run), more, ann))
        assert.deepStrictEqual(paid, [])
      }
      needsApproval(yield* answer(server, run, yes(run), { approver: { user_id: "boss" } }, ann))
      needsApproval(yield* proceed(server, "flow", {}, ann))
      assert.deepStrictEqual(paid, [])
      const { json } = yield* answer(server, run, yes(run), {}, boss)
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", [5]])
    }))

  it.effect("an isolated caller cannot approve their own run, not even with the scope for it", () =>
    Effect.gen(function*() {
      const authorization = { ...yield* closed, userIsolation: true }
      const { paid, server } = yield* served({ pay: { approval: "required" }, authorization })
      const ann = bearer(yield* token("ann", "workflows:run", "workflows:read", "approvals:write"))
      const run = (yield* start(server, "flow", {}, ann)).json
      needsApproval(yield* answer(server, run, yes(run), {}, ann))
      assert.deepStrictEqual(paid, [])
    }))

  it.effect("a caller who may approve gives or rejects the approval by continuing the workflow", () =>
    Effect.gen(function*() {
      for (const [sent, done, status] of [[yes, [5], "approved"], [no, [], "rejected"]] as const) {
        const { boss, paid, run, server } = yield* closedWaiting()
        const nothing = yield* proceed(server, "flow", {}, boss)
        assert.deepStrictEqual([nothing.status, at(nothing.json, "status"), paid], [200, "PAUSED", []])
        const { json } = yield* answer(server, run, sent(run), {}, boss)
        assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", done])
        assert.notInclude(JSON.stringify(json), "\"approver\"")
        const kept = list((yield* ask(server, "/approvals", { headers: boss })).json, "data")
        assert.lengthOf(kept, 1)
        assert.deepInclude(kept[0], { status, resolved_by: "boss" })
      }
    }))

  it.effect("any caller can give the approval where callers are not authenticated, as in agents and teams", () =>
    Effect.gen(function*() {
      const { paid, run, server } = yield* waiting()
      const { json } = yield* answer(server, run, yes(run))
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", [5]])
    }))

  it.effect("an approval does not resume a workflow that waits for another decision as well, and counts when that is sent", () =>
    Effect.gen(function*() {
      const { sign, signed } = signing()
      const { paid, run, server } = yield* waiting({
        leaderTools: [sign],
        leader: [[delegate("office", "call_1"), toolCall("sign", {}, "sign_1")], [text("Done.")]]
      })
      const [own, member] = executorRequirements(run)
      yield* resolve(server, at(member, "tool_execution", "approval_id"))
      const { json: still } = yield* get(server, "/workflows/flow/runs/r?session_id=s")
      assert.deepStrictEqual([at(still, "status"), paid], ["PAUSED", []])
      const { json } = yield* answer(server, run, [{ id: at(own, "id"), confirmation: true }])
      assert.deepStrictEqual([at(json, "status"), paid, signed], ["COMPLETED", [5], ["signed"]])
    }))

  it.effect("a decision in place of an approval that is resolved is 409, and the workflow follows the approval", () =>
    Effect.gen(function*() {
      const { sign, signed } = signing()
      const { paid, run, server } = yield* waiting({
        leaderTools: [sign],
        leader: [[delegate("office", "call_1"), toolCall("sign", {}, "sign_1")], [text("Done.")]]
      })
      const [own, member] = executorRequirements(run)
      yield* resolve(server, at(member, "tool_execution", "approval_id"), "rejected")
      const both = [own, member].map((each) => ({ id: at(each, "id"), confirmation: true }))
      failed(yield* answer(server, run, both), 409, "CONFLICT", /has been rejected/)
      assert.deepStrictEqual([paid, signed], [[], []])
      const { json } = yield* answer(server, run, both.slice(0, 1))
      assert.deepStrictEqual([at(json, "status"), paid, signed], ["COMPLETED", [], ["signed"]])
    }))

  it.effect("an approval with missing input leaves the workflow as it is, however often that is continued", () =>
    Effect.gen(function*() {
      const { run, server } = yield* waiting({ pay: { externalExecution: true } })
      yield* resolve(server, at(executorRequirements(run)[0], "tool_execution", "approval_id"))
      for (let again = 0; again < 2; again++) {
        const { json } = yield* proceed(server, "flow")
        assert.strictEqual(at(json, "status"), "PAUSED")
        assert.deepStrictEqual(at(json, "step_requirements"), at(run, "step_requirements"))
      }
    }))

  it.effect("an expired approval leaves the workflow as it is", () =>
    Effect.gen(function*() {
      const { paid, run, server } = yield* waiting({ pay: { approvalTimeout: "1 minute" } })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(
        (yield* resolve(server, at(executorRequirements(run)[0], "tool_execution", "approval_id"))).status,
        409
      )
      assert.deepStrictEqual([at((yield* proceed(server, "flow")).json, "status"), paid], ["PAUSED", []])
      const { json } = yield* answer(server, run, yes(run))
      assert.deepStrictEqual([at(json, "status"), paid], ["COMPLETED", [5]], "but for who may approve")
    }))

  it.effect("an approval is cancelled with the workflow, and is not pending any more", () =>
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

  it.effect("an approval ends the workflow if that was cancelled meanwhile", () =>
    Effect.gen(function*() {
      const { paid, run, server } = yield* waiting()
      yield* server.fetch("/workflows/flow/runs/r/cancel", { method: "POST" })
      yield* resolve(server, at(executorRequirements(run)[0], "tool_execution", "approval_id"))
      const { json } = yield* proceed(server, "flow")
      assert.deepStrictEqual([at(json, "status"), paid], ["CANCELLED", []])
    }))

  it.effect("the last of several approvals resumes the workflow, in one branch after the other", () =>
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
