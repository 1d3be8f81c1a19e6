// Two nodes on one PostgreSQL that lacks its migrations and that neither migrates by itself.
import { assert, it } from "@effect/vitest"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as Agent from "@svc-runtime/features/Agent"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { always, ask, at, get, runWhole } from "../Wire.ts"
import { used } from "./Fixtures.ts"
import { tenant } from "./TwoDatabases.ts"

it.live("two nodes that migrate at the same time execute each migration once, and both serve afterwards", () =>
  Effect.gen(function*() {
    const { model } = yield* always(Script.text("Hello."), used)
    const context = yield* Layer.build(PostgresLayer.layerEmpty)
    const sql = Context.get(context, SqlClient.SqlClient)
    const node = TestServer.make({
      agents: [Agent.make({ id: "there", model, db: tenant })],
      openDatabase: () =>
        SqlStores.layerServed(SqlStores.features).pipe(
          Layer.merge(Notifications.layerNone),
          Layer.provide(Layer.succeedContext(context)),
          Layer.provide(Schemas.refusing)
        )
    })
    const nodes = [yield* node, yield* node]
    const run = (server: TestServer.TestServer) => runWhole(server, "there", { message: "Hi" })
    for (const server of nodes) {
      const refused = yield* run(server)
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(
        at(refused.json, "detail"),
        "The database 'tenant-db' has pending migrations. POST /databases/tenant-db/migrate executes them."
      )
      assert.strictEqual((yield* get(server, "/ready")).status, 200)
    }
    const migrate = (server: TestServer.TestServer) => ask(server, "/databases/tenant-db/migrate", { method: "POST" })
    for (const answer of yield* Effect.forEach(nodes, migrate, { concurrency: "unbounded" })) {
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(answer.json, { message: "Database migrated successfully to latest version" })
    }
    const [{ latest } = { latest: 0 }] = yield* sql<{ latest: number }>`
      select max(number)::int as latest from svc_migrations`
    for (const server of nodes) {
      const status = (yield* get(server, "/databases/tenant-db/migrations")).json
      assert.deepStrictEqual([at(status, "version"), at(status, "pending")], [latest, []])
      yield* Effect.repeat(run(server), {
        until: ({ status }) => status === 200,
        schedule: Schedule.spaced("100 millis")
      })
    }
  }))
