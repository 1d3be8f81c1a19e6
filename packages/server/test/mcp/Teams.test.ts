// Teams over MCP: run, with progress, and continued when one of their members waits for a person.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { serveClosed, token } from "../authorization/Closed.ts"
import { at, list, serve } from "../Wire.ts"
import { call, messages, open, post, refused, request } from "./Mcp.ts"

Tier.oneIn(2)

/** A team whose member asks before it pays. */
const paying = Effect.fnUntraced(function*(options: { readonly approval?: "required" } = {}) {
  const paid: Array<string> = []
  const execute = () => (paid.push("paid"), "paid")
  const pay = Tool.make({ name: "pay", requiresConfirmation: true, ...options, execute })
  const payer = yield* Script.make([[Script.toolCall("pay", {}, "pay_1")], [Script.text("I paid.")]])
  const leader = yield* Script.make([
    [Script.toolCall("delegate_task_to_member", { member_id: "payer", task: "pay" }, "call_1")],
    [Script.text("All paid.")]
  ])
  const member = Agent.make({ id: "payer", name: "Payer", model: payer.model, tools: [pay] })
  const desk = Team.make({ id: "desk", name: "Desk", model: leader.model, members: [member] })
  return { desk, paid }
})

const served = Effect.gen(function*() {
  const { desk, paid } = yield* paying()
  return { paid, session: yield* open(yield* serve({ teams: [desk] })) }
})

const args = { team_id: "desk", message: "go", session_id: "s" }

describe("run_team", () => {
  it.effect("run_team says what a member waits for, and continue_run continues with the decision", () =>
    Effect.gen(function*() {
      const { paid, session } = yield* served
      const paused = yield* call(session, "run_team", args)
      assert.strictEqual(at(paused, "structuredContent", "status"), "PAUSED")
      assert.deepStrictEqual(paid, [])
      const [requirement] = list(paused, "structuredContent", "requirements")
      const ended = yield* call(session, "continue_run", {
        run_id: at(paused, "structuredContent", "run_id"),
        session_id: "s",
        team_id: "desk",
        requirements: [{ ...(requirement as object), confirmation: true }]
      })
      assert.strictEqual(at(ended, "structuredContent", "status"), "COMPLETED", JSON.stringify(ended))
      assert.strictEqual(at(ended, "content", 0, "text"), "All paid.")
      assert.deepStrictEqual(paid, ["paid"])
    }))

  it.effect("run_team waits for a person who may approve what a member has requested", () =>
    Effect.gen(function*() {
      const { desk, paid } = yield* paying({ approval: "required" })
      const server = yield* serveClosed({ teams: [desk] })
      const ann = yield* open(server, { bearer: yield* token("ann", "teams:run") })
      const paused = at(yield* call(ann, "run_team", args), "structuredContent")
      const [requirement] = list(paused, "requirements")
      const decision = {
        run_id: at(paused, "run_id"),
        session_id: "s",
        team_id: "desk",
        requirements: [{ ...(requirement as object), confirmation: true }]
      }
      refused(
        yield* call(ann, "continue_run", decision),
        "Error calling tool 'continue_run': This run requires admin approval before it can be continued"
      )
      assert.deepStrictEqual(paid, [])
      const admin = yield* open(server, { bearer: yield* token("root", "platform:admin") })
      const ended = yield* call(admin, "continue_run", decision)
      assert.strictEqual(at(ended, "structuredContent", "status"), "COMPLETED", JSON.stringify(ended))
      assert.deepStrictEqual(paid, ["paid"])
    }))

  it.effect("run_team sends progress of the team to callers who want it", () =>
    Effect.gen(function*() {
      const { session } = yield* served
      const called = request("tools/call", { name: "run_team", arguments: args, _meta: { progressToken: "p" } })
      const notified = messages(yield* post(session.server, called, { headers: session.headers })).slice(0, -1)
      assert.deepStrictEqual(notified.map((message) => at(message, "params", "message")).slice(0, 2), [
        "Team Desk started",
        "Tool call started: delegate_task_to_member"
      ])
    }))

  it.effect("run_team says that a team is unknown", () =>
    Effect.gen(function*() {
      const { session } = yield* served
      refused(
        yield* call(session, "run_team", { ...args, team_id: "unknown" }),
        "Error calling tool 'run_team': Team unknown not found"
      )
    }))
})
