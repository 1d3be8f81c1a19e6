// A database of its own, on a real PostgreSQL, for each time the layer is built. The server is the one that
// SVC_TEST_POSTGRES_URL names, else the one that the global setup of vitest starts, else one for this layer alone.
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@svc/storage/Postgres"
import { Clock, Config, Effect, Layer, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { inject } from "vitest"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly svcPostgresPort?: number
  }
}

/** The url of the shared server, which starts when it is asked for the first time. */
const sharedUrl = (port: number) =>
  Effect.callback<Redacted.Redacted, EmbeddedPostgres.EmbeddedPostgresFailed>((resume) => {
    let text = ""
    const failed = (message: string) => resume(Effect.fail(new EmbeddedPostgres.EmbeddedPostgresFailed({ message })))
    const socket = connect(port, "127.0.0.1").setEncoding("utf8")
    socket.on("data", (piece: string) => (text += piece))
    socket.once("error", ({ message }) => failed(`The PostgreSQL of this test run cannot be reached: ${message}`))
    socket.once("end", () =>
      text === ""
        ? failed("The PostgreSQL of this test run did not start. Its error is in the output of vitest.")
        : resume(Effect.succeed(Redacted.make(text))))
    return Effect.sync(() => socket.destroy())
  })

const serverUrl = Effect.gen(function*() {
  const elsewhere = yield* Config.option(Config.Redacted("SVC_TEST_POSTGRES_URL"))
  if (Option.isSome(elsewhere)) return elsewhere.value
  const shared = inject("svcPostgresPort")
  if (shared !== undefined) return yield* sharedUrl(shared)
  const server = yield* EmbeddedPostgres.make()
  yield* server.start
  return server.url
})

/** A new database on a server, dropped when the scope closes. */
export const freshDatabase = Effect.fn("PostgresLayer.freshDatabase")(function*(server: Redacted.Redacted) {
  const name = `svc_${randomBytes(8).toString("hex")}`
  const administer = (statement: string) =>
    Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(
      // a busy machine copies the template slowly
      Effect.provide(Postgres.layer({ url: server, maxConnections: 1, statementTimeout: "Infinity" }))
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
