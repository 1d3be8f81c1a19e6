// A paused run that another run replaces no longer waits for its approvals. One that is forked still does.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, column, failed, get, list, post, serve } from "../Wire.ts"

Tier.oneIn(3)

const kinds = { agent: "/agents/payer", team: "/teams/desk" }

const send = (server: TestServer.TestServer, path: string, fields: Readonly<Record<string, string>>) =>
  ask(server, path, { method: "POST", body: new URLSearchParams({ session_id: "s", stream: "false", ...fields }) })

const paused = Effect.fnUntraced(function*(kind: keyof typeof kinds) {
  const paid: Array<string> = []
  const pay = Tool.make({
    name: "pay",
    approval: "required",
    requiresConfirmation: true,
    execute: () => (paid.push("paid"), "paid")
  })
  const calls = [[Script.toolCall("pay", {}, "call")], [Script.text("Again.")], [Script.text("Paid.")]]
  const own = yield* Script.make(kind === "agent" ? calls : [calls[0]!, calls[2]!])
  const agent = Agent.make({ id: "payer", model: own.model, tools: [pay] })
  const delegated = [Script.toolCall("delegate_task_to_member", { member_id: "payer", task: "pay" }, "go")]
  const leader = yield* Script.make([delegated, ...calls.slice(1)])
  const server = yield* serve({
    agents: [agent],
    teams: [Team.make({ id: "desk", model: leader.model, members: [agent] })]
  })
  const { json } = yield* send(server, `${kinds[kind]}/runs`, { message: "pay", run_id: "r" })
  assert.deepInclude(json, { status: "PAUSED" })
  const approvals = Effect.map(get(server, "/approvals"), (answer) => list(answer.json, "data"))
  const [id] = column(yield* approvals, "id")
  const resolved = post(server, `/approvals/${encodeURIComponent(String(id))}/resolve`, { status: "approved" })
  const run = get(server, `${kinds[kind]}/runs/r?session_id=s`)
  return { approvals, continued: `${kinds[kind]}/runs/r/continue`, paid, resolved, run, server }
})

describe.each(["agent", "team"] as const)("a paused run of kind %s", (kind) => {
  it.effect("a run that is regenerated has its pending approvals cancelled", () =>
    Effect.gen(function*() {
      const { approvals, continued, paid, resolved, run, server } = yield* paused(kind)
      const again = yield* send(server, continued, { regenerate: "true" })
      assert.deepInclude(again.json, { status: "COMPLETED", content: "Again." })
      assert.strictEqual(at((yield* run).json, "status"), "REGENERATED")
      assert.deepStrictEqual(
        (yield* approvals).map((each) => [at(each, "status"), at(each, "run_status")]),
        [["cancelled", "REGENERATED"]]
      )
      assert.strictEqual(at((yield* get(server, "/approvals/count")).json, "count"), 0)
      failed(yield* resolved, 409, "CONFLICT")
      assert.deepStrictEqual(paid, [])
    }))

  it.effect("a run that is forked, or regenerated beside the original, keeps its approvals and resumes with them", () =>
    Effect.gen(function*() {
      for (const fields of [{ fork: "true" }, { regenerate: "true", replace_original: "false" }]) {
        const { approvals, continued, paid, resolved, run, server } = yield* paused(kind)
        const again = yield* send(server, continued, fields)
        assert.deepInclude(again.json, { status: "COMPLETED", content: "Again." })
        assert.strictEqual(at((yield* run).json, "status"), "PAUSED")
        assert.deepStrictEqual(column(yield* approvals, "status"), ["pending"])
        assert.strictEqual((yield* resolved).status, 200)
        const ended = yield* send(server, continued, {})
        assert.deepInclude(ended.json, { status: "COMPLETED", content: "Paid." })
        assert.deepStrictEqual(paid, ["paid"])
      }
    }))
})

describe("runs behind a run that is regenerated", () => {
  it.effect("a paused run behind it leaves the path with it, and waits no more", () =>
    Effect.gen(function*() {
      const pay = Tool.make({ name: "pay", approval: "required", requiresConfirmation: true, execute: () => "paid" })
      const { model } = yield* Script.make([
        [Script.text("One.")],
        [Script.toolCall("pay", {}, "call")],
        [Script.text("Other.")]
      ])
      const server = yield* serve({ agents: [Agent.make({ id: "payer", model, tools: [pay] })] })
      yield* send(server, "/agents/payer/runs", { message: "one", run_id: "r1" })
      assert.deepInclude((yield* send(server, "/agents/payer/runs", { message: "pay", run_id: "r2" })).json, {
        status: "PAUSED"
      })
      yield* send(server, "/agents/payer/runs/r1/continue", { regenerate: "true" })
      assert.deepStrictEqual(column((yield* get(server, "/sessions/s/runs")).json, "status"), [
        "REGENERATED",
        "CANCELLED",
        "COMPLETED"
      ])
      assert.deepStrictEqual(column(list((yield* get(server, "/approvals")).json, "data"), "status"), ["cancelled"])
    }))
})
