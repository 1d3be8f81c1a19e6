import { assert, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { Cause, Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { textOf } from "../src/startFailure.ts"

const failing = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select * from missing`)

it.effect("the line about a migration that fails has the reason of the database", () =>
  Effect.gen(function*() {
    const migrate = Migrator.make({})({
      loader: Effect.succeed([[45, "jobs", Effect.succeed(failing)]]),
      table: "migrations"
    })
    const exit = yield* Effect.exit(migrate)
    if (exit._tag !== "Failure") return assert.fail("the migration succeeded")
    assert.strictEqual(textOf(exit.cause), "Migration \"45_jobs\" failed: relation \"missing\" does not exist")
  }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

it("the line about a database that does not answer has the reason without credentials", () => {
  const refused = new Error("cannot connect to postgres://svc:hunter2@db:5432/svc")
  assert.strictEqual(
    textOf(Cause.fail(new StorageUnavailable({ cause: refused }))),
    "The database does not answer: cannot connect to postgres://[redacted]@db:5432/svc"
  )
  const addresses = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })
  assert.strictEqual(
    textOf(Cause.fail(new StorageUnavailable({ cause: addresses }))),
    "The database does not answer: ECONNREFUSED"
  )
})

it("the line about another error has its message alone", () => {
  assert.strictEqual(
    textOf(Cause.fail(new Error("PORT is no number", { cause: new Error("a secret") }))),
    "PORT is no number"
  )
})
