// Runs that wait for people, and how they continue: the requirements, the accepted decisions, and that
// a call is made when it was allowed, as it was allowed, and once.
import { assert, describe, it } from "@effect/vitest"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, column, failed, frames, get, kindsOf, list, serve, undecided } from "../Wire.ts"
import { args, asking, continueRun, mailer, path, session, start, stored, tools } from "./Mailing.ts"

Tier.oneIn(8)

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
      assert.deepStrictEqual(at(json, "requirements", 0, "tool_execution"), at(json, "tools", 0))
      assert.deepInclude(at(json, "requirements", 0, "tool_execution"), { confirmed: true, tool_call_error: false })
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
      assert.isUndefined(at(second[0]?.data, "tools"))
      const ids = [...first, ...second].map(({ id }) => id)
      assert.deepStrictEqual(ids, ids.map((_, index) => index))
      const log = yield* ask(server, "/agents/approver/runs/r/events?session_id=s")
      assert.deepStrictEqual(frames(log.text), [...first, ...second])
    }))

  it.effect("a decision that shows another call than the run has is a conflict, and decides nothing", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer(asking)
      const server = yield* serve({ agents: [agent] })
      const { json } = yield* start(server)
      const call = at(json, "tools", 0) as object
      const requirement = at(json, "requirements", 0) as object
      const sending = (...requirements: ReadonlyArray<object>) => ({
        ...session,
        requirements: JSON.stringify(requirements)
      })
      for (
        const fields of [
          tools({ ...call, tool_name: "look", confirmed: true }),
          tools({ ...call, tool_name: "look", confirmed: false }),
          sending({ ...requirement, confirmation: true, tool_execution: { ...call, tool_name: "look" } }),
          sending({ ...requirement, confirmation: true, tool_execution: { ...call, tool_call_id: "call_2" } })
        ]
      ) {
        failed(yield* continueRun(server, fields), 409, "CONFLICT", /read the run/)
      }
      assert.strictEqual(at((yield* stored(server)).json, "status"), "PAUSED")
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("the result of a call that was executed elsewhere with other arguments is a conflict", () =>
    Effect.gen(function*() {
      const { agent } = yield* mailer(asking, { externalExecution: true })
      const server = yield* serve({ agents: [agent] })
      const call = at((yield* start(server)).json, "tools", 0) as object
      const shown = { ...call, tool_args: { ...args, text: "other" }, result: "sent" }
      failed(yield* continueRun(server, tools(shown)), 409, "CONFLICT", /read the run/)
      const { json } = yield* continueRun(server, tools({ ...call, result: "sent" }))
      assert.strictEqual(at(json, "status"), "COMPLETED")
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
    const [how, fields, note, shown] of [
      [
        "it is rejected with a note",
        tools({ tool_call_id: "call_1", confirmed: false, confirmation_note: "No." }),
        "No.",
        "(A person has rejected this call.)\n\nNo."
      ],
      [
        "it is rejected without a note",
        tools({ tool_call_id: "call_1", confirmed: false }),
        "Tool call was rejected",
        "(A person has rejected this call.)"
      ]
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
        assert.deepInclude(at(second?.prompt.content.at(-1), "content", 0), { result: shown, isFailure: true })
      }))
  }

  it.effect.each<readonly [string, Parameters<typeof mailer>[1], object, object]>([
    ["rejected", { requiresConfirmation: true }, { confirmed: false, confirmation_note: "No." }, {
      confirmed: false,
      result: "No."
    }],
    ["executed elsewhere", { externalExecution: true }, { result: "sent" }, { tool_call_error: false, result: "sent" }]
  ])(
    "RunContinued has a call that was %s",
    ([, options, decision, shown]) =>
      Effect.gen(function*() {
        const { agent } = yield* mailer(asking, options)
        const server = yield* serve({ agents: [agent] })
        yield* start(server)
        const answer = yield* continueRun(server, {
          ...tools({ tool_call_id: "call_1", ...decision }),
          stream: "true"
        })
        const [first, second] = frames(answer.text)
        assert.strictEqual(first?.kind, "RunContinued")
        assert.deepInclude(at(first?.data, "tools", 0), { tool_call_id: "call_1", ...shown })
        assert.strictEqual(second?.kind, "ModelRequestStarted")
      })
  )

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

  it.effect("a call is confirmed once under its Idempotency-Key, and a repeated request gets the same response", () =>
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

  it.effect("a requirement that was decided is a conflict when it is sent alone, and may be sent with the open one", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer([
        [Script.toolCall("send_mail", args, "one")],
        [Script.toolCall("send_mail", args, "two")],
        [Script.text("Done.")]
      ])
      const server = yield* serve({ agents: [agent] })
      const decide = (...requirements: ReadonlyArray<unknown>) =>
        continueRun(server, { ...session, requirements: JSON.stringify(requirements) })
      const first = { id: at((yield* start(server)).json, "requirements", 0, "id"), confirmed: true }
      const second = { id: at((yield* decide(first)).json, "requirements", 1, "id"), confirmed: true }
      failed(yield* decide(first), 409, "CONFLICT", /does not wait for requirement/)
      assert.strictEqual(sent.length, 1)
      assert.deepInclude((yield* decide(first, second)).json, { status: "COMPLETED" })
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
      assert.match(String(at(json, "tools", 0, "result")), /Not executed: the run ended before this call/)
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
      const needed =
        "send_mail (call_1) needs values of 'to' in `user_input_schema`, as answer(run, values) of the clients does"
      const missing =
        `Run has unresolved HITL requirements. Send a decision on each (or resolve its approval first): ${needed}.`
      undecided(yield* continueRun(server, session), missing)
      undecided(yield* continueRun(server, tools({ tool_call_id: "call_1" })), /unresolved HITL requirements/)
      const filled = [{ ...fields[0], value: "c@d.e" }]
      const { json } = yield* continueRun(server, tools({ tool_call_id: "call_1", user_input_schema: filled }))
      assert.deepStrictEqual(sent, [{ to: "c@d.e", text: "hi" }])
      assert.deepInclude(at(json, "tools", 0), { answered: true, requires_user_input: false })
    }))

  it.effect("values that the call does not take are refused, and the run waits for others", () =>
    Effect.gen(function*() {
      const { agent, sent } = yield* mailer(asking, { requiresUserInput: ["to"] })
      const server = yield* serve({ agents: [agent] })
      yield* start(server)
      const given = (fields: ReadonlyArray<object>) =>
        continueRun(server, tools({ tool_call_id: "call_1", user_input_schema: fields }))
      undecided(yield* given([{ name: "to", value: "c@d.e" }, { name: "too", value: "x" }]), /'too' is not a requested/)
      undecided(yield* given([{ name: "to", value: 5 }]), /the arguments of send_mail \(call_1\) do not fit: to: /)
      assert.deepStrictEqual(sent, [])
      yield* given([{ name: "to", value: "c@d.e" }])
      assert.deepStrictEqual(sent, [{ to: "c@d.e", text: "hi" }])
    }))

  it.effect("a run takes the result of a call that was made elsewhere, and makes none itself", () =>
    Effect.gen(function*() {
      const { agent, script, sent } = yield* mailer(asking, { externalExecution: true })
      const server = yield* serve({ agents: [agent] })
      const paused = yield* start(server)
      assert.deepInclude(at(paused.json, "tools", 0), { external_execution_required: true })
      const refusal = "Tool send_mail requires external execution, cannot continue run. Send " +
        "`external_execution_result`, as answer(run) of the clients does with a result"
      undecided(yield* continueRun(server, tools({ tool_call_id: "call_1" })), refusal)
      const { json } = yield* continueRun(server, tools({ tool_call_id: "call_1", result: "posted" }))
      assert.deepInclude(json, { status: "COMPLETED" })
      assert.deepStrictEqual(sent, [])
      assert.deepInclude(at((yield* script.calls)[1]?.prompt.content.at(-1), "content", 0), { result: "posted" })
      assert.deepInclude(at(json, "requirements", 0), { external_execution_result: "posted" })
    }))
})
