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
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, column, failed, get, invalid, list, notFound, post, second, send, serve } from "../Wire.ts"
import { storeWith } from "./StoredApprovalRows.ts"
import { id, idsOf, served, waiting, written } from "./StoredApprovals.ts"

const resolvePath = "/approvals/waiting/resolve"

describe("POST /approvals/{id}/resolve", () => {
  it.effect("A resolution with an unknown key is refused with the key, and the approval stays pending.", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      const answer = yield* post(server, resolvePath, { status: "approved", resolution_dat: { values: { to: "b" } } })
      invalid(answer, [["body", "resolution_dat"], "extra_forbidden"])
      assert.strictEqual(at((yield* get(server, "/approvals/waiting")).json, "status"), "pending")
    }))

  it.effect.each<readonly [resolution_data: object, problem: string]>([
    [{ toolArgs: { to: "b" } }, "there is no 'toolArgs'. Edited arguments are in 'tool_args'"],
    [{ editedArgs: { to: "b" } }, "there is no 'editedArgs'. Edited arguments are in 'tool_args'"],
    [{ tool_args: "b" }, "tool_args: they are one object, with the arguments by their names"],
    [{ tool_args: { to: 5 } }, "tool_args: to: "],
    [{ tool_args: { to: "b", To: "c" } }, "tool_args: there is no 'To' (it takes to)"]
  ])(
    "an edit that the tool does not take is refused, and the approval stays pending: %j",
    ([resolution_data, problem]) =>
      Effect.gen(function*() {
        const { model } = yield* Script.make([[Script.toolCall("send", { to: "a" }, "send_1")], [Script.text("Sent.")]])
        const sent: Array<string> = []
        const send = Tool.make({
          name: "send",
          approval: "required",
          parameters: Schema.Struct({ to: Schema.String }),
          execute: ({ to }) => (sent.push(to), "sent")
        })
        const server = yield* serve({ agents: [Agent.make({ id: "sender", model, tools: [send] })] })
        yield* ask(server, "/agents/sender/runs", {
          method: "POST",
          body: new URLSearchParams({ message: "go", stream: "false" })
        })
        const [approvalId] = column(list((yield* get(server, "/approvals")).json, "data"), "id")
        const path = `/approvals/${String(approvalId)}`
        const refused = yield* post(server, `${path}/resolve`, { status: "approved", resolution_data })
        assert.strictEqual(refused.status, 422, refused.text)
        assert.include(String(at(refused.json, "detail")), problem)
        assert.strictEqual(at((yield* get(server, path)).json, "status"), "pending")
        const edited = { status: "approved", resolution_data: { tool_args: { to: "b" }, reason: "a typing error" } }
        assert.strictEqual((yield* post(server, `${path}/resolve`, edited)).status, 200)
        assert.deepStrictEqual(sent, ["b"])
      })
  )

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
