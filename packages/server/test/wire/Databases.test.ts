// Components and factories with a database of their own.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import { handlesOf } from "@svc-runtime/agents/database/ComponentDatabases"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import * as Ids from "@svc-runtime/domain/Ids"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as Agent from "@svc-runtime/features/Agent"
import * as Knowledge from "@svc-runtime/features/knowledge/KnowledgeBase"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, badRequest, column, failed, get, notFound, runWhole, serve } from "../Wire.ts"
import { components, sessionIds, started } from "./DatabaseComponents.ts"
import { own, tenant } from "./TwoDatabases.ts"

Tier.oneIn(2)

describe("the option db", () => {
  const factories: Readonly<Record<string, (db: never) => unknown>> = {
    "an agent factory": (db) => AgentFactory.make({ id: "a", db, build: () => Agent.make({ id: "a" }) }),
    "a team factory": (db) => TeamFactory.make({ id: "a", db, build: () => Promise.reject(new Error("unused")) }),
    "a workflow factory": (db) =>
      WorkflowFactory.make({ id: "a", db, build: () => Promise.reject(new Error("unused")) }),
    "an agent": (db) => Agent.make({ id: "a", db }),
    "a team": (db) => Team.make({ id: "a", db, members: [Agent.make({ id: "b" })] }),
    "a workflow": (db) => Workflow.make({ id: "a", db, run: () => "done" })
  }
  const wrong: Readonly<Record<string, unknown>> = {
    null: null,
    "an object": {},
    "a url": "postgres://host/db",
    "0": 0
  }

  for (const [name, make] of Object.entries(factories)) {
    for (const [what, db] of Object.entries(wrong)) {
      it(`the option of ${name} rejects ${what} when it is made`, () => {
        assert.throws(() => make(db as never), /'a': db must be a database handle/)
      })
    }
    it(`the option of ${name} takes a handle, and can be left out`, () => {
      make(tenant as never)
      make(undefined as never)
    })
  }

  it("the service takes handles that name their place only", () => {
    assert.throws(() => DatabaseHandle.postgres({ id: "a", url: "" }), /The database 'a': url must be of the form/)
    assert.throws(
      () => DatabaseHandle.embedded({ id: "a", dataDir: "" }),
      /The database 'a': dataDir must be a directory/
    )
    assert.throws(() => DatabaseHandle.embedded({ id: "a/b", dataDir: "memory" }), /is not usable in a url/)
    assert.throws(
      () => DatabaseHandle.postgres({ id: "a", url: "postgres://h/d", maxConnections: 0 }),
      /maxConnections/
    )
  })
})

