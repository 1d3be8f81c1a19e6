// Runs that wait for people, and how they continue: the requirements, the accepted decisions, and that
// a call is made when it was allowed, as it was allowed, and once.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc/runtime/agent/Agent"
import * as Tool from "@svc/runtime/tool/Tool"
import * as Script from "@svc/testing/ScriptedModel"
import type * as TestServer from "@svc/testing/TestServer"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { call, closed, serveClosed, token } from "../authorization/Closed.ts"
import {
  ask,
  at,
  badRequest,
  column,
  failed,
  frames,
  get,
  kindsOf,
  list,
  notFound,
  runWhole,
  serve,
  undecided
} from "../Wire.ts"

type Fields = Readonly<Record<string, string>>

const mail = Schema.Struct({ to: Schema.String, text: Schema.String })
const args = { to: "a@b.c", text: "hi" }

/** An agent whose tools write down what they were called with. */
const mailer = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn>,
  options: Partial<Tool.Options<typeof mail>> = { requiresConfirmation: true }
) {
  const sent: Array<unknown> = []
  const script = yield* Script.make(turns)
  const execute = (input: unknown) => {
    sent.push(input)
    return "sent"
  }
  const send_mail = Tool.make({ name: "send_mail", parameters: mail, execute, ...options })
  const look = Tool.make({ name: "look", effects: "read", execute: () => (sent.push("look"), "seen") })
  const agent = Agent.make({ id: "approver", name: "Approver", model: script.model, tools: [send_mail, look] })
  return { agent, script, sent }
})

const asking = [[Script.toolCall("send_mail", args, "call_1")], [Script.text("Done.")]]

const path = "/agents/approver/runs/r/continue"
const continueRun = (server: TestServer.TestServer, fields: Fields, bearer?: string, to = path) =>
  call(
    server,
    { path: to, init: { method: "POST", body: new URLSearchParams({ stream: "false", ...fields }) } },
    bearer
  )

const session = { session_id: "s" }
const start = (server: TestServer.TestServer, fields: Fields = {}) =>
  runWhole(server, "approver", { message: "mail", session_id: "s", run_id: "r", ...fields })

const tools = (...decided: ReadonlyArray<object>): Fields => ({ ...session, tools: JSON.stringify(decided) })
const stored = (server: TestServer.TestServer) => ask(server, "/agents/approver/runs/r?session_id=s")

