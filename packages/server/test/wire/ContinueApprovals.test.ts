// Runs that wait for approvals: who may decide, and what the decision changes.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call, claims, closed, serveClosed, theIssuer, token } from "../authorization/Closed.ts"
import { ask, at, failed, list, notFound, serve, undecided } from "../Wire.ts"
import { resolve, served } from "./Approving.ts"
import { args, asking, continueRun, type mail, mailer, session, start, tools } from "./Mailing.ts"

Tier.oneIn(8)

describe("a run that needs an approval", () => {
  it.effect("the requested approval is stored, and the call names it", () =>
    Effect.gen(function*() {
      const { ann, id, paused, server } = yield* served()
      assert.deepInclude(at(paused.json, "tools", 0), { approval_type: "required", requires_confirmation: true })
      const { json } = yield* call(server, { path: "/approvals" }, ann)
      assert.strictEqual(list(json, "data").length, 1)
      assert.deepInclude(at(json, "data", 0), {
        id,
        run_id: "r",
        session_id: "s",
        status: "pending",
        source_type: "agent",
        agent_id: "approver",
        approval_type: "required",
        pause_type: "confirmation",
        tool_name: "send_mail",
        user_id: "ann",
        run_status: "PAUSED",
        context: { tool_names: ["send_mail"], source_name: "Approver" }
      })
      assert.deepStrictEqual(at(json, "data", 0, "tool_args"), args)
      assert.strictEqual(list(json, "data", 0, "requirements").length, 1)
    }))

  it.effect("a caller who may not approve cannot continue the run with a decision", () =>
    Effect.gen(function*() {
      const { ann, sent, server } = yield* served()
      const detail = "This run requires admin approval before it can be continued"
      for (const fields of [session, tools({ tool_call_id: "call_1", confirmed: true })]) {
        failed(yield* continueRun(server, fields, ann), 403, "FORBIDDEN", detail)
      }
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("the copy of a run that waits for an approval has an approval of its own, which resumes the copy only", () =>
    Effect.gen(function*() {
      const { ann, boss, id, sent, server } = yield* served()
      const init = { method: "POST" }
      const fork = yield* call(server, { path: "/agents/approver/sessions/s/fork", init }, ann)
      const copy = String(at(fork.json, "session_id"))
      const runs = yield* call(server, { path: `/agents/approver/runs?session_id=${copy}` }, ann)
      const path = `/agents/approver/runs/${String(at(runs.json, 0, "run_id"))}/continue`
      const decided = (bearer: string, decisions: Readonly<Record<string, string>>) => {
        const body = new URLSearchParams({ stream: "false", ...decisions, session_id: copy })
        return call(server, { path, init: { method: "POST", body } }, bearer)
      }
      const decision = tools({ tool_call_id: "call_1", confirmed: true })
      const detail = "This run requires admin approval before it can be continued"
      for (const fields of [{}, decision]) failed(yield* decided(ann, fields), 403, "FORBIDDEN", detail)
      const run_id = String(at(runs.json, 0, "run_id"))
      const listed = yield* call(server, { path: `/approvals?run_id=${run_id}` }, boss)
      assert.strictEqual(list(listed.json, "data").length, 1)
      const own = at(listed.json, "data", 0) as Readonly<Record<string, unknown>>
      const { json: original } = yield* call(server, { path: `/approvals/${id}` }, boss)
      assert.deepInclude(own, { run_id, session_id: copy, status: "pending", user_id: "ann", run_status: "PAUSED" })
      assert.deepStrictEqual([own["tool_args"], own["context"]], [at(original, "tool_args"), at(original, "context")])
      assert.notStrictEqual(own["id"], id)
      yield* resolve(server, String(own["id"]), { status: "approved" }, boss)
      assert.strictEqual(at((yield* decided(ann, {})).json, "status"), "COMPLETED")
      assert.deepStrictEqual(sent, [args])
      const pending = yield* call(server, { path: "/approvals?status=pending" }, boss)
      assert.deepStrictEqual(list(pending.json, "data").map((each) => at(each, "id")), [id])
      failed(yield* continueRun(server, session, ann), 403, "FORBIDDEN", detail)
    }))

  it.effect("an approved run that waits is approved anew in a copy, and a decision of who may approve ends its approval", () =>
    Effect.gen(function*() {
      const { ann, boss, id, sent, server } = yield* served({}, [...asking, [Script.text("Done again.")]])
      const fork = yield* call(server, { path: "/agents/approver/sessions/s/fork", init: { method: "POST" } }, ann)
      const copy = String(at(fork.json, "session_id"))
      yield* resolve(server, id, { status: "approved" }, boss)
      yield* continueRun(server, session, ann)
      assert.strictEqual(sent.length, 1)
      const [run] = (yield* call(server, { path: `/agents/approver/runs?session_id=${copy}` }, ann)).json as [unknown]
      assert.strictEqual(at(run, "status"), "PAUSED")
      const body = new URLSearchParams({
        stream: "false",
        ...tools({ tool_call_id: "call_1", confirmed: true }),
        session_id: copy
      })
      const path = `/agents/approver/runs/${String(at(run, "run_id"))}/continue`
      const ended = yield* call(server, { path, init: { method: "POST", body } }, boss)
      assert.strictEqual(at(ended.json, "status"), "COMPLETED", ended.text)
      const all = yield* call(server, { path: "/approvals" }, boss)
      assert.deepStrictEqual(list(all.json, "data").map((each) => at(each, "status")), ["approved", "approved"])
    }))

  it.effect("the copy of a run whose approval was deleted is continued only by a caller who may approve", () =>
    Effect.gen(function*() {
      const { ann, boss, id, sent, server } = yield* served()
      yield* call(server, { path: `/approvals/${id}`, init: { method: "DELETE" } }, boss)
      const fork = yield* call(server, { path: "/agents/approver/sessions/s/fork", init: { method: "POST" } }, ann)
      const copy = String(at(fork.json, "session_id"))
      const runs = yield* call(server, { path: `/agents/approver/runs?session_id=${copy}` }, ann)
      const path = `/agents/approver/runs/${String(at(runs.json, 0, "run_id"))}/continue`
      const decided = (bearer: string, decisions: Readonly<Record<string, string>>) => {
        const body = new URLSearchParams({ stream: "false", ...decisions, session_id: copy })
        return call(server, { path, init: { method: "POST", body } }, bearer)
      }
      const decision = tools({ tool_call_id: "call_1", confirmed: true })
      undecided(yield* decided(ann, {}), /unresolved HITL requirements/)
      failed(yield* decided(ann, decision), 403, "FORBIDDEN", /needs an approval.*with the scope approvals:write/)
      assert.deepStrictEqual(sent, [])
      assert.strictEqual(at((yield* decided(boss, decision)).json, "status"), "COMPLETED")
    }))

  it.effect("the copy of a copy has an approval of its own if the copied run has one, whatever became of the first", () =>
    Effect.gen(function*() {
      const { ann, boss, id, server } = yield* served()
      const forked = (source: string) =>
        Effect.map(
          call(server, { path: `/agents/approver/sessions/${source}/fork`, init: { method: "POST" } }, ann),
          ({ json }) => String(at(json, "session_id"))
        )
      const approvalsOf = (session_id: string) =>
        Effect.map(
          call(server, { path: "/approvals" }, boss),
          ({ json }) => list(json, "data").filter((each) => at(each, "session_id") === session_id)
        )
      const removed = (path: string) => call(server, { path, init: { method: "DELETE" } }, boss)
      const copy = yield* forked("s")
      yield* removed(`/approvals/${id}`)
      const [own, ...others] = yield* approvalsOf(yield* forked(copy))
      assert.deepStrictEqual(others, [])
      assert.deepInclude(own, { status: "pending", tool_name: "send_mail", user_id: "ann", run_status: "PAUSED" })
      assert.deepStrictEqual(yield* approvalsOf(yield* forked("s")), [])
      const [deleted] = yield* approvalsOf(copy)
      yield* removed(`/approvals/${String(at(deleted, "id"))}`)
      assert.deepStrictEqual(yield* approvalsOf(yield* forked(copy)), [])
    }))

  it.effect("an approved run continues with the approved arguments, and callers who continue it see the result", () =>
    Effect.gen(function*() {
      const { ann, boss, id, sent, server } = yield* served()
      const approved = yield* resolve(server, id, { status: "approved" }, boss)
      assert.strictEqual(approved.status, 200, approved.text)
      const edited = tools({ tool_call_id: "call_1", confirmed: true, tool_args: { to: "eve@x.y", text: "!" } })
      const late = yield* continueRun(server, edited, ann)
      const { json } = yield* continueRun(server, session, ann)
      assert.deepInclude(json, { run_id: "r", status: "COMPLETED", content: "Done." })
      assert.deepStrictEqual(at(json, "metadata", "approval", "status"), "approved")
      assert.deepStrictEqual(sent, [args], late.text)
      const record = yield* call(server, { path: `/approvals/${encodeURIComponent(id)}` }, ann)
      assert.deepInclude(record.json, { status: "approved", resolved_by: "boss", run_status: "COMPLETED" })
    }))

  it.effect("a rejected run continues without the call", () =>
    Effect.gen(function*() {
      const { ann, boss, id, sent, server } = yield* served()
      yield* resolve(server, id, { status: "rejected" }, boss)
      const { json } = yield* continueRun(server, session, ann)
      assert.deepInclude(json, { status: "COMPLETED" })
      assert.deepInclude(at(json, "tools", 0), {
        confirmed: false,
        tool_call_error: true,
        result: "Tool call was rejected"
      })
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("a run that failed after its approval can be retried", () =>
    Effect.gen(function*() {
      const turns = [...asking.slice(0, 1), [Script.fail("Away")], [Script.text("Done.")]]
      const { agent, sent } = yield* mailer(turns, { approval: "required" })
      const server = yield* serveClosed({ agents: [agent] })
      const boss = yield* token("boss", "platform:admin", "agents:run", "approvals:write", "approvals:read")
      const body = new URLSearchParams({ message: "mail", session_id: "s", run_id: "r", stream: "false" })
      const paused = yield* call(server, { path: "/agents/approver/runs", init: { method: "POST", body } }, boss)
      yield* resolve(server, String(at(paused.json, "tools", 0, "approval_id")), { status: "approved" }, boss)
      yield* call(server, { path: "/agents/approver/runs/r/events?session_id=s" }, boss)
      const failed = yield* call(server, { path: "/agents/approver/runs/r?session_id=s" }, boss)
      assert.strictEqual(at(failed.json, "status"), "ERROR")
      const { json } = yield* continueRun(server, session, boss)
      assert.deepInclude(json, { run_id: "r", status: "COMPLETED", content: "Done." })
      assert.deepStrictEqual(sent, [args])
    }))

  it.effect("a run with an approval still waits for its other requirements", () =>
    Effect.gen(function*() {
      const executed: Array<string> = []
      const asks = (name: string, options: Partial<Tool.Options<typeof mail>>) =>
        Tool.make({ name, ...options, execute: () => (executed.push(name), name) })
      const { model } = yield* Script.make([
        [Script.toolCall("pay", {}, "p"), Script.toolCall("sign", {}, "q")],
        [Script.text("Done.")]
      ])
      const both = [asks("pay", { approval: "required" }), asks("sign", { requiresConfirmation: true })]
      const server = yield* serveClosed({ agents: [Agent.make({ id: "approver", model, tools: both })] })
      const boss = yield* token("boss", "platform:admin", "approvals:write", "approvals:read")
      const ann = yield* token("ann", "agents:run", "agents:read")
      const body = new URLSearchParams({ message: "go", session_id: "s", run_id: "r", stream: "false" })
      const paused = yield* call(server, { path: "/agents/approver/runs", init: { method: "POST", body } }, ann)
      yield* resolve(server, String(at(paused.json, "tools", 0, "approval_id")), { status: "approved" }, boss)
      const { json } = yield* call(server, { path: "/agents/approver/runs/r?session_id=s" }, ann)
      assert.strictEqual(at(json, "status"), "PAUSED")
      assert.deepStrictEqual(executed, [])
      const ended = yield* continueRun(server, tools({ tool_call_id: "q", confirmed: true }), ann)
      assert.strictEqual(at(ended.json, "status"), "COMPLETED", ended.text)
      assert.deepStrictEqual(executed, ["pay", "sign"])
    }))

  it.effect("a call takes the values of the approval", () =>
    Effect.gen(function*() {
      const { ann, boss, id, sent, server } = yield* served({ requiresUserInput: ["to"] })
      yield* resolve(server, id, { status: "approved", resolution_data: { values: { to: "c@d.e" } } }, boss)
      yield* continueRun(server, session, ann)
      assert.deepStrictEqual(sent, [{ to: "c@d.e", text: "hi" }])
    }))

  it.effect("An approved call has the arguments of the approval in place of the model's.", () =>
    Effect.gen(function*() {
      const { ann, boss, id, sent, server } = yield* served()
      const changed = { to: "c@d.e", text: "changed" }
      yield* resolve(server, id, { status: "approved", resolution_data: { tool_args: changed } }, boss)
      yield* continueRun(server, session, ann)
      assert.deepStrictEqual(sent, [changed])
    }))

  it.effect("The model sees why an approval was rejected.", () =>
    Effect.gen(function*() {
      const { ann, boss, id, sent, server } = yield* served()
      yield* resolve(server, id, { status: "rejected", resolution_data: { note: "too late today" } }, boss)
      const { text } = yield* continueRun(server, session, ann)
      assert.deepStrictEqual(sent, [])
      assert.include(text, "too late today")
    }))

  it.effect("a caller who may approve can continue with a decision, which resolves the approval", () =>
    Effect.gen(function*() {
      for (const [confirmed, verdict] of [[true, "approved"], [false, "rejected"]] as const) {
        const { boss, id, sent, server } = yield* served()
        const { json } = yield* continueRun(server, tools({ tool_call_id: "call_1", confirmed }), boss)
        assert.deepInclude(json, { status: "COMPLETED" })
        assert.deepStrictEqual(sent, confirmed ? [args] : [])
        const { json: approval } = yield* call(server, { path: `/approvals/${encodeURIComponent(id)}` }, boss)
        assert.deepInclude(approval, { status: verdict, resolved_by: "boss", run_status: "COMPLETED" })
        assert.strictEqual((yield* resolve(server, id, { status: "approved" }, boss)).status, 409)
      }
    }))

  it.effect.each<readonly [string, Partial<Tool.Options<typeof mail>>, decision: object, recorded: object | null]>([
    ["edited arguments", {}, { confirmed: true, tool_args: { to: "c@d.e", text: "hi" } }, {
      tool_args: { to: "c@d.e", text: "hi" }
    }],
    ["the same arguments and a note", {}, { confirmed: true, tool_args: args, confirmation_note: "once" }, {
      note: "once"
    }],
    ["no more than a confirmation", {}, { confirmed: true }, null],
    ["a rejection with its note", {}, { confirmed: false, confirmation_note: "no" }, { note: "no" }],
    ["values", { requiresUserInput: ["to"] }, { user_input_schema: [{ name: "to", value: "c@d.e" }] }, {
      values: { to: "c@d.e" }
    }],
    ["a result", { externalExecution: true, execute: undefined } as never, { result: "by hand" }, { result: "by hand" }]
  ])(
    "the approval has what a caller has decided who continued its run: %s",
    ([, options, decision, recorded]) =>
      Effect.gen(function*() {
        const { boss, id, server } = yield* served(options)
        const continued = yield* continueRun(server, tools({ tool_call_id: "call_1", ...decision }), boss)
        assert.strictEqual(at(continued.json, "status"), "COMPLETED", continued.text)
        const { json } = yield* call(server, { path: `/approvals/${encodeURIComponent(id)}` }, boss)
        assert.deepStrictEqual(at(json, "resolution_data"), recorded)
        assert.deepStrictEqual(at(json, "tool_args"), args)
      })
  )

  it.effect("the approval of several calls has the decision on each", () =>
    Effect.gen(function*() {
      const calls = ["a", "b"].map((to, index) => Script.toolCall("send_mail", { to, text: "hi" }, `call_${index + 1}`))
      const { boss, id, sent, server } = yield* served({}, [calls, [Script.text("Done.")]])
      const tool_args = { to: "c", text: "hi" }
      const decisions = tools(
        { tool_call_id: "call_1", confirmed: true, tool_args },
        { tool_call_id: "call_2", confirmed: false, confirmation_note: "no" }
      )
      assert.strictEqual(at((yield* continueRun(server, decisions, boss)).json, "status"), "COMPLETED")
      assert.deepStrictEqual(sent, [tool_args])
      const { json } = yield* call(server, { path: `/approvals/${encodeURIComponent(id)}` }, boss)
      assert.strictEqual(at(json, "status"), "approved")
      assert.deepStrictEqual(at(json, "resolution_data"), {
        calls: [
          { tool_call_id: "call_1", status: "approved", tool_args },
          { tool_call_id: "call_2", status: "rejected", note: "no" }
        ]
      })
    }))

  it.effect("an isolated caller cannot approve their own run, not even with the scope for it", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer(asking, { approval: "required" })
      const authorization = { ...yield* closed, userIsolation: true }
      const server = yield* serve({ agents: [agent], authorization })
      const ann = yield* token("ann", "agents:run", "agents:read", "approvals:read", "approvals:write")
      const body = new URLSearchParams({ message: "mail", session_id: "s", run_id: "r", stream: "false" })
      yield* call(server, { path: "/agents/approver/runs", init: { method: "POST", body } }, ann)
      const refused = yield* continueRun(server, tools({ tool_call_id: "call_1", confirmed: true }), ann)
      failed(refused, 403, "FORBIDDEN", "This run requires admin approval before it can be continued")
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("a caller who may not approve sends the decision of the approval, or is refused", () =>
    Effect.gen(function*() {
      const tool = (name: string, options: object) => Tool.make({ name, ...options, execute: () => `did ${name}` })
      const { model } = yield* Script.make([
        [Script.toolCall("buy", {}, "buy_1"), Script.toolCall("send", {}, "send_1")],
        [Script.text("Done.")]
      ])
      const both = [tool("buy", { approval: "required" }), tool("send", { requiresConfirmation: true })]
      const server = yield* serve({
        agents: [Agent.make({ id: "approver", model, tools: both })],
        authorization: { ...yield* closed, userIsolation: true }
      })
      const ann = yield* token("ann", "agents:run", "agents:read")
      const boss = yield* token("boss", "platform:admin", "approvals:read", "approvals:write")
      const body = new URLSearchParams({ message: "go", session_id: "s", run_id: "r", stream: "false" })
      const paused = yield* call(server, { path: "/agents/approver/runs", init: { method: "POST", body } }, ann)
      const approved = yield* resolve(
        server,
        String(at(paused.json, "tools", 0, "approval_id")),
        { status: "approved" },
        boss
      )
      assert.strictEqual(approved.status, 200, approved.text)
      const decide = (confirmed: boolean) =>
        continueRun(
          server,
          tools({ tool_call_id: "buy_1", confirmed }, { tool_call_id: "send_1", confirmed: true }),
          ann
        )
      failed(yield* decide(false), 409, "CONFLICT", /buy has been approved by now.*each other call: send/)
      assert.strictEqual(at((yield* decide(true)).json, "status"), "COMPLETED")
    }))

  it.effect("a token for another session neither decides nor deletes the approval, not even that of an admin", () =>
    Effect.gen(function*() {
      const { boss, id, sent, server } = yield* served()
      const issuer = yield* theIssuer
      const limited = yield* issuer.sign({ ...claims("boss", ["platform:admin"]), session_id: "elsewhere" })
      const path = `/approvals/${encodeURIComponent(id)}`
      notFound(yield* resolve(server, id, { status: "approved" }, limited))
      notFound(yield* call(server, { path, init: { method: "DELETE" } }, limited))
      assert.deepInclude((yield* call(server, { path }, boss)).json, { status: "pending", run_status: "PAUSED" })
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("an expired approval stays expired when a caller who may approve continues with a decision", () =>
    Effect.gen(function*() {
      const { boss, id, sent, server } = yield* served({ approvalTimeout: "1 minute" })
      yield* TestClock.adjust("1 minute")
      yield* continueRun(server, tools({ tool_call_id: "call_1", confirmed: true }), boss)
      assert.deepStrictEqual(sent, [args])
      const { json: approval } = yield* call(server, { path: `/approvals/${encodeURIComponent(id)}` }, boss)
      assert.deepInclude(approval, { status: "expired", resolved_by: null, run_status: "COMPLETED" })
    }))

  it.effect("a run keeps waiting when its approval was deleted", () =>
    Effect.gen(function*() {
      const { ann, id, sent, server } = yield* served()
      const keeper = yield* token("keeper", "platform:admin", "approvals:delete")
      const removed = yield* call(
        server,
        { path: `/approvals/${encodeURIComponent(id)}`, init: { method: "DELETE" } },
        keeper
      )
      assert.strictEqual(removed.status, 204, removed.text)
      undecided(yield* continueRun(server, session, ann), /unresolved HITL requirements/)
      const decision = tools({ tool_call_id: "call_1", confirmed: true })
      failed(yield* continueRun(server, decision, ann), 403, "FORBIDDEN", /needs an approval/)
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("an approval is of the calls that were seen: another run under the same id has another one", () =>
    Effect.gen(function*() {
      const other = { to: "eve@example.com", text: "All the gold" }
      const turns = [args, other].map((each) => [Script.toolCall("send_mail", each, "call_1")])
      const { agent, sent } = yield* mailer(turns, { approval: "required" })
      const server = yield* serveClosed({ agents: [agent] })
      const ann = yield* token("ann", "agents:run", "sessions:delete", "approvals:read")
      const boss = yield* token("boss", "platform:admin")
      const approvalOf = Effect.fnUntraced(function*() {
        const body = new URLSearchParams({ message: "mail", session_id: "s", run_id: "r", stream: "false" })
        const paused = yield* call(server, { path: "/agents/approver/runs", init: { method: "POST", body } }, ann)
        return String(at(paused.json, "tools", 0, "approval_id"))
      })
      const seen = yield* approvalOf()
      const removed = yield* call(server, { path: "/sessions/s", init: { method: "DELETE" } }, ann)
      assert.strictEqual(removed.status, 204, removed.text)
      const unseen = yield* approvalOf()
      notFound(yield* resolve(server, seen, { status: "approved" }, boss), "Approval not found")
      assert.strictEqual((yield* resolve(server, unseen, { status: "rejected" }, boss)).status, 200)
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("an audit approval is stored when its call is decided", () =>
    Effect.gen(function*() {
      const { agent } = yield* mailer(asking, { approval: "audit" })
      const server = yield* serve({ agents: [agent] })
      yield* start(server)
      assert.deepStrictEqual(at((yield* ask(server, "/approvals")).json, "data"), [])
      yield* continueRun(server, tools({ tool_call_id: "call_1", confirmed: true }))
      const { json } = yield* ask(server, "/approvals")
      assert.deepInclude(at(json, "data", 0), {
        approval_type: "audit",
        status: "approved",
        run_id: "r",
        run_status: "COMPLETED"
      })
    }))
})
