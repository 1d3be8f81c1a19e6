// A database of its own, on a real PostgreSQL, for each time the layer is built. The server is the one that
// SVC_TEST_POSTGRES_URL names, else the one that the global setup of vitest starts, else one for this layer alone.
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import { Clock, Config, Effect, Layer, Option, Redacted } from "effect"
import { inject } from "vitest"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import * as LazyServer from "./internal/LazyServer.ts"
import * as Databases from "./internal/PostgresDatabases.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly svcPostgresPort?: number
  }
}

/** The url of the shared server, which starts when it is asked for the first time. */
const sharedUrl = (port: number) =>
  Effect.mapBoth(LazyServer.ask(port), {
    onFailure: (reason) =>
      new EmbeddedPostgres.EmbeddedPostgresFailed({
        message: `The PostgreSQL of this test run is not there: ${reason}`
      }),
    onSuccess: (text) => Redacted.make(text)
  })

const server = Effect.gen(function*() {
  const elsewhere = yield* Config.option(Config.Redacted("SVC_TEST_POSTGRES_URL"))
  if (Option.isSome(elsewhere)) return { url: elsewhere.value, template: undefined }
  const shared = inject("svcPostgresPort")
  if (shared !== undefined) return { url: yield* sharedUrl(shared), template: Databases.template }
  const server = yield* EmbeddedPostgres.make()
  yield* server.start
  return { url: server.url, template: undefined }
})

/** The url of a new database. It can have all migrations, which saves the service that starts on it a second. */
export const url = Effect.flatMap(server, ({ template, url }) => Databases.fresh(url, template))

/** The url of a new database without tables. */
export const emptyUrl = Effect.flatMap(server, ({ url }) => Databases.fresh(url))

/** Waiting for a server takes real time, also in a test that has a clock of its own. */
const realTime = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

const layerOf = <E, R>(url: Effect.Effect<Redacted.Redacted, E, R>) =>
  Layer.unwrap(Effect.map(url, (url) => Postgres.layer({ url }))).pipe(
    Layer.provide(realTime),
    Layer.merge(StoreLimits.layerWith())
  )

/** Provides `SqlClient`, `PgClient` and the default limits. */
export const layer = layerOf(url)

/** The same without tables. */
export const layerEmpty = layerOf(emptyUrl)