describe("a run that calls a tool which needs confirmation", () => {
  it.effect("a run pauses before the call, and says what it waits for", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer(asking)
      const server = yield* serve({ agents: [agent] })
      const { json, status } = yield* start(server)
      assert.strictEqual(status, 200)
      assert.deepInclude(json, { status: "PAUSED", content_type: "str" })
      assert.match(String(at(json, "content")), /send_mail needs confirmation/)
      assert.deepInclude(at(json, "tools", 0), {
        tool_call_id: "call_1",
        tool_args: args,
        result: null,
        requires_confirmation: true,
        confirmed: null
      })
      assert.deepStrictEqual(at(json, "requirements", 0, "tool_execution"), at(json, "tools", 0))
      assert.match(String(at(json, "requirements", 0, "created_at")), /^2026-11-21T01:10:13/)
      assert.deepStrictEqual(column(at(json, "messages"), "role"), ["user", "assistant"])
      assert.deepStrictEqual(sent, [])
      assert.deepInclude((yield* stored(server)).json, { status: "PAUSED" })
    }))

  it.effect("a confirmed call is made, and the run answers", () =>
    Effect.gen(function*() {
      const { agent, script, sent } = yield* mailer(asking)
      const server = yield* serve({ agents: [agent] })
      const paused = yield* start(server)
      const confirmed = { ...(at(paused.json, "tools", 0) as object), confirmed: true }
      const { json } = yield* continueRun(server, tools(confirmed))
      assert.deepInclude(json, { status: "COMPLETED", content: "Done.", run_id: "r" })
      assert.deepStrictEqual(sent, [args])
      assert.deepInclude(at(json, "tools", 0), { confirmed: true, requires_confirmation: false, result: "sent" })
      assert.deepInclude(at(json, "requirements", 0), { confirmation: true })
      assert.deepStrictEqual(column(at(json, "messages"), "role"), ["user", "assistant", "tool", "assistant"])
      assert.strictEqual(yield* script.remaining, 0)
    }))

  it.effect("a run streams its pause, and then its continuation, with one numbering for both", () =>
    Effect.gen(function*() {
      const { agent } = yield* mailer(asking)
      const server = yield* serve({ agents: [agent] })
      const first = frames((yield* start(server, { stream: "true" })).text)
      assert.deepStrictEqual(kindsOf(first), [
        "RunStarted",
        "ModelRequestStarted",
        "ModelRequestCompleted",
        "RunContentCompleted",
        "RunPaused"
      ])
      assert.deepStrictEqual(column(list(first.at(-1)?.data, "tools"), "tool_name"), ["send_mail"])
      assert.strictEqual(list(first.at(-1)?.data, "requirements").length, 1)
      const second = frames(
        (yield* continueRun(server, { ...tools({ tool_call_id: "call_1", confirmed: true }), stream: "true" })).text
      )
      assert.deepStrictEqual(kindsOf(second), [
        "RunContinued",
        "ToolCallStarted",
        "ToolCallCompleted",
        "ModelRequestStarted",
        "RunContent",
        "ModelRequestCompleted",
        "RunContentCompleted",
        "RunCompleted"
      ])
      const ids = [...first, ...second].map(({ id }) => id)
      assert.deepStrictEqual(ids, ids.map((_, index) => index))
      const log = yield* ask(server, "/agents/approver/runs/r/events?session_id=s")
      assert.deepStrictEqual(frames(log.text), [...first, ...second])
    }))

  it.effect("a call is made with the arguments that a person has changed", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer(asking)
      const server = yield* serve({ agents: [agent] })
      yield* start(server)
      const edited = { to: "x@y.z", text: "hello" }
      const { json } = yield* continueRun(server, tools({ tool_call_id: "call_1", confirmed: true, tool_args: edited }))
      assert.deepStrictEqual(sent, [edited])
      assert.deepStrictEqual(at(json, "tools", 0, "tool_args"), edited)
    }))

  it.effect.each([300, 4500])(
    "a call with changed arguments of %d levels is refused, and its run stays paused",
    (depth) =>
      Effect.gen(function*() {
        const { agent, sent } = yield* mailer(asking)
        const server = yield* serve({ agents: [agent] })
        yield* start(server)
        const deep = `{"to":${"[".repeat(depth)}${"]".repeat(depth)}}`
        const decision = `[{"tool_call_id":"call_1","confirmed":true,"tool_args":${deep}}]`
        assert.strictEqual((yield* continueRun(server, { tools: decision })).status, 422)
        assert.strictEqual(at((yield* get(server, "/agents/approver/runs/r?session_id=s")).json, "status"), "PAUSED")
        assert.deepStrictEqual(sent, [])
      })
  )

  for (
    const [how, fields, note] of [
      [
        "it is rejected with a note",
        tools({ tool_call_id: "call_1", confirmed: false, confirmation_note: "No." }),
        "No."
      ],
      ["it is rejected without a note", tools({ tool_call_id: "call_1", confirmed: false }), "Tool call was rejected"]
    ] as const
  ) {
    it.effect(`a call is never made when ${how}, and the model gets the rejection`, () =>
      Effect.gen(function*() {
        const { agent, script, sent } = yield* mailer(asking)
        const server = yield* serve({ agents: [agent] })
        yield* start(server)
        const { json } = yield* continueRun(server, fields)
        assert.deepInclude(json, { status: "COMPLETED" })
        assert.deepStrictEqual(sent, [])
        assert.deepInclude(at(json, "tools", 0), {
          confirmed: false,
          confirmation_note: note,
          result: note,
          tool_call_error: true
        })
        const [, second] = yield* script.calls
        assert.deepInclude(at(second?.prompt.content.at(-1), "content", 0), { result: note, isFailure: true })
      }))
  }

  it.effect("a call is made once, however many requests confirm it at once", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer(asking)
      const server = yield* serve({ agents: [agent] })
      yield* start(server)
      const confirm = continueRun(server, tools({ tool_call_id: "call_1", confirmed: true }))
      const answers = yield* Effect.all([confirm, confirm, confirm], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409])
      assert.deepStrictEqual(sent, [args])
    }))

  it.effect("a call is confirmed once under its Idempotency-Key, and a repeated request gets the same answer", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer(asking)
      const server = yield* serve({ agents: [agent] })
      yield* start(server)
      const body = new URLSearchParams({ ...tools({ tool_call_id: "call_1", confirmed: true }), stream: "false" })
      const confirm = ask(server, path, { method: "POST", headers: { "idempotency-key": "k" }, body })
      const [first, second] = [yield* confirm, yield* confirm]
      assert.strictEqual(first.status, 200)
      assert.deepStrictEqual(second.json, first.json)
      assert.deepStrictEqual(sent, [args])
    }))

  it.effect("the calls beside the one that waits are made at once", () =>
    Effect.gen(function*() {
      const turn = [Script.toolCall("look", {}, "call_0"), Script.toolCall("send_mail", args, "call_1")]
      const { agent, sent } = yield* mailer([turn, [Script.text("Done.")]])
      const server = yield* serve({ agents: [agent] })
      const paused = yield* start(server)
      assert.deepInclude(paused.json, { status: "PAUSED" })
      assert.deepStrictEqual(sent, ["look"])
      assert.strictEqual(list(paused.json, "requirements").length, 1)
      const { json } = yield* continueRun(server, tools({ tool_call_id: "call_1", confirmed: true }))
      assert.deepStrictEqual(sent, ["look", args])
      assert.deepStrictEqual(column(at(json, "messages"), "tool_name"), [
        undefined,
        undefined,
        "look",
        "send_mail",
        undefined
      ])
    }))

  it.effect("a run waits for several calls at once, and again for those of the next round", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer([
        [Script.toolCall("send_mail", args, "one"), Script.toolCall("send_mail", args, "two")],
        [Script.toolCall("send_mail", args, "three")],
        [Script.text("Done.")]
      ])
      const server = yield* serve({ agents: [agent] })
      assert.strictEqual(list((yield* start(server)).json, "requirements").length, 2)
      const again = yield* continueRun(
        server,
        tools({ tool_call_id: "one", confirmed: true }, { tool_call_id: "two", confirmed: false })
      )
      assert.deepInclude(again.json, { status: "PAUSED" })
      assert.deepStrictEqual(column(at(again.json, "tools"), "requires_confirmation"), [false, false, true])
      const { json } = yield* continueRun(server, tools({ tool_call_id: "three", confirmed: true }))
      assert.deepInclude(json, { status: "COMPLETED" })
      assert.strictEqual(sent.length, 2)
    }))

  it.effect("a paused run that is cancelled ends at once, and cannot be continued", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer(asking)
      const server = yield* serve({ agents: [agent] })
      yield* start(server)
      yield* ask(server, "/agents/approver/runs/r/cancel", { method: "POST" })
      const { json } = yield* stored(server)
      assert.deepInclude(json, { status: "CANCELLED", content: "Run r was cancelled" })
      assert.isUndefined(at(json, "requirements"))
      assert.match(String(at(json, "tools", 0, "result")), /cancelled before this call/)
      for (const fields of [session, tools({ tool_call_id: "call_1", confirmed: true })]) {
        failed(yield* continueRun(server, fields), 409, "CONFLICT", "Cannot continue run r: run is cancelled")
      }
      assert.deepStrictEqual(sent, [])
    }))
})

