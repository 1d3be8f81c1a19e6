// Runs in a second database, and a database that does not reply.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { always, ask, at, column, failed, get, list, notFound, post, runWhole, serve } from "../Wire.ts"
import { components, sessionIds, started } from "./DatabaseComponents.ts"
import { used } from "./Fixtures.ts"
import { serveTraced, start } from "./TracedRuns.ts"
import { cuttable, own, tenant } from "./TwoDatabases.ts"

Tier.oneIn(6)

describe("runs in a second database", () => {
  it.effect("the runs of teams and workflows are stored there, with the runs inside of them", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello."), used)
      const member = Agent.make({ id: "member", model })
      const team = Team.make({ id: "team", model, members: [member], db: tenant })
      const flow = Workflow.make({ id: "flow", db: tenant, steps: [Step.make({ name: "say", agent: member })] })
      const server = yield* serve({ agents: [member], teams: [team], workflows: [flow] })
      const form = (session_id: string) => ({
        method: "POST",
        body: new URLSearchParams({ message: "Hi", stream: "false", session_id })
      })
      assert.strictEqual((yield* ask(server, "/teams/team/runs", form("t"))).status, 200)
      assert.strictEqual((yield* ask(server, "/workflows/flow/runs", form("w"))).status, 200)
      assert.deepStrictEqual([...(yield* sessionIds(server, "tenant-db"))].sort(), ["t", "w"])
      assert.deepStrictEqual(yield* sessionIds(server, own), [])
      assert.strictEqual((yield* get(server, "/teams/team/runs?session_id=t")).status, 200)
      assert.strictEqual((yield* get(server, "/workflows/flow/runs?session_id=w")).status, 200)
    }))

  it.effect("the removal of a session keeps the traces of a session with its id in another database", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello."), used)
      const helper = Agent.make({ id: "helper", model })
      const server = yield* serveTraced({
        agents: [Agent.make({ id: "own", model })],
        teams: [Team.make({ id: "team", model, members: [helper], db: tenant })]
      })
      yield* start(server, "/agents/own/runs", { session_id: "s" })
      yield* start(server, "/teams/team/runs", { session_id: "s" })
      const names = Effect.map(get(server, `/traces?db_id=${own}`), ({ json }) => column(list(json, "data"), "name"))
      assert.deepStrictEqual((yield* names).toSorted(), ["invoke_agent own", "invoke_agent team"])
      assert.strictEqual((yield* ask(server, "/sessions/s?db_id=tenant-db", { method: "DELETE" })).status, 204)
      assert.deepStrictEqual(yield* names, ["invoke_agent own"])
      assert.strictEqual((yield* ask(server, `/sessions/s?db_id=${own}`, { method: "DELETE" })).status, 204)
      assert.deepStrictEqual(yield* names, [])
    }))

  it.effect("wait for approvals that are listed, resolved and removed like those of the service's own database", () =>
    Effect.gen(function*() {
      const pay = Tool.make({ name: "pay", approval: "required", execute: () => "paid" })
      const script = yield* Script.make([
        [Script.toolCall("pay", {}, "call_1"), used],
        [Script.text("Paid."), used]
      ])
      const payer = Agent.make({ id: "payer", model: script.model, tools: [pay], db: tenant })
      const server = yield* serve({ agents: [payer] })
      const paused = yield* runWhole(server, "payer", started)
      assert.strictEqual(at(paused.json, "status"), "PAUSED", paused.text)
      const [approval] = list((yield* get(server, "/approvals")).json, "data")
      assert.strictEqual(at((yield* get(server, "/approvals/count")).json, "count"), 1)
      const path = `/approvals/${encodeURIComponent(String(at(approval, "id")))}`
      assert.strictEqual(at((yield* get(server, path)).json, "run_id"), "r")
      const resolved = yield* post(server, `${path}/resolve`, { status: "approved" })
      assert.strictEqual(resolved.status, 200, resolved.text)
      const run = yield* Effect.repeat(get(server, "/agents/payer/runs/r?session_id=s"), {
        until: ({ json }) => at(json, "status") === "COMPLETED",
        times: 100
      })
      assert.strictEqual(at(run.json, "content"), "Paid.")
      assert.strictEqual((yield* ask(server, path, { method: "DELETE" })).status, 204)
      notFound(yield* get(server, path), "Approval not found")
    }))

  it.effect("the runs of another database are continued, copied and deleted there", () =>
    Effect.gen(function*() {
      const ok = Tool.make({ name: "ok", requiresConfirmation: true, execute: () => "done" })
      const script = yield* Script.make([
        [Script.toolCall("ok", {}, "call_1"), used],
        [Script.text("Done."), used]
      ])
      const server = yield* serve({
        agents: [Agent.make({ id: "asks", model: script.model, tools: [ok], db: tenant })]
      })
      const paused = yield* runWhole(server, "asks", started)
      const [tool] = list(paused.json, "tools")
      const body = new URLSearchParams({
        session_id: "s",
        stream: "false",
        tools: JSON.stringify([{ ...(tool as object), confirmed: true }])
      })
      const done = yield* ask(server, "/agents/asks/runs/r/continue", { method: "POST", body })
      assert.strictEqual(at(done.json, "content"), "Done.", done.text)
      const fork = yield* post(server, "/agents/asks/sessions/s/fork", {})
      assert.strictEqual(fork.status, 200, fork.text)
      assert.strictEqual((yield* sessionIds(server, "tenant-db")).length, 2)
      assert.strictEqual((yield* ask(server, "/sessions/s?db_id=tenant-db", { method: "DELETE" })).status, 204)
      assert.strictEqual((yield* sessionIds(server, "tenant-db")).length, 1)
    }))
})

