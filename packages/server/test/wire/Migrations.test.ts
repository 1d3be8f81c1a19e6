// Migrations over HTTP: of the service's own database, which needs none, and of one that loses its tables.
import { assert, layer } from "@effect/vitest"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as Agent from "@svc-runtime/features/Agent"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as FaultySql from "@svc-runtime/test-support/FaultySql"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ask, at, failed, get, list, notFound, post } from "../Wire.ts"
import { own, tenant } from "./TwoDatabases.ts"

Tier.oneIn(6)

const failure = "Failed to migrate database: "
const first = { version: 1, name: "engine_1_tables" }

class Service extends Context.Service<Service, {
  readonly server: TestServer.TestServer
  /** Leaves the database of the tenant without tables. */
  readonly empty: Effect.Effect<void>
  readonly execute: (statement: string) => Effect.Effect<unknown>
  /** With what the database of the tenant fails while the effect reads its migrations. */
  readonly failing: <A, E, R>(fault: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("Service") {}

const service = Layer.effect(
  Service,
  Effect.gen(function*() {
    const context = yield* Layer.build(PgliteLayer.layer)
    const sql = Context.get(context, SqlClient.SqlClient)
    let fault: string | undefined
    const faulty = Layer.effectDiscard(Effect.gen(function*() {
      const schemas = yield* Schemas.Schemas
      const known = schemas.get(tenant.id)
      if (known === undefined) return
      const state = Effect.suspend(() => fault === undefined ? known.state : FaultySql.during(known.state, fault))
      yield* schemas.add(tenant.id, { ...known, state })
    }))
    const server = yield* TestServer.make({
      agents: [Agent.make({ id: "there", db: tenant })],
      openDatabase: () =>
        Layer.merge(
          Layer.provideMerge(faulty, SqlStores.layerServed(SqlStores.features)).pipe(
            Layer.provide([Layer.succeedContext(context), Schemas.migrating])
          ),
          Notifications.layerNone
        )
    })
    // the first request opens the databases
    yield* get(server, "/health")
    const execute = (statement: string) => Effect.orDie(sql.unsafe(statement))
    const empty = Effect.andThen(execute("drop schema public cascade"), execute("create schema public"))
    return {
      server,
      execute,
      empty: Effect.asVoid(empty),
      failing: (given, effect) =>
        Effect.acquireUseRelease(
          Effect.sync(() => (fault = given)),
          () => effect,
          () => Effect.sync(() => (fault = undefined))
        )
    }
  })
)

const migrate = (server: TestServer.TestServer, id: string, query = "") =>
  ask(server, `/databases/${id}/migrate${query}`, { method: "POST" })

const statusOf = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const { json } = yield* get(server, `/databases/${tenant.id}/migrations`)
  return {
    version: at(json, "version"),
    latest: Number(at(json, "latest_version")),
    applied: list(json, "applied"),
    pending: list(json, "pending")
  }
})

