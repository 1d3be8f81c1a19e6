// Two services on two PostgreSQL databases: each database has its own heartbeats, takeover and notifications. Real
// processes, real databases, and a connection that is cut.
import { assert, layer } from "@effect/vitest"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import { Reply, ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as TcpProxy from "@svc-runtime/test-support/TcpProxy"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { fileURLToPath } from "node:url"
import { readUntil as readStream } from "./readUntil.ts"
import * as SharedProcesses from "./sharedProcesses.ts"

const service = fileURLToPath(new URL("tenantService.ts", import.meta.url))

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const request = (url: string, init: RequestInit = {}) => Effect.promise(() => fetch(url, init))
const status = (url: string, init?: RequestInit) => Effect.map(request(url, init), (response) => response.status)
const json = (url: string, init?: RequestInit) =>
  Effect.flatMap(request(url, init), (response) => Effect.promise(() => response.json() as Promise<Json>))

const form = (fields: Readonly<Record<string, string>>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams(fields)
})

const readUntil = (url: string, wanted: string, init?: RequestInit) =>
  Effect.flatMap(request(url, init), (response) => readStream(response, wanted))

/** Asks the agent in the second database until its run is accepted. */
const untilAnswered = (url: string) =>
  Effect.repeat(
    Effect.andThen(
      Effect.sleep("100 millis"),
      json(`${url}/agents/tenant/runs`, form({ message: "hi", stream: "false" }))
    ),
    { until: (body) => body["run_id"] !== undefined }
  )

class Services extends Context.Service<Services, {
  readonly provider: Effect.Success<typeof OpenAiChat.make>
  /** The connections to the second database. */
  readonly wire: Effect.Success<ReturnType<typeof TcpProxy.make>>
  /** The second database, without that wire. */
  readonly tenant: Redacted.Redacted
  readonly node: (
    name: "one" | "other" | "late"
  ) => Effect.Effect<ServiceProcess.ServiceProcess, ServiceProcess.ServiceDidNotStart>
}>()("@svc-runtime/examples/test/Services") {
  static readonly layer = Layer.effect(
    Services,
    Effect.gen(function*() {
      const provider = yield* OpenAiChat.make
      const [own, tenant] = [yield* PostgresLayer.url, yield* PostgresLayer.url]
      const behind = new URL(Redacted.value(tenant))
      const wire = yield* TcpProxy.make(Number(behind.port))
      behind.hostname = "127.0.0.1"
      behind.port = String(wire.port)
      const node = yield* SharedProcesses.make((name: "one" | "other" | "late") =>
        ServiceProcess.start(service, {
          DATABASE_URL: Redacted.value(own),
          TENANT_DATABASE_URL: behind.href,
          MODEL: "openai-compatible:local",
          OPENAI_BASE_URL: provider.url,
          PORT: "0",
          NODE_TIMEOUT: "3 seconds",
          NODE_NAME: name
        })
      )
      return Services.of({ provider, wire, tenant, node })
    })
  )
}

layer(Services.layer, { excludeTestServices: true })("a service with two databases", (it) => {
  it.effect("a run in the second database is watched through another node, which takes it over after a kill", () =>
    Effect.gen(function*() {
      const { node, provider } = yield* Services
      const [one, other] = yield* Effect.all([node("one"), node("other")], { concurrency: "unbounded" })
      yield* provider.script(Reply.broken("stall", 2, { text: ["half", " an answer"] }), Reply.text("a whole answer"))
      yield* readUntil(
        `${one.url}/agents/tenant/runs`,
        "half",
        form({ message: "hi", session_id: "s", run_id: "taken" })
      )
      const { rest } = yield* readUntil(`${other.url}/agents/tenant/runs/taken/events?session_id=s`, "half")
      yield* one.end("SIGKILL")
      assert.match(yield* rest, /event: RunCompleted\n[^]*a whole answer/)
      const stored = yield* json(`${other.url}/sessions/s/runs/taken?db_id=tenant-db`)
      assert.strictEqual(stored["status"], "COMPLETED")
      assert.strictEqual(yield* status(`${other.url}/sessions/s?db_id=svc-db`), 404)
    }).pipe(Effect.scoped))

  it.effect("A node listens for the signals of other nodes in its second database.", () =>
    Effect.gen(function*() {
      const { node, tenant } = yield* Services
      yield* node("other")
      const context = yield* Layer.build(Postgres.layer({ url: tenant, maxConnections: 1 }))
      const sql = Context.get(context, SqlClient.SqlClient)
      const listening = sql`
        select pid from pg_stat_activity where datname = current_database() and query ilike 'listen %'`
      yield* Effect.repeat(Effect.andThen(Effect.sleep("50 millis"), listening), {
        until: ({ length }) => length > 0
      })
      assert.isAbove((yield* listening).length, 0)
    }).pipe(Effect.scoped))

  it.effect("a second database that is cut off harms its agents only, and they work again when it is back", () =>
    Effect.gen(function*() {
      const { node, provider, wire } = yield* Services
      const { url } = yield* node("other")
      yield* wire.cut
      const refused = yield* request(`${url}/agents/tenant/runs`, form({ message: "hi", stream: "false" }))
      assert.strictEqual(refused.status, 503)
      assert.isNotNull(refused.headers.get("retry-after"))
      yield* provider.script(Reply.text("Tea."), Reply.text("More tea."))
      const answer = yield* json(`${url}/agents/plain/runs`, form({ message: "hi", stream: "false" }))
      assert.strictEqual(answer["content"], "Tea.")
      assert.strictEqual(yield* status(`${url}/ready`), 200)
      assert.strictEqual(yield* status(`${url}/approvals`), 200)
      yield* wire.mend
      const again = yield* untilAnswered(url)
      assert.strictEqual(again["content"], "More tea.")
    }).pipe(Effect.scoped))

  it.effect("a service starts while its second database is away, and opens it when it is back", () =>
    Effect.gen(function*() {
      const { node, provider, wire } = yield* Services
      yield* wire.cut
      const late = yield* node("late")
      assert.strictEqual(yield* status(`${late.url}/agents/tenant/runs`, form({ message: "hi" })), 503)
      yield* late.saying("Waiting for the database")
      yield* provider.script(Reply.text("Tea."))
      yield* wire.mend
      assert.strictEqual((yield* untilAnswered(late.url))["content"], "Tea.")
    }).pipe(Effect.scoped))
})
