// Which migrations of which sets a database has. It numbers them in the order in which they were executed, because sets
// that are added later would change any other count. The number of the last one is the version of the database.
import type * as Migration from "@svc-runtime/domain/Migration"
import * as Time from "@svc-runtime/domain/Time"
import { Array, Effect, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { Execute, MigrationSet } from "./MigrationSet.ts"

/** Records the executed migrations. */
export const table = "svc_migrations"

/** A newer version of the service has migrated the database: this version could not read its data. */
export class SchemaTooNew extends Schema.TaggedError<SchemaTooNew>()("SchemaTooNew", {
  set: Schema.String,
  found: Schema.Int,
  known: Schema.Int
}) {
  override get message() {
    return `The database was changed by a newer version of the service: it is at migration ${this.found} of ` +
      `'${this.set}', and this version knows migrations up to ${this.known}. ` +
      `Start a version at least as new as the one that changed it.`
  }
}

/** Its migrations have no sets: a version that was never released made the database. */
export class SchemaTooOld extends Schema.TaggedError<SchemaTooOld>()("SchemaTooOld", {}) {
  override get message() {
    return "The database was made by a version before 0.1.0, whose data this version cannot read. Nothing was changed. " +
      "Use an empty database, or the version that made it"
  }
}

interface Step {
  readonly set: string
  /** In its set. */
  readonly version: number
  readonly name: string
}

interface Applied extends Step {
  readonly number: number
  readonly millis: number
}

interface Pending extends Step {
  readonly number: number
  readonly execute: Execute
}

const wireName = ({ name, set, version }: Step) => `${set}_${version}_${name}`

export const toMigration = (step: Applied | Pending): Migration.Migration => ({
  version: step.number,
  name: wireName(step)
})

export const toApplied = (step: Applied): Migration.AppliedMigration => ({
  ...toMigration(step),
  applied_at: Time.formatMillis(step.millis)
})

export const applied = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly column: string }>`
    select attname as column from pg_attribute where attrelid = to_regclass(${table})`
  if (columns.length === 0) return []
  if (!columns.some(({ column }) => column === "set")) return yield* new SchemaTooOld()
  return yield* sql<Applied>`
    select set, version, name, number, floor(extract(epoch from applied_at) * 1000)::float8 as millis
    from ${sql(table)} order by number`
})

const versionOf = (applied: ReadonlyArray<Step>, set: string) =>
  Math.max(0, ...applied.filter((each) => each.set === set).map(({ version }) => version))

/** A set that this version of the service does not have is not looked at: nothing reads its tables. */
export const refuseNewer = Effect.fnUntraced(
  function*(sets: ReadonlyArray<MigrationSet>, applied: ReadonlyArray<Step>) {
    for (const { migrations: { length: known }, name: set } of sets) {
      const found = versionOf(applied, set)
      if (found > known) return yield* new SchemaTooNew({ set, found, known })
    }
  }
)

/** In the order of the sets. */
export const pending = (
  sets: ReadonlyArray<MigrationSet>,
  applied: ReadonlyArray<Applied>
): ReadonlyArray<Pending> => {
  const last = applied.at(-1)?.number ?? 0
  return sets.flatMap(({ migrations, name: set }) =>
    migrations
      .map(([name, execute], index) => ({ set, version: index + 1, name, execute }))
      .slice(versionOf(applied, set))
  ).map((step, index) => ({ ...step, number: last + index + 1 }))
}

const executeStep = (step: Pending) =>
  Effect.logDebug("Running migration").pipe(
    Effect.andThen(step.execute),
    Effect.mapError((cause) =>
      new Migrator.MigrationError({ kind: "Failed", message: `Migration "${wireName(step)}" failed`, cause })
    ),
    Effect.annotateLogs({ migration_number: step.number, migration_name: wireName(step) }),
    Effect.withSpan(`Migration ${wireName(step)}`)
  )

/** In one transaction. Locks the table of the migrations, so that what reads it meanwhile waits. */
export const execute = Effect.fnUntraced(function*(sets: ReadonlyArray<MigrationSet>, target: number) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* applied
  yield* refuseNewer(sets, found)
  const due = pending(sets, found).filter(({ number }) => number <= target)
  if (!Array.isReadonlyArrayNonEmpty(due)) return []
  if (found.length === 0) {
    yield* sql`
      create table if not exists ${sql(table)} (
        set text collate "C" not null,
        version integer not null check (version > 0),
        name text not null,
        number integer not null unique,
        applied_at timestamptz not null default now(),
        primary key (set, version)
      )`
  }
  yield* sql`lock table ${sql(table)} in access exclusive mode`
  yield* Effect.forEach(due, executeStep, { discard: true })
  yield* sql`
    insert into ${sql(table)} ${
    sql.insert(Array.map(due, ({ name, number, set, version }) => ({ set, version, name, number })))
  }`
  yield* Effect.logDebug("Migrations complete")
  return due.map(toMigration)
})
