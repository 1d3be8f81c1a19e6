// A service that does not migrate by itself, as a process: it waits for a request that does, and then serves.
import { assert, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect, Redacted, Schedule } from "effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const quickstart = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))
const tenantService = fileURLToPath(new URL("tenantService.ts", import.meta.url))

it.live(
  "a service with MIGRATE=false waits for its migrations, names them, and serves once they are executed",
  () =>
    Effect.gen(function*() {
      const key = "sixteen-characters-or-more"
      const service = yield* ServiceProcess.launch(quickstart, {
        PORT: "0",
        MIGRATE: "false",
        OS_SECURITY_KEY: key,
        DATA_DIR: join(yield* TemporaryDirectory.make, "data")
      })
      const line = yield* service.saying("pending migrations")
      assert.include(line, "The database 'svc-db' has")
      assert.include(line, "0001_engine_1_tables")
      const url = /at (http:\/\/\S+)\/databases\/svc-db\/migrate/.exec(line)?.[1] ?? assert.fail(line)

      const ask = (path: string, init: RequestInit = {}, token?: string) =>
        Effect.promise(async () => {
          const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
          const response = await fetch(`${url}${path}`, { ...init, headers })
          return { status: response.status, json: await response.json() as unknown }
        })
      const post = { method: "POST" }
      const run = { method: "POST", body: new URLSearchParams({ message: "Hello", stream: "false" }) }

      assert.strictEqual((yield* ask("/health")).status, 200)
      const detail = "Not ready: migrations"
      const unready = yield* ask("/ready")
      assert.strictEqual(unready.status, 503)
      assert.deepInclude(unready.json, { detail, reasons: ["migrations"] })
      assert.strictEqual((yield* ask("/databases/svc-db/migrate", post)).status, 401)
      assert.strictEqual((yield* ask("/databases/svc-db/migrate", post, "another-key-of-16")).status, 401)
      const refused = yield* ask("/agents/assistant/runs", run, key)
      assert.deepStrictEqual(refused, {
        status: 503,
        json: {
          detail: "The database 'svc-db' has pending migrations. POST /databases/svc-db/migrate executes them.",
          error_code: "SERVICE_UNAVAILABLE"
        }
      })
      const status = yield* ask("/databases/svc-db/migrations", {}, key)
      assert.strictEqual(status.status, 200)
      assert.deepInclude(status.json, { db_id: "svc-db", version: null, applied: [] })

      // paths are compared as in a service that is ready
      assert.strictEqual((yield* ask("/databases/ALL/migrate", post, key)).status, 404)

      const migrated = yield* ask("/databases/all/migrate", post, key)
      assert.deepStrictEqual(migrated, {
        status: 200,
        json: { message: "All databases migrated successfully to latest version" }
      })
      yield* Effect.repeat(ask("/ready"), {
        until: ({ status }) => status === 200,
        schedule: Schedule.spaced("100 millis")
      })
      assert.strictEqual((yield* ask("/agents/assistant/runs", run, key)).status, 200)
      assert.strictEqual(yield* service.end("SIGTERM"), 0)
    })
)

const answerOf = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return { status: response.status, json: await response.json() as unknown }
  })

const run = { method: "POST", body: new URLSearchParams({ message: "Hello", stream: "false" }) }

it.live(
  "a service with MIGRATE=false serves without a request once another process has executed the migrations",
  () =>
    Effect.gen(function*() {
      const env = { PORT: "0", DATABASE_URL: Redacted.value(yield* PostgresLayer.emptyUrl) }
      const waiting = yield* ServiceProcess.launch(quickstart, { ...env, MIGRATE: "false", NODE_NAME: "waiting" })
      const line = yield* waiting.saying("pending migrations")
      const url = /at (http:\/\/\S+)\/databases\/svc-db\/migrate/.exec(line)?.[1] ?? assert.fail(line)
      assert.strictEqual((yield* answerOf(`${url}/ready`)).status, 503)
      const migrating = yield* ServiceProcess.start(quickstart, { ...env, NODE_NAME: "migrating" })
      assert.strictEqual((yield* answerOf(`${migrating.url}/ready`)).status, 200)
      assert.strictEqual(yield* waiting.greeted, url)
      assert.strictEqual((yield* answerOf(`${url}/ready`)).status, 200)
      assert.strictEqual((yield* answerOf(`${url}/agents/assistant/runs`, run)).status, 200)
    })
)

it.live(
  "a service whose second database waits for its migrations is ready, and refuses requests about its components only",
  () =>
    Effect.gen(function*() {
      const env = {
        PORT: "0",
        DATABASE_URL: Redacted.value(yield* PostgresLayer.url),
        TENANT_DATABASE_URL: Redacted.value(yield* PostgresLayer.emptyUrl)
      }
      const service = yield* ServiceProcess.start(tenantService, { ...env, MIGRATE: "false" })
      yield* service.saying("The database 'tenant-db' has pending migrations")
      const ask = (path: string, init?: RequestInit) => answerOf(`${service.url}${path}`, init)
      assert.strictEqual((yield* ask("/ready")).status, 200)
      assert.strictEqual((yield* ask("/agents/plain/runs", run)).status, 200)
      assert.deepStrictEqual(yield* ask("/agents/tenant/runs", run), {
        status: 503,
        json: {
          detail: "The database 'tenant-db' has pending migrations. POST /databases/tenant-db/migrate executes them.",
          error_code: "SERVICE_UNAVAILABLE"
        }
      })
      assert.strictEqual((yield* ask("/databases/tenant-db/migrate", { method: "POST" })).status, 200)
      yield* Effect.repeat(ask("/agents/tenant/runs", run), {
        until: ({ status }) => status === 200,
        schedule: Schedule.spaced("100 millis")
      })
    })
)
