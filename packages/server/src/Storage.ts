// Connects to databases: PostgreSQL on a server, or the embedded one. Nothing else differs between them.
import { AnswerLimit } from "@svc/runtime/AnswerLimit"
import type * as DatabaseHandle from "@svc/runtime/DatabaseHandle"
import { LearningLimit } from "@svc/runtime/learning/LearningLimit"
import { MemoryLimit } from "@svc/runtime/memory/MemoryLimit"
import { HistoryLimit } from "@svc/runtime/run/HistoryLimit"
import { Notifications } from "@svc/runtime/run/Notifications"
import { Migrations, SqlServiceAccountStore, SqlStores } from "@svc/storage"
import { LargestRun } from "@svc/storage/LargestRun"
import type * as Pglite from "@svc/storage/Pglite"
import * as Pgvector from "@svc/storage/Pgvector"
import type * as Postgres from "@svc/storage/Postgres"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { Config } from "./Config.ts"

type Unusable = Layer.Error<ReturnType<typeof Pglite.layer>> | Layer.Error<ReturnType<typeof Postgres.layer>>
type Database = Layer.Layer<SqlClient.SqlClient, Unusable>

type Limits = Pick<
  Config,
  | "answerMaxBytes"
  | "historyMaxBytes"
  | "maxLearningsPerUser"
  | "maxMemoriesPerUser"
  | "maxProposedLearningsPerUser"
  | "maxRestoredRun"
  | "pgvector"
>

// Only the databases that are used are loaded.
const embedded = (dataDir: string): Database =>
  Layer.unwrap(Effect.map(Effect.promise(() => import("@svc/storage/Pglite")), ({ layer }) => layer({ dataDir }))).pipe(
    // not those of a database beside it
    Layer.merge(Layer.succeed(Notifications, undefined))
  )

const server = (options: Postgres.Options): Database =>
  Layer.unwrap(Effect.map(Effect.promise(() => import("@svc/storage/Postgres")), ({ layer }) => layer(options)))

/** The channel of the database, for consumers of the stores. */
const notifications = Layer.effect(Notifications, Notifications)

const limited = (
  { answerMaxBytes, historyMaxBytes, maxMemoriesPerUser, maxRestoredRun, ...limits }: Limits
) =>
  Layer.mergeAll(
    limits.pgvector ? Layer.empty : Layer.succeed(Pgvector.Pgvector, Pgvector.unused),
    Layer.succeed(LargestRun, maxRestoredRun),
    Layer.succeed(HistoryLimit, historyMaxBytes),
    Layer.succeed(MemoryLimit, maxMemoriesPerUser),
    Layer.succeed(LearningLimit, {
      perUser: limits.maxLearningsPerUser,
      proposedPerUser: limits.maxProposedLearningsPerUser
    }),
    Layer.succeed(AnswerLimit, answerMaxBytes)
  )

type Own = Pick<Config, "databaseConnections" | "databasePooler" | "databaseUrl" | "dataDir">

const own = ({ dataDir, databaseConnections, databasePooler, databaseUrl }: Own): Database =>
  databaseUrl === undefined
    ? embedded(dataDir)
    : server({ url: databaseUrl, maxConnections: databaseConnections, isPooled: databasePooler })

/** The service's own database. Service accounts are in this one alone. */
export const layer = (config: Limits & Own) =>
  Layer.mergeAll(
    SqlStores.layer,
    SqlServiceAccountStore.layer.pipe(Layer.provide(Migrations.layer)),
    notifications
  ).pipe(Layer.provide(own(config)), Layer.provide(limited(config)))

/** A database that a component or a factory declares. */
export const ofHandle = (
  config: Limits & Pick<Config, "databaseConnections">,
  { source }: DatabaseHandle.DatabaseHandle
) =>
  Layer.merge(SqlStores.layer, notifications).pipe(
    Layer.provide(
      source._tag === "Embedded"
        ? embedded(source.dataDir)
        : server({ ...source, maxConnections: source.maxConnections ?? config.databaseConnections })
    ),
    Layer.provide(limited(config))
  )
