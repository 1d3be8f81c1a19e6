// The service through the client that is derived from its API: what it responds is read back as what it meant.
import { assert, describe, it } from "@effect/vitest"
import * as AgentSchema from "@svc-runtime/domain/Agent"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { Api } from "@svc-runtime/features/Api"
import { approval } from "@svc-runtime/test-support/suites/approvals/Approvals"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { post, runWhole, serve } from "../Wire.ts"
import { factoryOf, tenants } from "../wire/Factories.ts"
import { plain } from "../wire/Fixtures.ts"
import { storeWith } from "../wire/StoredApprovalRows.ts"

Tier.oneIn(2)

const waiting = approval({ id: Approval.Id.make("a") })

const serving = Effect.fnUntraced(function*(agents: TestServer.Options["agents"]) {
  const { layer: approvals } = yield* storeWith(waiting)
  const server = yield* serve({ agents, approvals })
  const fetch = (input: URL | RequestInfo, init?: RequestInit) => {
    const url = new URL(String(input))
    return Effect.runPromise(server.fetch(`${url.pathname}${url.search}`, init))
  }
  const client = yield* HttpApiClient.make(Api, { baseUrl: TestServer.origin }).pipe(
    Effect.provide(FetchHttpClient.layer),
    Effect.provideService(FetchHttpClient.Fetch, fetch as typeof globalThis.fetch)
  )
  return { client, server }
})

const started = Effect.flatMap(plain, ({ agent }) => serving([agent]))

const firstPage = { limit: 20, page: 1, sort_by: "created_at", sort_order: "desc" } as const
const ofAgents = { type: "agent" } as const
const session = { session_id: Session.Id.make("s") }

describe("the derived client", () => {
  it.effect("the client reads the description of the service", () =>
    Effect.gen(function*() {
      const { client } = yield* started
      assert.strictEqual((yield* client.system.health()).status, "ok")
      assert.strictEqual((yield* client.system.info()).agno_version, "2.7.2")
      assert.deepStrictEqual((yield* client.agents.list()).map(({ id }) => id), [AgentSchema.Id.make("plain")])
    }))

  it.effect("the client reads each kind of session as its own shape", () =>
    Effect.gen(function*() {
      const { client, server } = yield* started
      for (const type of ["agent", "team", "workflow"] as const) {
        yield* post(server, `/sessions?type=${type}`, { session_id: type, [`${type}_id`]: "x" })
        const detail = yield* client.sessions.get({ params: { session_id: Session.Id.make(type) }, query: {} })
        assert.strictEqual((detail as Record<string, unknown>)[`${type}_id`], "x")
      }
    }))

  it.effect("the client creates, renames, patches, lists and removes sessions", () =>
    Effect.gen(function*() {
      const { client } = yield* started
      yield* client.sessions.create({ query: ofAgents, payload: { ...session, user_id: Ids.UserId.make("ann") } })
      yield* client.sessions.rename({ params: session, query: {}, payload: { session_name: "N" } })
      const patched = yield* client.sessions.update({ params: session, query: {}, payload: { metadata: { a: 1 } } })
      assert.deepStrictEqual(patched.metadata, { a: 1 })
      const page = yield* client.sessions.list({ query: firstPage })
      assert.deepStrictEqual(page.data.map(({ session_name }) => session_name), ["N"])
      yield* client.sessions.removeMany({
        query: {},
        payload: { session_ids: [session.session_id], session_types: ["agent"] }
      })
      assert.strictEqual((yield* client.sessions.list({ query: firstPage })).meta.total_count, 0)
    }))

  it.effect("the client creates a session without fields", () =>
    Effect.gen(function*() {
      const { client } = yield* started
      const made = yield* client.sessions.create({ query: { type: "team" }, payload: null })
      assert.strictEqual(made.session_name, "")
    }))

  it.effect("the client reads runs of a session", () =>
    Effect.gen(function*() {
      const { client, server } = yield* started
      yield* runWhole(server, "plain", { message: "hi", session_id: "s", run_id: "r" })
      const params = { agent_id: AgentSchema.Id.make("plain") }
      const run = yield* client.agents.getRun({ params: { ...params, run_id: Run.Id.make("r") }, query: session })
      assert.strictEqual(run.content, "Hello.")
      const [record] = yield* client.agents.listRuns({ params, query: session })
      assert.strictEqual(record?.run_input, "hi")
      assert.isNull(record?.citations)
      const [partial] = yield* client.sessions.listRuns({ params: session, query: { created_after: 0 } })
      assert.strictEqual(partial?.status, "COMPLETED")
      assert.isUndefined(partial?.citations)
    }))

  it.effect("the client lists, counts and resolves approvals", () =>
    Effect.gen(function*() {
      const { client } = yield* started
      const params = { approval_id: waiting.id }
      const page = yield* client.approvals.list({ query: { limit: 100, page: 1, status: "pending" } })
      assert.deepStrictEqual(page.data, [waiting])
      assert.strictEqual((yield* client.approvals.count({ query: {} })).count, 1)
      yield* client.approvals.resolve({ params, payload: { status: "rejected" } })
      assert.strictEqual((yield* client.approvals.status({ params })).status, "rejected")
      const again = yield* Effect.flip(client.approvals.resolve({ params, payload: { status: "approved" } }))
      assert.strictEqual(again._tag, "Conflict")
      yield* client.approvals.remove({ params })
      assert.strictEqual((yield* Effect.flip(client.approvals.get({ params })))._tag, "NotFound")
    }))

  it.effect("errors are caught by their tags", () =>
    Effect.gen(function*() {
      const { client } = yield* started
      const missing = yield* Effect.flip(client.sessions.get({ params: session, query: {} }))
      assert.strictEqual(missing._tag, "NotFound")
      const chosen = yield* Effect.flip(client.sessions.list({ query: { ...firstPage, table: "t" } }))
      assert.strictEqual(chosen._tag, "BadRequest")
      yield* client.sessions.create({ query: ofAgents, payload: session })
      const taken = yield* Effect.flip(client.sessions.create({ query: ofAgents, payload: session }))
      assert.strictEqual(taken._tag, "Conflict")
    }))

  it.effect("the errors of a factory are distinguished by their tags", () =>
    Effect.gen(function*() {
      const broken = yield* factoryOf(() => {
        throw new Error("hunter2")
      })
      const { client } = yield* serving([(yield* tenants).factory, broken])
      const start = (agent: string) => {
        const payload = new FormData()
        payload.set("message", "x")
        return Effect.flip(
          client.agents.createRun({ params: { agent_id: AgentSchema.Id.make(agent) }, headers: {}, payload })
        )
      }
      assert.strictEqual((yield* start("tenant-assistant"))._tag, "FactoryValidationError")
      assert.strictEqual((yield* start("made"))._tag, "FactoryError")
      assert.strictEqual((yield* start("unknown"))._tag, "NotFound")
    }))
})
