// Brings the schema of a database up to date. Several processes can start on one database at the same time: the first
// one migrates and the others wait.
import type * as Migration from "@svc-runtime/domain/Migration"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Time from "@svc-runtime/domain/Time"
import { CurrentDatabase } from "@svc-runtime/engine/database/CurrentDatabase"
import {
  type DatabaseSchema,
  MigrationFailed,
  Schemas,
  type SchemaState,
  WhilePending
} from "@svc-runtime/engine/database/Schemas"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Effect, Layer, Option, Schedule, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { migrations } from "./DatabaseContents.ts"
import * as OlderNodes from "./nodes/olderNodes.ts"
import { inTransaction } from "./sql/inTransaction.ts"
import { LongStatements } from "./sql/LongStatements.ts"
import { isBroken, isConflict, isLockTimeout, orUnavailable } from "./sql/orUnavailable.ts"

/** Records the executed migrations. */
export const table = "svc_migrations"

export { OlderNodesAlive } from "./nodes/olderNodes.ts"

/** A newer version of the service has migrated the database: this version could not read its data. */
export class SchemaTooNew extends Schema.TaggedError<SchemaTooNew>()("SchemaTooNew", {
  found: Schema.Int,
  known: Schema.Int
}) {
  override get message() {
    return `The database was changed by a newer version of the service: it is at migration ${this.found}, and this ` +
      `version knows migrations up to ${this.known}. Start a version at least as new as the one that changed it.`
  }
}

const refuseNewer = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const known = Math.max(...(yield* migrations).map(([id]) => id))
  const [row] = yield* sql<{ readonly found: number | null }>`
    select max(migration_id)::int as found from ${sql(table)}`
  const found = row?.found ?? 0
  if (found > known) return yield* new SchemaTooNew({ found, known })
})

/** The names of all migrations, in order. */
export const names = Effect.map(migrations, (all) => all.map(([id, name]) => `${id}_${name}`))

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

/** With a node of an older version. */
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

type Failure = Migrator.MigrationError | OlderNodes.OlderNodesAlive | SchemaTooNew | StorageUnavailable

const execute = (loader: Migrator.Loader) =>
  Effect.andThen(OlderNodes.refuse(table), Migrator.make({})({ loader, table })).pipe(
    // the table of the migrations cannot be read while another process migrates
    alone,
    untilStored,
    OlderNodes.waitUntilStopped,
    Effect.tap(() => refuseNewer),
    orUnavailable,
    LogPart.inPart("database")
  )

/** Executes the missing migrations and returns them. The database of a newer version is not changed. */
export const run: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Failure,
  SqlClient.SqlClient
> = execute(migrations)

const applied = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [made] = yield* sql<{ readonly exists: boolean }>`select to_regclass(${table}) is not null as exists`
  if (made?.exists !== true) return []
  const rows = yield* sql<{ readonly version: number; readonly name: string; readonly millis: number }>`
    select migration_id::int as version, name, floor(extract(epoch from created_at) * 1000)::float8 as millis
    from ${sql(table)} order by migration_id`
  return rows.map(({ millis, name, version }) => ({ version, name, applied_at: Time.formatMillis(millis) }))
})

/** Does not wait for another process that migrates. */
const appliedNow = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* inTransaction(sql)(Effect.andThen(sql`set local lock_timeout = '1s'`, applied))
}).pipe(Effect.catchIf(isLockTimeout, (cause) => Effect.fail(new StorageUnavailable({ cause, isMigrating: true }))))

/** A database has each migration up to the one that was executed last. */
const state = Effect.gen(function*() {
  const found = yield* appliedNow
  const version = found.at(-1)?.version ?? 0
  const all = (yield* migrations).map(([version, name]): Migration.Migration => ({ version, name }))
  const state: SchemaState = { applied: found, pending: all.filter((each) => each.version > version) }
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
  const last = target ?? Number.POSITIVE_INFINITY
  const done = yield* execute(Effect.map(migrations, (all) => all.filter(([id]) => id <= last)))
  return done.map(([version, name]): Migration.Migration => ({ version, name }))
})

const toFailed = (failure: Failure | MigrationFailed): MigrationFailed =>
  failure._tag === "MigrationFailed" ? failure : new MigrationFailed({ message: failure.message, cause: failure })

/** The schema of the database of a client. */
export const schema = Effect.map(Effect.context<SqlClient.SqlClient>(), (database): DatabaseSchema => {
  const inDatabase = Effect.provideContext(database)
  return {
    state: Effect.mapError(
      inDatabase(state),
      (failure) => failure._tag === "StorageUnavailable" ? failure : toFailed(failure)
    ),
    plan: (target) => Effect.mapError(inDatabase(plan(target)), toFailed),
    migrate: (target) => Effect.mapError(inDatabase(migrate(target)), toFailed)
  }
})

/** Another node, or a request to this one, executes the migrations. */
const untilCurrent = Effect.repeat(
  Effect.orElseSucceed(Effect.map(state, ({ pending }) => pending.length === 0), () => false),
  { until: (isCurrent) => isCurrent, schedule: Schedule.spaced("1 second") }
)

/** The schema is known before it is migrated, and stays known after a failure of the migrations. */
export const layer: Layer.Layer<never, Failure, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.gen(function*() {
    const id = yield* CurrentDatabase
    if (id !== undefined) yield* (yield* Schemas).add(id, yield* schema)
    const whilePending = yield* WhilePending
    if (id === undefined || whilePending === undefined) return yield* run
    const { pending } = yield* afterMigrations(state)
    if (pending.length > 0) {
      yield* whilePending({ id, migrations: pending })
      yield* untilCurrent
    }
    yield* refuseNewer.pipe(orUnavailable)
  })
)
