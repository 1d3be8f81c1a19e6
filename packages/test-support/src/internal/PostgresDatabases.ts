// Creates and drops databases on a server for tests.
import { PgClient } from "@effect/sql-pg"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"

/** A database of the server of a test run that has all migrations. Copying it takes a tenth of the time to migrate. */
export const template = "svc_template"

const executeOn = (server: Redacted.Redacted, statement: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(
    // a busy machine copies the template slowly
    Effect.provide(Postgres.layer({ url: server, maxConnections: 1, statementTimeout: "Infinity" }))
  )

const urlOf = (server: Redacted.Redacted, database: string) => {
  const url = new URL(Redacted.value(server))
  url.pathname = `/${database}`
  return Redacted.make(url.href)
}

export const createTemplate = Effect.fnUntraced(function*(server: Redacted.Redacted) {
  yield* executeOn(server, `CREATE DATABASE ${template}`)
  yield* Effect.provide(SqlStores.migrate, Postgres.layer({ url: urlOf(server, template) }))
})

/** A new database on a server, dropped when the scope closes. It is empty without `from`. */
export const fresh = Effect.fnUntraced(function*(server: Redacted.Redacted, from?: string) {
  const name = `svc_${randomBytes(8).toString("hex")}`
  const copied = from === undefined ? "" : ` TEMPLATE ${from} STRATEGY file_copy`
  yield* Effect.acquireRelease(
    executeOn(server, `CREATE DATABASE ${name}${copied}`),
    () => Effect.orDie(executeOn(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  )
  return urlOf(server, name)
})