describe("a run that needs user input", () => {
  it.effect("a run requests fields, and makes the call with the filled-in values", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer(asking, { requiresUserInput: ["to"] })
      const server = yield* serve({ agents: [agent] })
      const paused = yield* start(server)
      const fields = [{ name: "to", field_type: "str", description: null, value: null }]
      assert.deepInclude(at(paused.json, "tools", 0), { requires_user_input: true, user_input_schema: fields })
      undecided(yield* continueRun(server, session), /unresolved HITL requirements.*send_mail/)
      undecided(yield* continueRun(server, tools({ tool_call_id: "call_1" })), /unresolved HITL requirements/)
      const filled = [{ ...fields[0], value: "c@d.e" }]
      const { json } = yield* continueRun(server, tools({ tool_call_id: "call_1", user_input_schema: filled }))
      assert.deepStrictEqual(sent, [{ to: "c@d.e", text: "hi" }])
      assert.deepInclude(at(json, "tools", 0), { answered: true, requires_user_input: false })
    }))

  it.effect("a run takes the result of a call that was made elsewhere, and makes none itself", () =>
    Effect.gen(function*() {
      const { agent, script, sent } = yield* mailer(asking, { externalExecution: true })
      const server = yield* serve({ agents: [agent] })
      const paused = yield* start(server)
      assert.deepInclude(at(paused.json, "tools", 0), { external_execution_required: true })
      const refusal = "Tool send_mail requires external execution, cannot continue run"
      undecided(yield* continueRun(server, tools({ tool_call_id: "call_1" })), refusal)
      const { json } = yield* continueRun(server, tools({ tool_call_id: "call_1", result: "posted" }))
      assert.deepInclude(json, { status: "COMPLETED" })
      assert.deepStrictEqual(sent, [])
      assert.deepInclude(at((yield* script.calls)[1]?.prompt.content.at(-1), "content", 0), { result: "posted" })
      assert.deepInclude(at(json, "requirements", 0), { external_execution_result: "posted" })
    }))
})