describe("a database that is away", () => {
  const serveCut = Effect.fnUntraced(function*(cutOff: string) {
    const { factory, plain } = yield* components()
    const database = cuttable(cutOff)
    const server = yield* serve({ agents: [factory, plain], database: database.around })
    return { database, server }
  })

  it.effect("harms the components that use it, and no others", () =>
    Effect.gen(function*() {
      const { database, server } = yield* serveCut("tenant-db")
      yield* runWhole(server, "made", started)
      database.cut()
      failed(yield* runWhole(server, "made", { message: "Hi" }), 503, "SERVICE_UNAVAILABLE")
      failed(yield* get(server, "/agents/made/runs/r?session_id=s"), 503, "SERVICE_UNAVAILABLE")
      failed(yield* get(server, "/sessions?db_id=tenant-db"), 503, "SERVICE_UNAVAILABLE")
      assert.strictEqual(
        (yield* runWhole(server, "plain", { message: "Hi", session_id: "t", run_id: "p" })).status,
        200
      )
      assert.strictEqual((yield* get(server, "/agents/plain/runs/p?session_id=t")).status, 200)
      assert.deepStrictEqual(yield* sessionIds(server, own), ["t"])
      assert.strictEqual((yield* get(server, "/approvals")).status, 200)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* get(server, "/ready")).status, 200)
      database.mend()
      assert.strictEqual((yield* runWhole(server, "made", { message: "Hi" })).status, 200)
    }))

  it.effect("the lost database may be the service's own: components with another one keep executing", () =>
    Effect.gen(function*() {
      const { database, server } = yield* serveCut(own)
      assert.strictEqual((yield* get(server, "/ready")).status, 200)
      database.cut()
      failed(yield* runWhole(server, "plain", { message: "Hi" }), 503, "SERVICE_UNAVAILABLE")
      assert.strictEqual((yield* runWhole(server, "made", started)).status, 200)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* get(server, "/ready")).status, 200)
    }))

  it.effect("an unavailable database cannot keep a service from starting", () =>
    Effect.gen(function*() {
      const { factory, plain } = yield* components()
      const database = cuttable("tenant-db")
      database.cut()
      const server = yield* serve({ agents: [factory, plain], database: database.around })
      const ready = yield* Effect.forkChild(get(server, "/ready"))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(ready)).status, 200)
      assert.strictEqual((yield* runWhole(server, "plain", { message: "Hi" })).status, 200)
      failed(yield* runWhole(server, "made", started), 503, "SERVICE_UNAVAILABLE")
      database.mend()
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* runWhole(server, "made", started)).status, 200)
    }))
})
