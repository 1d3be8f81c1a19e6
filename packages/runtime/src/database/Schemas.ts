// The schemas of the databases of a service. A database that waits for its migrations has a schema and no stores.
import type * as Ids from "@svc/domain/Ids"
import type * as Migration from "@svc/domain/Migration"
import { Context, Effect, Schema, type Scope } from "effect"

export class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export interface SchemaState {
  readonly applied: ReadonlyArray<Migration.AppliedMigration>
  readonly pending: ReadonlyArray<Migration.Migration>
}

export interface DatabaseSchema {
  readonly state: Effect.Effect<SchemaState, MigrationFailed>
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

/** Stores that belong to no service keep their schema for themselves. */
export const Schemas = Context.Reference<Registry>("@svc/runtime/database/Schemas", { defaultValue: make })
