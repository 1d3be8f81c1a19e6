// `POST /approvals/{id}/resolve`, `DELETE /approvals/{id}`, and what callers cannot do.
import { assert, describe, it } from "@effect/vitest"
import type * as Approval from "@svc-runtime/domain/Approval"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { approval } from "@svc-runtime/test-support/suites/approvals/Approvals"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, failed, get, invalid, list, notFound, post, second, send, serve } from "../Wire.ts"
import { storeWith } from "./StoredApprovalRows.ts"
import { id, idsOf, served, waiting, written } from "./StoredApprovals.ts"

Tier.oneIn(3)

const resolvePath = "/approvals/waiting/resolve"

describe("POST /approvals/{id}/resolve", () => {
  it.effect("A resolution with an unknown key is refused with the key, and the approval stays pending.", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      const answer = yield* post(server, resolvePath, { status: "approved", resolution_dat: { values: { to: "b" } } })
      invalid(answer, [["body", "resolution_dat"], "extra_forbidden"])
      assert.strictEqual(at((yield* get(server, "/approvals/waiting")).json, "status"), "pending")
    }))

  const parameters = Schema.Struct({
    to: Schema.String,
    count: Schema.optionalKey(Schema.Int),
    labels: Schema.optionalKey(Schema.Array(Schema.String))
  })
  const kinds = {
    confirmation: {},
    user_input: { requiresUserInput: ["to", "count", "labels"] },
    external_execution: { externalExecution: true }
  } as const

  /** A run that waits for the approval of a call. */
  const requested = Effect.fnUntraced(function*(kind: keyof typeof kinds) {
    const { model, prompts } = yield* Script.make([
      [Script.toolCall("send", { to: "a" }, "send_1")],
      [Script.text("Sent.")]
    ])
    const sent: Array<unknown> = []
    const send = Tool.make({
      name: "send",
      approval: "required",
      parameters,
      ...kinds[kind],
      ...(kind === "external_execution" ? {} : { execute: (args: object) => (sent.push(args), "sent") })
    } as never)
    const server = yield* serve({ agents: [Agent.make({ id: "sender", model, tools: [send] })] })
    yield* ask(server, "/agents/sender/runs", {
      method: "POST",
      body: new URLSearchParams({ message: "go", stream: "false" })
    })
    const [pending] = list((yield* get(server, "/approvals")).json, "data")
    const path = `/approvals/${String(at(pending, "id"))}`
    return {
      /** The run continues by itself, and this waits for its end. */
      finished: ask(server, `/agents/sender/runs/${String(at(pending, "run_id"))}/continue`, {
        method: "POST",
        body: new URLSearchParams({ session_id: String(at(pending, "session_id")), stream: "false" })
      }),
      sent,
      prompts,
      resolve: (resolution_data: object | null, status = "approved") =>
        post(server, `${path}/resolve`, { status, resolution_data }),
      stored: Effect.map(get(server, path), ({ json }) => json)
    }
  })

  type Refusal = readonly [data: object | null, problem: string]

  it.effect.each<readonly [keyof typeof kinds, ReadonlyArray<Refusal>, fitting: object, sent: ReadonlyArray<object>]>([
    [
      "confirmation",
      [
        [{ toolArgs: { to: "b" } }, "there is no 'toolArgs': the keys are 'tool_args', 'note'"],
        [{ edited_tool_args: { to: "b" } }, "there is no 'edited_tool_args'"],
        [{ "tool-args": { to: "b" } }, "there is no 'tool-args'"],
        [{ input: { to: "b" } }, "there is no 'input'"],
        [{ values: { to: "b" } }, "there is no 'values'"],
        [{ tool_args: "b" }, "they are one object, with the arguments by their names"],
        [{ tool_args: { to: 5 } }, "the arguments of send do not fit: to: "],
        [{ tool_args: { to: "b", To: "c" } }, "there is no 'To' (it takes to, count, labels)"],
        [{ result: "done" }, "there is no 'result'"],
        [{ note: 5 }, "note: it is a text"],
        [{ reason: { text: "no" } }, "reason: it is a text"],
        [{ note: "a", reason: "b" }, "there are both 'note' and 'reason'"],
        [{ tool_args: { to: "b" }, tool_call_id: "send_2" }, "tool_call_id: there is no call 'send_2'"],
        [{ tool_call_id: "send_1" }, "tool_call_id: it names the call of 'tool_args'"]
      ],
      { tool_args: { to: "b" }, reason: "a typing error" },
      [{ to: "b" }]
    ],
    [
      "user_input",
      [
        [null, "send needs values of 'to' in `values`"],
        [{}, "send needs values of 'to' in `values`"],
        [{ values: {} }, "send needs values of 'to' in `values`"],
        [{ values: "b" }, "values: they are one object"],
        [{ values: { too: "b" } }, "values: there is no 'too' (the fields are 'to', 'count', 'labels')"],
        [{ values: { to: "b", too: "c" } }, "values: there is no 'too'"],
        [{ value: { to: "b" } }, "there is no 'value': the keys are 'values', 'note'. send needs values of 'to'"],
        [{ to: "b", too: "c" }, "there is no 'too'"],
        [{ tool_args: { to: "b" } }, "there is no 'tool_args'"],
        [{ values: { to: 5 } }, "the arguments of send do not fit: to: "],
        [{ to: "b", count: "many" }, "the arguments of send do not fit: count: "]
      ],
      { values: { to: "b", count: "7", labels: "[\"x\"]" } },
      [{ to: "b", count: 7, labels: ["x"] }]
    ],
    [
      "external_execution",
      [
        [null, "send needs its `result`, a text"],
        [{ results: "done" }, "there is no 'results': the keys are 'result', 'note'. send needs its `result`, a text"],
        [{ result: { done: true } }, "send needs its `result`, a text"],
        [{ result: null }, "send needs its `result`, a text"]
      ],
      { result: "done", note: "by hand" },
      []
    ]
  ])(
    "a decision that the call cannot follow is refused, and the approval stays pending for one that it can: %s",
    ([kind, refusals, fitting, expected]) =>
      Effect.gen(function*() {
        const { finished, resolve, sent, stored } = yield* requested(kind)
        for (const [data, problem] of refusals) {
          const refused = yield* resolve(data)
          assert.strictEqual(refused.status, 422, refused.text)
          assert.include(String(at(refused.json, "detail")), problem)
          assert.deepStrictEqual(at(list(refused.json, "errors")[0], "loc"), ["body", "resolution_data"])
        }
        assert.strictEqual(at(yield* stored, "status"), "pending")
        assert.deepStrictEqual(sent, [])
        const resolved = yield* resolve(fitting)
        assert.strictEqual(resolved.status, 200, resolved.text)
        yield* finished
        assert.strictEqual(at(yield* stored, "run_status"), "COMPLETED")
        assert.deepStrictEqual<ReadonlyArray<unknown>>(sent, expected)
      })
  )

  it.effect("each call of an approval is checked, whatever their order is", () =>
    Effect.gen(function*() {
      const calls = [Script.toolCall("plain", {}, "plain_1"), Script.toolCall("send", { to: "a" }, "send_1")]
      for (const order of [calls, calls.toReversed()]) {
        const { model } = yield* Script.make([order, [Script.text("Sent.")]])
        const made: Array<unknown> = []
        const tools = [
          Tool.make({ name: "plain", approval: "required", execute: () => "done" }),
          Tool.make({
            name: "send",
            approval: "required",
            parameters,
            requiresUserInput: ["count"],
            execute: (args: object) => (made.push(args), "sent")
          } as never)
        ]
        const server = yield* serve({ agents: [Agent.make({ id: "sender", model, tools })] })
        yield* ask(server, "/agents/sender/runs", {
          method: "POST",
          body: new URLSearchParams({ message: "go", stream: "false" })
        })
        const [pending] = list((yield* get(server, "/approvals")).json, "data")
        const resolution_data = { values: { count: "many" } }
        const refused = yield* post(server, `/approvals/${String(at(pending, "id"))}/resolve`, {
          status: "approved",
          resolution_data
        })
        assert.strictEqual(refused.status, 422, refused.text)
        assert.deepStrictEqual(made, [])
      }
    }))

  /** An approval of several calls. */
  const several = Effect.fnUntraced(function*(...calls: ReadonlyArray<Script.Step>) {
    const { model } = yield* Script.make([calls, [Script.text("Sent.")]])
    const made: Array<unknown> = []
    const execute = (args: object) => (made.push(args), "sent")
    const tools = [
      Tool.make({ name: "send", approval: "required", parameters, execute }),
      Tool.make({ name: "print", approval: "required", parameters, externalExecution: true })
    ]
    const server = yield* serve({ agents: [Agent.make({ id: "sender", model, tools })] })
    yield* ask(server, "/agents/sender/runs", {
      method: "POST",
      body: new URLSearchParams({ message: "go", stream: "false", session_id: "s", run_id: "r" })
    })
    const [pending] = list((yield* get(server, "/approvals")).json, "data")
    const resolve = (resolution_data: object) =>
      post(server, `/approvals/${String(at(pending, "id"))}/resolve`, { status: "approved", resolution_data })
    const finished = ask(server, "/agents/sender/runs/r/continue", {
      method: "POST",
      body: new URLSearchParams({ session_id: "s", stream: "false" })
    })
    return { finished, made, resolve }
  })
  const sends = ["a", "b"].map((to, index) => Script.toolCall("send", { to }, `send_${index + 1}`))

  it.effect("arguments for one of several calls name it, and the others are executed as they were requested", () =>
    Effect.gen(function*() {
      const { finished, made, resolve } = yield* several(...sends)
      const tool_args = { to: "c" }
      const refused = yield* resolve({ tool_args })
      assert.strictEqual(refused.status, 422, refused.text)
      assert.include(
        refused.text,
        "tool_args: 2 calls can take them. Name the one that is meant in 'tool_call_id' ('send_1', 'send_2'), or " +
          "continue the run with a decision on each of them in `requirements`"
      )
      for (const tool_call_id of ["send_3", 5]) {
        assert.strictEqual((yield* resolve({ tool_args, tool_call_id })).status, 422)
      }
      const resolved = yield* resolve({ tool_args, tool_call_id: "send_2" })
      assert.strictEqual(resolved.status, 200, resolved.text)
      yield* finished
      assert.deepStrictEqual(made, [{ to: "a" }, tool_args])
    }))

  it.effect("a result is not that of several calls", () =>
    Effect.gen(function*() {
      const prints = ["a", "b"].map((to, index) => Script.toolCall("print", { to }, `print_${index + 1}`))
      const { resolve } = yield* several(...prints)
      const refused = yield* resolve({ result: "done" })
      assert.strictEqual(refused.status, 422, refused.text)
      assert.include(refused.text, "result: 2 calls need one of their own ('print_1', 'print_2')")
    }))

  it.effect("arguments are those of the only call that takes them", () =>
    Effect.gen(function*() {
      const calls = [...sends.slice(0, 1), Script.toolCall("print", { to: "p" }, "print_1")]
      const { finished, made, resolve } = yield* several(...calls)
      assert.strictEqual((yield* resolve({ tool_args: { to: "c" }, result: "done" })).status, 200)
      yield* finished
      assert.deepStrictEqual(made, [{ to: "c" }])
    }))

  it.effect.each(["confirmation", "user_input", "external_execution"] as const)(
    "a rejection takes a note and nothing else: %s",
    (kind) =>
      Effect.gen(function*() {
        const { resolve, stored } = yield* requested(kind)
        for (const key of ["tool_args", "values", "result", "comment", "to"]) {
          const refused = yield* resolve({ [key]: key === "result" ? "done" : { to: "b" }, note: "no" }, "rejected")
          assert.strictEqual(refused.status, 422, refused.text)
          assert.include(String(at(refused.json, "detail")), `there is no '${key}': a rejection takes only 'note'`)
        }
        assert.strictEqual((yield* resolve({ note: 5 }, "rejected")).status, 422)
        assert.strictEqual(at(yield* stored, "status"), "pending")
        assert.strictEqual(
          (yield* resolve({ note: "no", values: {}, tool_args: null, result: "" }, "rejected")).status,
          200
        )
      })
  )

  it.effect("values beside the note are those of the fields, and a key without a value is not given", () =>
    Effect.gen(function*() {
      const approved = yield* requested("user_input")
      assert.strictEqual((yield* approved.resolve({ to: "b", note: "as agreed" })).status, 200)
      yield* approved.finished
      assert.deepStrictEqual(approved.sent, [{ to: "b" }])
      assert.include(JSON.stringify(yield* approved.prompts), "as agreed")
      const rejected = yield* requested("user_input")
      assert.strictEqual((yield* rejected.resolve({ notes: "too late" }, "rejected")).status, 422)
      assert.strictEqual((yield* rejected.resolve({ reason: "too late" }, "rejected")).status, 200)
      yield* rejected.finished
      assert.deepStrictEqual(rejected.sent, [])
      assert.include(JSON.stringify(yield* rejected.prompts), "too late")
      const empty = { values: null, tool_args: null, result: null, note: null }
      for (const [kind, data] of [["external_execution", { result: "done" }], ["user_input", { to: "b" }]] as const) {
        assert.strictEqual((yield* (yield* requested(kind)).resolve({ ...empty, ...data })).status, 200, kind)
      }
      const unset = yield* requested("confirmation")
      assert.strictEqual((yield* unset.resolve(empty)).status, 200)
      yield* unset.finished
      assert.deepStrictEqual(unset.sent, [{ to: "a" }])
    }))

  it.effect("an approval is resolved with its resolver, its time, and its data", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      yield* TestClock.adjust("5 seconds")
      const body = { status: "approved", resolved_by: "ops", resolution_data: { values: { to: "b" } } }
      const answer = yield* post(server, resolvePath, body)
      const resolved = {
        ...waiting,
        ...body,
        resolved_at: second + 5,
        updated_at: second + 5
      } as Approval.Approval
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.text, written(resolved))
      assert.strictEqual((yield* get(server, "/approvals/waiting")).text, written(resolved))
    }))

  it.effect.each([
    { status: "rejected" },
    { status: "rejected", resolved_by: null, resolution_data: null }
  ])("the body %j is accepted, without a resolver and without data", (body) =>
    Effect.gen(function*() {
      const { json } = yield* post(yield* served(waiting), resolvePath, body)
      assert.deepStrictEqual(
        [at(json, "status"), at(json, "resolved_by"), at(json, "resolution_data"), at(json, "resolved_at")],
        ["rejected", null, null, second]
      )
    }))

  it.effect("an approval is resolved once: 409 names its status, and nothing changes", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      const first = yield* post(server, resolvePath, { status: "rejected", resolved_by: "a" })
      const again = yield* post(server, resolvePath, { status: "approved", resolved_by: "b" })
      failed(again, 409, "CONFLICT", "Approval is already 'rejected' and cannot be resolved")
      assert.strictEqual((yield* get(server, "/approvals/waiting")).text, first.text)
    }))

  it.effect("exactly one of many requests at once resolves the approval", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      const answers = yield* Effect.forEach(
        ["a", "b", "c"],
        (resolved_by) => post(server, resolvePath, { status: "approved", resolved_by }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409])
    }))

  it.effect("an expired approval is not resolved", () =>
    Effect.gen(function*() {
      const server = yield* served({ ...waiting, expires_at: second + 60 })
      yield* TestClock.adjust("60 seconds")
      const late = yield* post(server, resolvePath, { status: "approved" })
      failed(late, 409, "CONFLICT", "Approval is already 'expired' and cannot be resolved")
      assert.isNull(at((yield* get(server, "/approvals/waiting")).json, "resolved_at"))
    }))

  it.effect("an approval of a cancelled run is not resolved", () =>
    Effect.gen(function*() {
      const { layer, store } = yield* storeWith(waiting)
      const server = yield* serve({ approvals: layer })
      yield* store.closeForRun(waiting.run_id, "CANCELLED", second)
      const late = yield* post(server, resolvePath, { status: "approved" })
      failed(late, 409, "CONFLICT", "Approval is already 'cancelled' and cannot be resolved")
    }))

  const deep = JSON.parse(`${"{\"a\":".repeat(300)}1${"}".repeat(300)}`) as unknown

  it.effect.each<readonly [string, unknown, string]>([
    ["no status", {}, "status"],
    ["a status that is no decision", { status: "expired" }, "status"],
    ["a status in other letters", { status: "Approved" }, "status"],
    ["no status at all", { status: null }, "status"],
    ["a long name", { status: "approved", resolved_by: "a".repeat(256) }, "resolved_by"],
    ["a name that is no text", { status: "approved", resolved_by: 7 }, "resolved_by"],
    ["data that are no object", { status: "approved", resolution_data: ["a"] }, "resolution_data"],
    ["data that could not be encoded again", { status: "approved", resolution_data: deep }, "resolution_data"]
  ])(
    "a body with %s is refused with 422, and the approval stays pending",
    ([_, body, field]) =>
      Effect.gen(function*() {
        const server = yield* served(waiting)
        const answer = yield* post(server, resolvePath, body)
        failed(answer, 422, "VALIDATION_ERROR")
        assert.deepStrictEqual(at(list(answer.json, "errors")[0], "loc"), ["body", field], answer.text)
        assert.strictEqual((yield* get(server, "/approvals/waiting")).text, written(waiting))
      })
  )

  it.effect.each(["", "{", "[]", "\"approved\""])("the body %j is refused with 422", (body) =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      failed(yield* post(server, resolvePath, body), 422, "VALIDATION_ERROR")
      assert.strictEqual((yield* get(server, "/approvals/waiting")).text, written(waiting))
    }))

  it.effect("a name of 255 characters is accepted", () =>
    Effect.gen(function*() {
      const body = { status: "approved", resolved_by: "a".repeat(255) }
      assert.strictEqual((yield* post(yield* served(waiting), resolvePath, body)).status, 200)
    }))

  it.effect("an unknown approval is not resolved", () =>
    Effect.gen(function*() {
      notFound(yield* post(yield* serve(), resolvePath, { status: "approved" }), "Approval not found")
    }))
})