describe("a run that needs an approval", () => {
  const served = Effect.fnUntraced(function*(options: Partial<Tool.Options<typeof mail>> = {}) {
    const { agent, sent } = yield* mailer(asking, { approval: "required", ...options })
    const server = yield* serveClosed({ agents: [agent] })
    const ann = yield* token("ann", "agents:run", "agents:read", "approvals:read")
    const boss = yield* token(
      "boss",
      "agents:run",
      "agents:read",
      "platform:admin",
      "approvals:write",
      "approvals:read"
    )
    const body = new URLSearchParams({ message: "mail", session_id: "s", run_id: "r", stream: "false" })
    const paused = yield* call(server, { path: "/agents/approver/runs", init: { method: "POST", body } }, ann)
    const id = String(at(paused.json, "tools", 0, "approval_id"))
    return { ann, boss, id, paused, sent, server }
  })

  const resolve = (server: TestServer.TestServer, id: string, body: object, bearer: string) =>
    call(server, {
      path: `/approvals/${encodeURIComponent(id)}/resolve`,
      init: { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    }, bearer)

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
      const asked: Array<string> = []
      const asks = (name: string, options: Partial<Tool.Options<typeof mail>>) =>
        Tool.make({ name, ...options, execute: () => (asked.push(name), name) })
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
      assert.deepStrictEqual(asked, [])
      const ended = yield* continueRun(server, tools({ tool_call_id: "q", confirmed: true }), ann)
      assert.strictEqual(at(ended.json, "status"), "COMPLETED", ended.text)
      assert.deepStrictEqual(asked, ["pay", "sign"])
    }))

  it.effect("a call takes the values of the approval", () =>
    Effect.gen(function*() {
      const { ann, boss, id, sent, server } = yield* served({ requiresUserInput: ["to"] })
      yield* resolve(server, id, { status: "approved", resolution_data: { values: { to: "c@d.e" } } }, boss)
      yield* continueRun(server, session, ann)
      assert.deepStrictEqual(sent, [{ to: "c@d.e", text: "hi" }])
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
      undecided(
        yield* continueRun(server, tools({ tool_call_id: "call_1", confirmed: true }), ann),
        /unresolved HITL requirements/
      )
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

describe("a request to continue a run", () => {
  const served = Effect.gen(function*() {
    const { agent, sent } = yield* mailer(asking)
    const server = yield* serve({ agents: [agent] })
    yield* start(server)
    return { sent, server }
  })

  for (
    const [what, fields, detail] of [
      ["without a session", { tools: "[]" }, "session_id is required for this action"],
      ["whose tools are no JSON", { ...session, tools: "[" }, "Invalid JSON in tools field"],
      ["whose tools are no list", { ...session, tools: "{}" }, /^Invalid structure or content for tools: /],
      ["whose tools are no objects", { ...session, tools: "[1]" }, /^Invalid structure or content for tools: /],
      [
        "about a call that the run has not",
        tools({ tool_call_id: "x", confirmed: true }),
        "Invalid structure or content for tools: the run has no call 'x'"
      ],
      [
        "that says two things of one call",
        tools({ tool_call_id: "call_1", confirmed: true }, { tool_call_id: "call_1", confirmed: false }),
        "Invalid structure or content for tools: call 'call_1' is named twice"
      ],
      [
        "from nowhere",
        { ...session, continue_from: "start" },
        "Invalid continue_from. Use 'end', 'last_user', or a numeric message index."
      ],
      ["that regenerates and forks", { ...session, regenerate: "true", fork: "true" }, /cannot be used together/],
      ["that replaces what it does not regenerate", { ...session, replace_original: "true" }, /needs regenerate/],
      ["that says the same twice", { ...session, input: "a", additional_instructions: "b" }, /give one of them/],
      [
        "that regenerates from a number",
        { ...session, regenerate: "true", continue_from: "1" },
        /cannot be used with a numeric/
      ]
    ] as ReadonlyArray<readonly [string, Fields, string | RegExp]>
  ) {
    it.effect(`a continuation with ${what} is refused, and the run keeps waiting`, () =>
      Effect.gen(function*() {
        const { sent, server } = yield* served
        const isDecision = String(detail).includes("Invalid structure")
        const refused = isDecision ? undecided : badRequest
        refused(yield* continueRun(server, fields), detail)
        assert.deepInclude((yield* stored(server)).json, { status: "PAUSED" })
        assert.deepStrictEqual(sent, [])
      }))
  }

  it.effect("a run that does not exist is not found, whatever the caller", () =>
    Effect.gen(function*() {
      const { server } = yield* served
      notFound(yield* continueRun(server, session, undefined, "/agents/approver/runs/x/continue"), "Run not found")
      notFound(yield* continueRun(server, { session_id: "t" }), "Run not found")
      notFound(yield* continueRun(server, session, undefined, "/agents/unknown/runs/r/continue"), "Agent not found")
    }))

  it.effect("a run that is executing is not continued", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.hang]])
      const agent = Agent.make({ id: "approver", model: script.model })
      const server = yield* serve({ agents: [agent] })
      yield* start(server, { background: "true" })
      failed(yield* continueRun(server, session), 409, "CONFLICT", "Cannot continue run r: run is already running")
    }))
})