layer(service)("migrations over HTTP", (it) => {
  it.effect.runIf(Tier.isWhole)(
    "a database without tables shows all migrations, and is brought up to date in two steps",
    () =>
      Effect.gen(function*() {
        const { empty, server } = yield* Service
        yield* empty
        const before = yield* statusOf(server)
        assert.deepStrictEqual([before.version, before.applied, before.pending[0]], [null, [], first])
        const dry = yield* migrate(server, tenant.id, "?dry_run=true&target_version=0001")
        assert.deepStrictEqual(dry.json, { message: "Database would be migrated to version 0001", migrations: [first] })
        const step = yield* migrate(server, tenant.id, "?target_version=0001")
        assert.deepStrictEqual(step.json, { message: "Database migrated successfully to version 0001" })
        const between = yield* statusOf(server)
        assert.deepStrictEqual([between.version, between.pending], [1, before.pending.slice(1)])
        const done = yield* migrate(server, tenant.id)
        assert.strictEqual(done.status, 200, done.text)
        assert.deepStrictEqual(done.json, { message: "Database migrated successfully to latest version" })
        const after = yield* statusOf(server)
        assert.deepStrictEqual([after.version, after.latest, after.pending], [before.latest, before.latest, []])
        assert.strictEqual(after.applied.length, before.pending.length)
      })
  )

  it.effect("a database that is up to date is migrated successfully, and a body is ignored", () =>
    Effect.gen(function*() {
      const { server } = yield* Service
      const { latest } = yield* statusOf(server)
      assert.deepStrictEqual((yield* migrate(server, tenant.id, `?target_version=${latest}`)).json, {
        message: `Database migrated successfully to version ${latest}`
      })
      for (const id of [tenant.id, own]) {
        const sent = yield* post(server, `/databases/${id}/migrate`, { target_version: "2.5.0" })
        assert.deepStrictEqual(sent.json, { message: "Database migrated successfully to latest version" })
      }
    }))

  it.effect("an unknown database is not found", () =>
    Effect.gen(function*() {
      const { server } = yield* Service
      notFound(yield* migrate(server, "nowhere"), "No database found with id 'nowhere'")
      notFound(yield* get(server, "/databases/nowhere/migrations"), "No database found with id 'nowhere'")
    }))

  it.effect.each(
    [
      ["a server that shuts down", "The database does not reply at the moment. Try again shortly."],
      ["a lock that is not available", "Another process migrates the database. Try again when it has ended."]
    ] as const
  )(
    "migrations that cannot be read now are 503, and no line says that a migration failed: %s",
    ([fault, detail]) =>
      Effect.gen(function*() {
        const { failing, server } = yield* Service
        const errors = Effect.sync(() => server.logs.filter(({ level }) => level === "ERROR").length)
        const before = yield* errors
        const answer = yield* failing(FaultySql.faults[fault], get(server, `/databases/${tenant.id}/migrations`))
        failed(answer, 503, "SERVICE_UNAVAILABLE", detail)
        assert.strictEqual(yield* errors, before)
        assert.strictEqual((yield* get(server, `/databases/${tenant.id}/migrations`)).status, 200)
      })
  )

  it.effect("a version that is no number, is unknown or is older than the database is refused with 500", () =>
    Effect.gen(function*() {
      const { server } = yield* Service
      const { latest } = yield* statusOf(server)
      const noVersion = (text: string) => `'${text}' is no version: versions are the numbers of migrations`
      const refused = [
        ["2.5.0", noVersion("2.5.0")],
        ["", noVersion("")],
        ["999999", "there is no version 999999"],
        [latest - 1, `the database is at version ${latest}, and no migration leads back to version ${latest - 1}`]
      ] as const
      for (const [target, reason] of refused) {
        for (const query of ["", "&dry_run=true"]) {
          const answer = yield* migrate(server, tenant.id, `?target_version=${target}${query}`)
          assert.strictEqual(answer.status, 500, answer.text)
          assert.deepInclude(answer.json, { detail: failure + reason, error_code: "INTERNAL_SERVER_ERROR" })
        }
      }
    }))

  it.effect("a database of a newer version of the service is not changed", () =>
    Effect.gen(function*() {
      const { execute, server } = yield* Service
      const { latest } = yield* statusOf(server)
      yield* execute("insert into svc_migrations (set, version, name, number) values ('engine', 9999, 'newer', 9999)")
      const answer = yield* migrate(server, tenant.id)
      assert.strictEqual(answer.status, 500, answer.text)
      assert.include(at(answer.json, "detail"), `${failure}The database was changed by a newer version of the service`)
      yield* execute("delete from svc_migrations where number = 9999")
      assert.strictEqual((yield* statusOf(server)).version, latest)
    }))

  it.effect("a migration that fails leaves the database as it was, and the log has the cause", () =>
    Effect.gen(function*() {
      const { empty, execute, server } = yield* Service
      yield* empty
      yield* execute("create table svc_runs (id text)")
      const reason = "Migration \"engine_1_tables\" failed"
      const one = yield* migrate(server, tenant.id)
      assert.strictEqual(one.status, 500, one.text)
      assert.strictEqual(at(one.json, "detail"), failure + reason)
      const line = server.logs.find(({ message }) => message.startsWith(failure + reason))
      assert.include(line?.cause, "relation \"svc_runs\" already exists")
      const some = yield* migrate(server, "all")
      assert.strictEqual(some.status, 207, some.text)
      const message = "Migrated 1/2 databases to latest version"
      assert.deepStrictEqual(some.json, { message, failed: { [tenant.id]: reason } })
      assert.strictEqual((yield* statusOf(server)).version, null)
    }))

  it.effect("all databases are migrated by one request", () =>
    Effect.gen(function*() {
      const { empty, server } = yield* Service
      yield* empty
      const { latest } = yield* statusOf(server)
      const dry = yield* migrate(server, "all", `?dry_run=true&target_version=${latest}`)
      assert.strictEqual(at(dry.json, "message"), `All databases would be migrated to version ${latest}`)
      assert.deepStrictEqual(at(dry.json, "migrations", own), [])
      assert.deepStrictEqual(list(dry.json, "migrations", tenant.id)[0], first)
      assert.lengthOf(list(dry.json, "migrations", tenant.id), latest)
      const done = yield* migrate(server, "all")
      assert.strictEqual(done.status, 200, done.text)
      assert.deepStrictEqual(done.json, { message: "All databases migrated successfully to latest version" })
      const named = yield* migrate(server, "all", `?target_version=${latest}`)
      assert.deepStrictEqual(named.json, { message: `All databases migrated successfully to version ${latest}` })
    }))
})