describe("DELETE /approvals/{id}", () => {
  const remove = (server: TestServer.TestServer, name: string) =>
    ask(server, `/approvals/${name}`, { method: "DELETE" })

  it.effect("an approval is removed for good", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting, approval({ id: id("other") }))
      const answer = yield* remove(server, "waiting")
      assert.deepStrictEqual([answer.status, answer.text], [204, ""])
      notFound(yield* remove(server, "waiting"), "Approval not found")
      notFound(yield* get(server, "/approvals/waiting"), "Approval not found")
      assert.deepStrictEqual(idsOf((yield* get(server, "/approvals")).json), ["other"])
    }))

  it.effect("an unknown approval is not removed", () =>
    Effect.gen(function*() {
      notFound(yield* remove(yield* serve(), "nothing"), "Approval not found")
    }))
})

describe("approvals", () => {
  it.effect("approvals are created by runs only, and changed by resolving only", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      failed(yield* post(server, "/approvals", waiting), 405, "METHOD_NOT_ALLOWED")
      failed(yield* send(server, "PATCH", "/approvals/waiting", { status: "approved" }), 405, "METHOD_NOT_ALLOWED")
      failed(yield* get(server, resolvePath), 405, "METHOD_NOT_ALLOWED")
    }))

  it.effect("the error says that the database does not reply", () =>
    Effect.gen(function*() {
      const down = Effect.fail(new StorageUnavailable({ cause: "down" }))
      const approvals = Layer.mock(ApprovalStore, {
        get: () => down,
        list: () => down,
        countPending: () => down,
        resolve: () => down,
        remove: () => down
      })
      const server = yield* serve({ approvals })
      const answers = [
        yield* get(server, "/approvals"),
        yield* get(server, "/approvals/count"),
        yield* get(server, "/approvals/x"),
        yield* get(server, "/approvals/x/status"),
        yield* post(server, "/approvals/x/resolve", { status: "approved" }),
        yield* ask(server, "/approvals/x", { method: "DELETE" })
      ]
      for (const answer of answers) failed(answer, 503, "SERVICE_UNAVAILABLE")
    }))
})