describe("a run that has failed", () => {
  it.effect("a failed run resumes from its last finished step, with the input of the continuation", () =>
    Effect.gen(function*() {
      const { agent, script, sent } = yield* mailer(
        [[Script.toolCall("look", {}, "call_0")], [Script.fail("down")], [Script.text("Done.")]]
      )
      const server = yield* serve({ agents: [agent] })
      assert.deepInclude((yield* start(server)).json, { status: "ERROR" })
      const { json } = yield* continueRun(server, { ...session, input: "Try again." })
      assert.deepInclude(json, { run_id: "r", status: "COMPLETED", content: "Done." })
      assert.deepStrictEqual(sent, ["look"])
      assert.deepStrictEqual(column(at(json, "messages"), "role"), ["user", "assistant", "tool", "user", "assistant"])
      assert.strictEqual((yield* script.calls)[2]?.prompt.content.at(-1)?.role, "user")
    }))
})

describe("a run that has ended", () => {
  const served = Effect.gen(function*() {
    const script = yield* Script.make([[Script.text("One.")], [Script.text("Two.")], [Script.text("Three.")]])
    const agent = Agent.make({ id: "approver", model: script.model, addHistoryToContext: true })
    const server = yield* serve({ agents: [agent] })
    yield* start(server)
    return { script, server }
  })

  it.effect("an ended run is continued in a new one, and stays as it is", () =>
    Effect.gen(function*() {
      const { script, server } = yield* served
      const before = yield* stored(server)
      const { json } = yield* continueRun(server, { ...session, input: "And then?" })
      assert.deepInclude(json, {
        status: "COMPLETED",
        content: "Two.",
        forked_from_run_id: "r",
        forked_from_message_index: 2
      })
      assert.notStrictEqual(at(json, "run_id"), "r")
      assert.deepStrictEqual(column(at(json, "messages"), "content"), ["mail", "One.", "And then?", "Two."])
      assert.deepStrictEqual(
        (yield* script.calls)[1]?.prompt.content.map(({ role }) => role),
        ["user", "assistant", "user"]
      )
      assert.deepStrictEqual((yield* stored(server)).json, before.json)
    }))

  it.effect("a chain of continued runs is shown without repeats in the chat history and in the history of a run", () =>
    Effect.gen(function*() {
      const texts = Array.from({ length: 7 }, (_, n) => [Script.text(`Answer ${n}.`)])
      const script = yield* Script.make(texts)
      const agent = Agent.make({ id: "approver", model: script.model, addHistoryToContext: true, numHistoryRuns: 10 })
      const server = yield* serve({ agents: [agent] })
      yield* start(server)
      let run_id = "r"
      for (let n = 1; n <= 5; n++) {
        const path = `/agents/approver/runs/${run_id}/continue`
        const body = new URLSearchParams({ ...session, stream: "false", input: `Question ${n}` })
        const { json } = yield* ask(server, path, { method: "POST", body })
        run_id = String(at(json, "run_id"))
        assert.deepStrictEqual(
          column(at(json, "messages"), "from_history"),
          [...Array.from({ length: 2 * n }, () => true), false, false]
        )
      }
      const chat = at((yield* get(server, "/sessions/s")).json, "chat_history")
      const decided = [1, 2, 3, 4, 5].flatMap((n) => [`Question ${n}`, `Answer ${n}.`])
      assert.deepStrictEqual(column(chat, "content"), ["mail", "Answer 0.", ...decided])
      yield* runWhole(server, "approver", { message: "more", session_id: "s" })
      assert.deepStrictEqual(
        (yield* script.calls)[6]?.prompt.content.map(({ content }) => at(content, 0, "text")),
        ["mail", "Answer 0.", ...decided, "more"]
      )
    }))

  it.effect("a regenerated run can be read, and is not part of later histories", () =>
    Effect.gen(function*() {
      const { script, server } = yield* served
      const { json } = yield* continueRun(server, { ...session, regenerate: "true" })
      assert.deepInclude(json, { content: "Two.", regenerated_from: "r" })
      assert.deepStrictEqual(column(at(json, "messages"), "content"), ["mail", "Two."])
      assert.deepInclude((yield* stored(server)).json, { status: "REGENERATED", content: "One." })
      const { chat_history } = (yield* get(server, "/sessions/s")).json as { readonly chat_history: unknown }
      assert.deepStrictEqual(column(chat_history, "content"), ["mail", "Two."])
      yield* runWhole(server, "approver", { message: "more", session_id: "s" })
      const [, , third] = yield* script.calls
      assert.deepStrictEqual(
        third?.prompt.content.map(({ content }) => at(content, 0, "text")),
        ["mail", "Two.", "more"]
      )
    }))

  it.effect("an ended run is continued from one of its messages, or from the last one of its user", () =>
    Effect.gen(function*() {
      for (const continue_from of ["1", "last_user"]) {
        const { server } = yield* served
        const { json } = yield* continueRun(server, { ...session, continue_from })
        assert.deepStrictEqual(column(at(json, "messages"), "content"), ["mail", "Two."])
        assert.strictEqual(at(json, "forked_from_message_index"), 1)
      }
    }))
})
