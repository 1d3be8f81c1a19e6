// A database that neither replies nor fails: a connection that passes nothing on, or a server that is suspended.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import { makeDatabase } from "@svc-runtime/engine/database/Database"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as Stores from "@svc-runtime/engine/database/Stores"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { endpoints } from "../authorization/Endpoints.ts"
import { always, type Answer, ask, at, column, failed, get, list, post, runWhole, serve } from "../Wire.ts"
import { used } from "./Fixtures.ts"
import { cuttable, own, tenant, within } from "./TwoDatabases.ts"

Tier.oneIn(8)

const second = DatabaseHandle.embedded({ id: "second-db", dataDir: "memory" })

/** Two agents whose runs wait for an approval, each in its database, while the given database is frozen. */
const frozen = Effect.fnUntraced(function*(id: string) {
  const pay = Tool.make({ name: "pay", approval: "required", execute: () => "paid" })
  const agent = Effect.fnUntraced(function*(name: string, db: typeof tenant | undefined) {
    const turns = [[Script.toolCall("pay", {}, "call_1"), used], [Script.text("Paid."), used]] as const
    const { model } = yield* Script.make(turns)
    return Agent.make({ id: name, model, tools: [pay], db })
  })
  const { model } = yield* always(Script.text("Hello."), used)
  const build = ({ id }: { readonly id: string }) => Agent.make({ id, model, db: second })
  const desk = AgentFactory.make({ id: "desk", db: tenant, build })
  const database = cuttable(id)
  const server = yield* serve({
    agents: [yield* agent("here", undefined), yield* agent("there", tenant), desk],
    handles: [second],
    database: database.around
  })
  for (const name of ["here", "there"]) {
    const paused = yield* runWhole(server, name, { message: "Hi", session_id: name, run_id: name })
    assert.strictEqual(at(paused.json, "status"), "PAUSED", paused.text)
  }
  const approvals = list((yield* get(server, "/approvals")).json, "data")
  const pathOf = (name: string) => {
    const found = approvals.find((each) => at(each, "run_id") === name)
    return `/approvals/${encodeURIComponent(String(at(found, "id")))}`
  }
  yield* database.freeze
  return { server, pathOf }
})

/** A service with one database, a finished run, and a run that is paused. */
const alone = Effect.gen(function*() {
  const pay = Tool.make({ name: "pay", approval: "required", execute: () => "paid" })
  const paying = yield* Script.make([[Script.toolCall("pay", {}, "call_1"), used], [Script.text("Paid."), used]])
  const plain = yield* Script.make([[Script.text("Hello."), used], [Script.text("Again."), used]])
  const database = cuttable(own)
  const server = yield* serve({
    agents: [
      Agent.make({ id: "paying", model: paying.model, tools: [pay] }),
      Agent.make({ id: "plain", model: plain.model })
    ],
    database: database.around
  })
  yield* runWhole(server, "paying", { message: "Hi", session_id: "p", run_id: "p" })
  yield* runWhole(server, "plain", { message: "Hi", session_id: "s", run_id: "s" })
  return { server, plain, ...database }
})

