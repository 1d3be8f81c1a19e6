// Teams that wait for several approvals, or whose approvals are resolved while other members are executed.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { at, list } from "../Wire.ts"
import { approvalsOf, continueRun, delegate, leading, payer, paying, payment, post, resolve } from "./PayingTeams.ts"

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
