// The schemas of the databases of a service. A database that waits for its migrations has a schema and no stores.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Migration from "@svc-runtime/domain/Migration"
import * as NameList from "@svc-runtime/domain/NameList"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { JoinFailed } from "../run/engine/JoinFailed.ts"

export class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export interface SchemaState {
  readonly applied: ReadonlyArray<Migration.AppliedMigration>
  readonly pending: ReadonlyArray<Migration.Migration>
}

export interface DatabaseSchema {
  readonly state: Effect.Effect<SchemaState, MigrationFailed | StorageUnavailable>
  /** The pending migrations up to a version. Undefined: all of them. */
  readonly plan: (target: number | undefined) => Effect.Effect<ReadonlyArray<Migration.Migration>, MigrationFailed>
  /** Executes the pending migrations up to a version and returns them. Undefined: all of them. */
  readonly migrate: (target: number | undefined) => Effect.Effect<ReadonlyArray<Migration.Migration>, MigrationFailed>
}

export interface Registry {
  readonly get: (id: Ids.DatabaseId) => DatabaseSchema | undefined
  /** Until the scope closes. */
  readonly add: (id: Ids.DatabaseId, schema: DatabaseSchema) => Effect.Effect<void, never, Scope.Scope>
}

export const make = (): Registry => {
  const known = new Map<Ids.DatabaseId, DatabaseSchema>()
  return {
    get: (id) => known.get(id),
    add: (id, schema) =>
      Effect.acquireRelease(
        Effect.sync(() => void known.set(id, schema)),
        () => Effect.sync(() => void (known.get(id) === schema && known.delete(id)))
      )
  }
}

export class Schemas extends Context.Service<Schemas, Registry>()("@svc-runtime/engine/database/Schemas") {}

/** The migrations for which a database waits. */
export interface Pending {
  readonly id: Ids.DatabaseId
  readonly migrations: ReadonlyArray<Migration.Migration>
}

/** Called when a database waits for its migrations. Undefined: they are executed when the database is opened. */
export class WhilePending extends Context.Service<
  WhilePending,
  ((pending: Pending) => Effect.Effect<unknown, never, Scope.Scope>) | undefined
>()("@svc-runtime/engine/database/Schemas/WhilePending") {}

/** Pending migrations are executed when the database is opened. */
export const migrating: Layer.Layer<WhilePending> = Layer.succeed(WhilePending, undefined)

const nameOf = ({ name, version }: Migration.Migration) => `${String(version).padStart(4, "0")}_${name}`

/** `url`: of the service. */
export const logPending = ({ id, migrations }: Pending, url = "") => {
  const names = NameList.first(migrations.map(nameOf))
  return Effect.logWarning(
    `The database '${id}' has pending migrations, and MIGRATE is off: ${names}. It is used once they are ` +
      `executed, for example by a POST request at ${url}/databases/${id}/migrate`
  ).pipe(LogPart.inPart("database"))
}

/** Requests to the database are refused meanwhile, and the start does not wait for it. */
export const refusing: Layer.Layer<WhilePending, never, JoinFailed> = Layer.effect(
  WhilePending,
  JoinFailed.useSync((report) => (pending: Pending) => {
    const failure = new StorageUnavailable({ cause: "Migrations are pending", pendingDatabase: pending.id })
    return Effect.andThen(logPending(pending), report(failure))
  })
)
