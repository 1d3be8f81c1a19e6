// Brings the schema of a database up to date. Several processes can start on one database at the same time: the first
// one migrates and the others wait.
import type * as Migration from "@svc-runtime/domain/Migration"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { CurrentDatabase } from "@svc-runtime/engine/database/CurrentDatabase"
import {
  type DatabaseSchema,
  MigrationFailed,
  Schemas,
  type SchemaState,
  WhilePending
} from "@svc-runtime/engine/database/Schemas"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Context, Effect, Layer, Option, Schedule } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { migrationSets } from "./DatabaseContents.ts"
import * as AppliedSets from "./sql/AppliedSets.ts"
import { inTransaction } from "./sql/inTransaction.ts"
import { LongStatements } from "./sql/LongStatements.ts"
import type { MigrationSet } from "./sql/MigrationSet.ts"
import { isBroken, isConflict, isLockTimeout, orUnavailable } from "./sql/orUnavailable.ts"

export { SchemaTooNew, SchemaTooOld, table } from "./sql/AppliedSets.ts"

/** The sets of the features that a service has, in a fixed order that begins with the engine. */
export class MigrationSets extends Context.Service<MigrationSets, ReadonlyArray<MigrationSet>>()(
  "@svc-runtime/postgres/Migrations/MigrationSets"
) {}

/** Of the advisory lock of the process that migrates. */
const lock = 5_710_232_117

const waitsForAnother = Effect.logInfo("Waiting for another process that migrates the database")

// A lock that is tried, because waiting for one is a statement: its time limit may be shorter than the migrations of
// another process. The pause is a statement too, so that only the database measures it.
const alone = Effect.fnUntraced(function*<A, E, R>(migrate: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const { allowed } = yield* LongStatements
  const whenFree = inTransaction(sql)(
    Effect.flatMap(
      sql<{ readonly isTaken: boolean }>`select pg_try_advisory_xact_lock(${lock}::bigint) as "isTaken"`,
      ([row]) =>
        row?.isTaken === true
          // a migration of a large table may take longer than a statement of a request
          ? Effect.andThen(sql`set local statement_timeout = 0`, Effect.asSome(allowed(migrate)))
          : Effect.succeedNone
    )
  )
  const logOnce = yield* Effect.cached(waitsForAnother)
  for (;;) {
    const migrated = yield* whenFree
    if (Option.isSome(migrated)) return migrated.value
    yield* logOnce
    yield* sql`select pg_sleep(0.2)`
  }
})

const failureOf = (error: unknown): unknown => error instanceof Migrator.MigrationError ? error.cause : error

/** A process that was suspended, a failover, a restart of the server. */
const lostConnection = "The connection was lost while the database was migrated. The migrations run again"

const deadlock = "The database ended the migrations for a deadlock with another transaction. They run again"

/** Nothing of the migrations is stored then. Undefined: they do not run again. */
const rolledBackBy = (error: unknown): string | undefined => {
  const failure = failureOf(error)
  if (isBroken(failure)) return lostConnection
  return isConflict(failure) ? deadlock : undefined
}

const isRolledBack = (error: unknown): boolean => rolledBackBy(error) !== undefined

const untilStored = <A, E, R>(migrate: Effect.Effect<A, E, R>) =>
  migrate.pipe(
    // a connection that is lost cannot roll back either: what failed before is a defect then
    Effect.catchDefect((defect) =>
      defect instanceof Migrator.MigrationError ? Effect.fail(defect) : Effect.die(defect)
    ),
    Effect.tapError((error) => {
      const reason = rolledBackBy(error)
      return reason === undefined ? Effect.void : Effect.logWarning(reason)
    }),
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: 30, while: isRolledBack })
  )

export type Failure = Migrator.MigrationError | AppliedSets.SchemaTooNew | AppliedSets.SchemaTooOld | StorageUnavailable

const execute = Effect.fnUntraced(function*(target: number) {
  const sets = yield* MigrationSets
  return yield* AppliedSets.execute(sets, target).pipe(
    // the table of the migrations cannot be read while another process migrates
    alone,
    untilStored,
    orUnavailable
  )
}, LogPart.inPart("database"))

/** Executes the missing migrations and returns them. The database of a newer version is not changed. */
export const run: Effect.Effect<
  ReadonlyArray<Migration.Migration>,
  Failure,
  LongStatements | MigrationSets | SqlClient.SqlClient