describe("a database that does not reply", () => {
  const requests = {
    "a new run": ["POST", "/agents/plain/runs", { message: "Hi", stream: "false" }],
    "a background run": ["POST", "/agents/plain/runs", { message: "Hi", background: "true", stream: "false" }],
    "a continuation": ["POST", "/agents/paying/runs/p/continue", { session_id: "p", stream: "false" }],
    "a cancellation": ["POST", "/agents/paying/runs/p/cancel?session_id=p", undefined],
    "the sessions": ["GET", "/sessions?type=agent", undefined],
    "a session": ["GET", "/sessions/s?type=agent", undefined],
    "the runs of a session": ["GET", "/sessions/s/runs?type=agent", undefined],
    "the approvals": ["GET", "/approvals", undefined],
    "the memories": ["GET", "/memories", undefined],
    "the memory settings of a user": ["GET", "/users/alice/memory-settings", undefined],
    "the learnings": ["GET", "/learnings", undefined],
    "a run": ["GET", "/agents/plain/runs/s?session_id=s", undefined],
    "the events of a run": ["GET", "/agents/plain/runs/s/events?session_id=s", undefined],
    "the schedules": ["GET", "/schedules", undefined],
    "the runs of a schedule": ["GET", "/schedules/s/runs", undefined],
    "a change of a schedule": ["POST", "/schedules/s/disable", undefined],
    "a trigger of a schedule": ["POST", "/schedules/s/trigger", undefined],
    "the webhooks": ["GET", "/webhooks", undefined],
    "the deliveries of a webhook": ["GET", "/webhooks/w/deliveries", undefined],
    "the stored components": ["GET", "/components", undefined],
    "the versions of a component": ["GET", "/components/c/configs", undefined],
    "the current version": ["POST", "/components/c/configs/1/set-current", undefined],
    "the removal of a stored agent": ["DELETE", "/agents/c", undefined],
    "a stored agent": ["GET", "/agents/c", undefined],
    "a run of a stored agent": ["POST", "/agents/c/runs", { message: "Hi", stream: "false" }],
    "the evaluation runs": ["GET", "/eval-runs", undefined],
    "the datasets": ["GET", "/datasets", undefined],
    "the experiments": ["GET", "/experiments", undefined],
    "the traces": ["GET", "/traces", undefined],
    "the feedback": ["GET", "/feedback", undefined]
  } as const

  // the first part of the paths that the features of the list have
  const parts = new Set(endpoints.map(({ route }) => route.split(/[ /?]+/)[1]))
  const served = (Object.keys(requests) as ReadonlyArray<keyof typeof requests>)
    .filter((name) => parts.has(requests[name][1].split(/[/?]/)[1]))

  it.effect.each(served)(
    "A request in a frozen database gets 503 within four seconds: %s.",
    (name) =>
      Effect.gen(function*() {
        const { freeze, server } = yield* alone
        yield* freeze
        const [method, path, fields] = requests[name]
        const body = fields === undefined ? {} : { body: new URLSearchParams(fields) }
        const answer = yield* within(4, ask(server, path, { method, ...body }))
        assert.strictEqual(answer.status, 503, answer.text)
        assert.include(String(at(answer.json, "detail")), "The database does not reply at the moment")
      })
  )

  it.effect("The migrations of a frozen database, which cannot be read, are 503 within four seconds.", () =>
    Effect.gen(function*() {
      const { around, freeze } = cuttable(tenant.id)
      const openDatabase = () =>
        Layer.unwrap(Effect.gen(function*() {
          const built = yield* Layer.build(TestDatabase.layer)
          const opened = around(makeDatabase(tenant.id, built))
          const schemas = yield* Schemas.Schemas
          const nothing = () => Effect.succeed([])
          yield* schemas.add(tenant.id, { state: Effect.never, plan: nothing, migrate: nothing })
          return Layer.merge(Layer.succeedContext(Stores.toContext(opened, built)), Notifications.layerNone)
        }))
      const server = yield* serve({ agents: [Agent.make({ id: "there", db: tenant })], openDatabase })
      yield* get(server, "/health")
      yield* freeze
      const answer = yield* within(4, get(server, `/databases/${tenant.id}/migrations`))
      failed(answer, 503, "SERVICE_UNAVAILABLE", /^The database does not reply at the moment/)
    }))

  it.effect("A request with an idempotency key in a frozen database gets 503 within four seconds.", () =>
    Effect.gen(function*() {
      const { freeze, server } = yield* alone
      yield* freeze
      const init = { method: "POST", headers: { "idempotency-key": "k" }, body: new URLSearchParams({ message: "Hi" }) }
      assert.strictEqual((yield* within(4, ask(server, "/agents/plain/runs", init))).status, 503)
    }))

  it.effect("A run that was refused in a frozen database is not executed when it reaches the database late.", () =>
    Effect.gen(function*() {
      const { freeze, plain, server, thaw } = yield* alone
      yield* freeze
      const fields = { message: "Hi", session_id: "s", run_id: "late" }
      assert.strictEqual((yield* within(4, runWhole(server, "plain", fields))).status, 503)
      yield* thaw
      const read = Effect.andThen(TestClock.adjust("1 second"), get(server, "/agents/plain/runs/late?session_id=s"))
      const isEnded = ({ json }: Answer) => at(json, "status") === "CANCELLED"
      const run = yield* Effect.repeat(read, { until: isEnded, times: TestDatabase.refusesLateStarts ? 10 : 100 })
      if (TestDatabase.refusesLateStarts) failed(run, 404, "NOT_FOUND")
      else assert.isTrue(isEnded(run), run.text)
      assert.strictEqual(yield* plain.remaining, 1)
    }))

  it.effect("A frozen database delays lists of approvals for three seconds at most.", () =>
    Effect.gen(function*() {
      const { server } = yield* frozen("tenant-db")
      const approvals = yield* within(3, get(server, "/approvals"))
      assert.deepStrictEqual(column(list(approvals.json, "data"), "run_id"), ["here"])
      assert.strictEqual(at((yield* within(3, get(server, "/approvals/count"))).json, "count"), 1)
    }))

  it.effect.each([["tenant-db", "here"], [own, "there"]] as const)(
    "A frozen database keeps no approval of another one from being read and resolved: %s.",
    ([id, name]) =>
      Effect.gen(function*() {
        const { pathOf, server } = yield* frozen(id)
        const found = yield* within(3, get(server, pathOf(name)))
        assert.strictEqual(at(found.json, "status"), "pending", found.text)
        const resolved = yield* within(3, post(server, `${pathOf(name)}/resolve`, { status: "approved" }))
        assert.strictEqual(resolved.status, 200, resolved.text)
        const run = yield* Effect.repeat(within(3, get(server, `/agents/${name}/runs/${name}?session_id=${name}`)), {
          until: ({ json }) => at(json, "status") === "COMPLETED",
          times: 100
        })
        assert.strictEqual(at(run.json, "content"), "Paid.")
      })
  )

  it.effect("A frozen database keeps no run of a factory in another one from being read and cancelled.", () =>
    Effect.gen(function*() {
      const { server } = yield* frozen("tenant-db")
      const started = { message: "Hi", session_id: "s", run_id: "r" }
      assert.strictEqual((yield* runWhole(server, "desk", started)).status, 200)
      const run = yield* within(3, get(server, "/agents/desk/runs/r?session_id=s"))
      assert.strictEqual(at(run.json, "content"), "Hello.", run.text)
      const path = "/agents/desk/runs/r/cancel?session_id=s"
      assert.strictEqual((yield* within(3, ask(server, path, { method: "POST" }))).status, 200)
    }))

  it.effect("A frozen database does not delay the response of /ready while another one replies.", () =>
    Effect.gen(function*() {
      const { server } = yield* frozen("tenant-db")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* ask(server, "/ready")).status, 200)
    }))
})
