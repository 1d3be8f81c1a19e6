// A database of its own, on a real PostgreSQL, for each time the layer is built. The server is the one that
// SVC_TEST_POSTGRES_URL names, else the one that the global setup of vitest has started, else one for this layer alone.
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@svc/storage/Postgres"
import { Clock, Config, Effect, Layer, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly svcPostgresUrl?: string
  }
}

const serverUrl = Effect.gen(function*() {
  const elsewhere = yield* Config.option(Config.Redacted("SVC_TEST_POSTGRES_URL"))
  if (Option.isSome(elsewhere)) return elsewhere.value
  const shared = inject("svcPostgresUrl")
  if (shared !== undefined) return Redacted.make(shared)
  const server = yield* EmbeddedPostgres.make()
  yield* server.start
  return server.url
})

/** A new database on a server, dropped when the scope closes. The server may still be starting. */
export const freshDatabase = Effect.fn("PostgresLayer.freshDatabase")(function*(server: Redacted.Redacted) {
  const name = `svc_${randomBytes(8).toString("hex")}`
  const administer = (statement: string) =>
    Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(Postgres.layer({ url: server, maxConnections: 1 }))
    )
  yield* Effect.acquireRelease(
    administer(`CREATE DATABASE ${name}`),
    () => Effect.orDie(administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  )
  const url = new URL(Redacted.value(server))
  url.pathname = `/${name}`
  return Redacted.make(url.href)
})

/** The url of a new database, for who wants to connect in a way of its own. */
export const url = Effect.flatMap(serverUrl, freshDatabase)

/** Waiting for a server takes real time, also in a test that has a clock of its own. */
const realTime = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** Provides `SqlClient` and `PgClient`. */
export const layer = Layer.unwrap(Effect.map(url, (url) => Postgres.layer({ url }))).pipe(Layer.provide(realTime))