> = execute(Number.POSITIVE_INFINITY)

/** Does not wait for another process that migrates. */
const appliedNow = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* inTransaction(sql)(Effect.andThen(sql`set local lock_timeout = '1s'`, AppliedSets.applied))
}).pipe(
  Effect.catchTag("SchemaTooOld", Effect.die),
  Effect.catchIf(isLockTimeout, (cause) => Effect.fail(new StorageUnavailable({ cause, isMigrating: true })))
)

const state = Effect.gen(function*() {
  const found = yield* appliedNow
  const pending = AppliedSets.pending(yield* MigrationSets, found)
  const state: SchemaState = {
    applied: found.map(AppliedSets.toApplied),
    pending: pending.map(AppliedSets.toMigration)
  }
  return state
}).pipe(orUnavailable)

const plan = Effect.fnUntraced(function*(target: number | undefined) {
  const { applied, pending } = yield* state
  if (target === undefined) return pending
  const version = applied.at(-1)?.version ?? 0
  if (target < version) {
    return yield* new MigrationFailed({
      message: `the database is at version ${version}, and no migration leads back to version ${target}`
    })
  }
  if (target > version && !pending.some((each) => each.version === target)) {
    return yield* new MigrationFailed({ message: `there is no version ${target}` })
  }
  return pending.filter((each) => each.version <= target)
})

/** Repeated until no other process migrates. */
const afterMigrations = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const logOnce = yield* Effect.cached(waitsForAnother)
  const next = Effect.asSome(effect).pipe(
    Effect.catchIf(
      (error) => error instanceof StorageUnavailable && error.isMigrating === true,
      () => Effect.as(logOnce, Option.none<A>())
    )
  )
  for (;;) {
    const result = yield* next
    if (Option.isSome(result)) return result.value
  }
}, LogPart.inPart("database"))

const migrate = Effect.fnUntraced(function*(target: number | undefined) {
  yield* afterMigrations(plan(target))
  return yield* execute(target ?? Number.POSITIVE_INFINITY)
})

const toFailed = (failure: Failure | MigrationFailed): MigrationFailed =>
  failure._tag === "MigrationFailed" ? failure : new MigrationFailed({ message: failure.message, cause: failure })

/** The schema of the database of a client. */
export const schema = Effect.gen(function*() {
  const database = yield* Effect.context<LongStatements | MigrationSets | SqlClient.SqlClient>()
  const inDatabase = Effect.provideContext(database)
  const schema: DatabaseSchema = {
    state: Effect.mapError(
      inDatabase(state),
      (failure) => failure._tag === "StorageUnavailable" ? failure : toFailed(failure)
    ),
    plan: (target) => Effect.mapError(inDatabase(plan(target)), toFailed),
    migrate: (target) => Effect.mapError(inDatabase(migrate(target)), toFailed)
  }
  return schema
})

/** Another node, or a request to this one, executes the migrations. */
const untilCurrent = Effect.repeat(
  Effect.orElseSucceed(Effect.map(state, ({ pending }) => pending.length === 0), () => false),
  { until: (isCurrent) => isCurrent, schedule: Schedule.spaced("1 second") }
)

/** For the database of no service, with the tables of the engine alone. */
export const layer: Layer.Layer<never, Failure, LongStatements | SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.provideService(run, MigrationSets, migrationSets)
)

/**
 * For a database that a service serves. Its schema is known before it is migrated, and stays known after a failure of
 * the migrations.
 */
export const layerServed: Layer.Layer<
  never,
  Failure,
  LongStatements | MigrationSets | Schemas | SqlClient.SqlClient | WhilePending
> = Layer.effectDiscard(
  Effect.gen(function*() {
    const id = yield* CurrentDatabase
    if (id === undefined) return yield* Effect.die("A served database needs an id")
    yield* (yield* Schemas).add(id, yield* schema)
    const whilePending = yield* WhilePending
    if (whilePending === undefined) return yield* run
    const { pending } = yield* afterMigrations(state)
    if (pending.length > 0) {
      yield* whilePending({ id, migrations: pending })
      yield* untilCurrent
    }
    const sets = yield* MigrationSets
    yield* AppliedSets.applied.pipe(
      Effect.flatMap((applied) => AppliedSets.refuseNewer(sets, applied)),
      orUnavailable
    )
  })
)