describe("a factory with a database", () => {
  it.effect("a factory's database stores the runs of its components, and others are stored elsewhere", () =>
    Effect.gen(function*() {
      const { factory, plain } = yield* components()
      const server = yield* serve({ agents: [factory, plain], databases: [own] })
      assert.strictEqual((yield* runWhole(server, "made", started)).status, 200)
      assert.strictEqual((yield* runWhole(server, "plain", { message: "Hi", session_id: "other" })).status, 200)
      assert.deepStrictEqual(yield* sessionIds(server, "tenant-db"), ["s"])
      assert.deepStrictEqual(yield* sessionIds(server, own), ["other"])
    }))

  it.effect("the runs of a factory's database are shown without building a component", () =>
    Effect.gen(function*() {
      const { calls, factory } = yield* components()
      const server = yield* serve({ agents: [factory] })
      yield* runWhole(server, "made", started)
      const before = calls.count
      assert.strictEqual(at((yield* get(server, "/agents/made/runs/r?session_id=s")).json, "content"), "Hello.")
      assert.deepStrictEqual(column((yield* get(server, "/agents/made/runs?session_id=s")).json, "run_id"), ["r"])
      const events = yield* get(server, "/agents/made/runs/r/events?session_id=s")
      assert.match(events.text, /RunCompleted/)
      assert.strictEqual(calls.count, before)
    }))

  it.effect("a factory is in discovery with its database, and the database is one of the service's", () =>
    Effect.gen(function*() {
      const { factory, plain } = yield* components()
      const server = yield* serve({ agents: [factory, plain] })
      assert.strictEqual(at((yield* get(server, "/agents/made")).json, "db_id"), "tenant-db")
      assert.strictEqual(at((yield* get(server, "/agents/plain")).json, "db_id"), own)
      const config = (yield* get(server, "/config")).json
      assert.deepStrictEqual(at(config, "databases"), [own, "tenant-db"])
      assert.strictEqual(at(config, "os_database"), own)
      assert.deepStrictEqual(column(at(config, "agents"), "db_id"), ["tenant-db", own])
      assert.deepStrictEqual(column(at(config, "session", "dbs"), "db_id"), [own, "tenant-db"])
    }))

  it.effect("a database with knowledge only counts neither for sessions nor for approvals", () =>
    Effect.gen(function*() {
      const handbook = Knowledge.make({ name: "handbook", db: tenant })
      const server = yield* serve({ agents: [Agent.make({ id: "plain", knowledge: handbook })], knowledge: [handbook] })
      assert.strictEqual((yield* get(server, "/sessions")).status, 200)
      assert.strictEqual((yield* get(server, "/memories")).status, 200)
      notFound(yield* get(server, "/sessions?db_id=tenant-db"), "No database found with id 'tenant-db'")
      assert.strictEqual((yield* get(server, "/knowledge/content?db_id=tenant-db")).status, 200)
      const config = (yield* get(server, "/config")).json
      assert.deepStrictEqual(at(config, "databases"), [own, "tenant-db"])
      assert.deepStrictEqual(column(at(config, "session", "dbs"), "db_id"), [own])
      assert.deepStrictEqual(column(at(config, "knowledge", "dbs"), "db_id"), ["tenant-db"])
    }))

  it.effect("a factory's database is a fallback: a component's own database wins", () =>
    Effect.gen(function*() {
      const second = DatabaseHandle.embedded({ id: "second-db", dataDir: "memory" })
      const { factory } = yield* components(second)
      const server = yield* serve({ agents: [factory], handles: [second] })
      assert.strictEqual((yield* runWhole(server, "made", started)).status, 200)
      assert.deepStrictEqual(yield* sessionIds(server, "second-db"), ["s"])
      assert.deepStrictEqual(yield* sessionIds(server, "tenant-db"), [])
      assert.strictEqual(at((yield* get(server, "/agents/made/runs/r?session_id=s")).json, "content"), "Hello.")
    }))

  it.effect("a factory cannot build components for a database that the service does not use", () =>
    Effect.gen(function*() {
      const { factory } = yield* components(DatabaseHandle.embedded({ id: "unknown-db", dataDir: "memory" }))
      const server = yield* serve({ agents: [factory] })
      const answer = yield* runWhole(server, "made", started)
      assert.strictEqual(answer.status, 500)
      assert.match(answer.text, /agent factory 'made' gave a component with the database 'unknown-db'/)
    }))

  it.effect("an unknown db_id and a missing db_id have the errors of the contract", () =>
    Effect.gen(function*() {
      const { factory } = yield* components()
      const server = yield* serve({ agents: [factory] })
      notFound(yield* get(server, "/sessions?db_id=zz"), "No database found with id 'zz'")
      badRequest(yield* get(server, "/sessions"), "The db_id query parameter is required when using multiple databases")
    }))
})

describe("the databases of a service", () => {
  it.effect("two databases of one id with different settings stop the start", () =>
    Effect.gen(function*() {
      const handles = ["a", "b"].map((dataDir) => DatabaseHandle.embedded({ id: "x", dataDir }))
      const registry = { agent: handles.map((db, n) => Agent.make({ id: `a${n}`, db })), team: [], workflow: [] }
      const error = yield* Effect.flip(handlesOf(Ids.DatabaseId.make(own), registry, []))
      assert.match(error.message, /Two databases have the id 'x' and different settings/)
      const [same] = yield* handlesOf(Ids.DatabaseId.make(own), { agent: [], team: [], workflow: [] }, [tenant, tenant])
      assert.strictEqual(same, tenant)
    }))

  it.effect("a database cannot have the id of the service's own", () =>
    Effect.gen(function*() {
      const handle = DatabaseHandle.embedded({ id: own, dataDir: "memory" })
      const error = yield* Effect.flip(
        handlesOf(Ids.DatabaseId.make(own), { agent: [], team: [], workflow: [] }, [handle])
      )
      assert.match(error.message, /The id 'main-db' is that of the service's own database/)
    }))

  it.effect("the limit of runs holds for all databases of a node together", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.wait(Effect.never)]])
      const agents = [Agent.make({ id: "here", model: script.model }), Agent.make({ id: "there", db: tenant })]
      const server = yield* serve({ agents, admission: { runs: 1 } })
      const background = yield* runWhole(server, "here", { message: "Hi", background: "true" })
      assert.strictEqual(background.status, 202, background.text)
      failed(yield* runWhole(server, "there", { message: "Hi" }), 429, "TOO_MANY_REQUESTS")
    }))
})
