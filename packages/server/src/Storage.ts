// Where sessions, runs, approvals and service accounts are kept: PostgreSQL when a url is given, else the embedded database. Nothing else differs.
import { AnswerLimit, HistoryLimit, Notifications } from "@svc/runtime"
import { Migrations, SqlServiceAccountStore, SqlStores } from "@svc/storage"
import { LargestRun } from "@svc/storage/LargestRun"
import type * as Pglite from "@svc/storage/Pglite"
import type * as Postgres from "@svc/storage/Postgres"
import { Effect, Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { Config } from "./Config.ts"

type Unusable = Layer.Error<ReturnType<typeof Pglite.layer>> | Layer.Error<ReturnType<typeof Postgres.layer>>
type Database = Layer.Layer<SqlClient.SqlClient, Unusable>

// Only the database that is used is loaded.
const embedded = (dataDir: string): Database =>
  Layer.unwrap(Effect.map(Effect.promise(() => import("@svc/storage/Pglite")), ({ layer }) => layer({ dataDir })))

const server = (url: Redacted.Redacted, maxConnections: number): Database =>
  Layer.unwrap(
    Effect.map(Effect.promise(() => import("@svc/storage/Postgres")), ({ layer }) => layer({ url, maxConnections }))
  )

/** Those of the database, for whoever is given the stores. */
const notifications = Layer.effect(Notifications, Notifications)

export const layer = (
  { answerMaxBytes, dataDir, databaseConnections, databaseUrl, historyMaxBytes, maxRestoredRun }: Config
) =>
  Layer.mergeAll(
    SqlStores.layer,
    SqlServiceAccountStore.layer.pipe(Layer.provide(Migrations.layer)),
    notifications
  ).pipe(
    Layer.provide(Layer.succeed(LargestRun, maxRestoredRun)),
    Layer.provide(Layer.succeed(HistoryLimit, historyMaxBytes)),
    Layer.provide(Layer.succeed(AnswerLimit, answerMaxBytes)),
    Layer.provide(databaseUrl === undefined ? embedded(dataDir) : server(databaseUrl, databaseConnections))
  )
