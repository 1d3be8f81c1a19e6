// The migrations of the databases.
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { Errors } from "@svc-runtime/api"
import { Databases as Endpoints } from "@svc-runtime/api/Databases"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Migration from "@svc-runtime/domain/Migration"
import { DatabaseIds } from "@svc-runtime/engine/database/DatabaseIds"
import { MigrationFailed, Schemas } from "@svc-runtime/engine/database/Schemas"
import { group } from "@svc-runtime/http/group"
import * as RequestId from "@svc-runtime/http/requests/RequestId"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Cause, Effect, Fiber, Option, Result } from "effect"

interface Query {
  readonly target_version?: string | undefined
  readonly dry_run: boolean
}

/** A version is the number of a migration. Texts may begin with zeros, as in the names of files. */
const versionOf = (text: string | undefined): Effect.Effect<number | undefined, MigrationFailed> =>
  text === undefined || /^\d{1,9}$/.test(text)
    ? Effect.succeed(text === undefined ? undefined : Number(text))
    : Effect.fail(new MigrationFailed({ message: `'${text}' is no version: versions are the numbers of migrations` }))

const towards = ({ target_version }: Query) =>
  target_version === undefined ? "latest version" : `version ${target_version}`

const detailOf = ({ message }: MigrationFailed) => `Failed to migrate database: ${message}`

const logged = (error: MigrationFailed) =>
  Effect.logError(detailOf(error), ...(error.cause === undefined ? [] : [Cause.fail(error.cause)]))

const internal = Effect.fnUntraced(function*(error: MigrationFailed) {
  const [detail, request_id] = [detailOf(error), yield* RequestId.current]
  return yield* new Errors.Internal({ detail, error_code: "INTERNAL_SERVER_ERROR", request_id })
})

type Outcome = readonly [id: Ids.DatabaseId, result: Result.Result<ReadonlyArray<Migration.Migration>, MigrationFailed>]

const responseOf = (
  outcomes: ReadonlyArray<Outcome>,
  query: Query
): Migration.AllMigrated | Migration.PartlyMigrated => {
  const failed = outcomes.flatMap(([id, result]) => Result.isFailure(result) ? [[id, result.failure.message]] : [])
  if (failed.length > 0) {
    const done = `${outcomes.length - failed.length}/${outcomes.length}`
    return { message: `Migrated ${done} databases to ${towards(query)}`, failed: Object.fromEntries(failed) }
  }
  if (!query.dry_run) return { message: `All databases migrated successfully to ${towards(query)}` }
  const migrations = outcomes.flatMap(([id, result]) => Result.isSuccess(result) ? [[id, result.success]] : [])
  return { message: `All databases would be migrated to ${towards(query)}`, migrations: Object.fromEntries(migrations) }
}

export const Databases = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const ids = yield* DatabaseIds
    const schemas = yield* Schemas
    // none while the service's own database waits for its migrations
    const served = Option.getOrUndefined(yield* Effect.serviceOption(ServedDatabases))
    const scope = yield* Effect.scope

    const schemaOf = Effect.fnUntraced(function*(id: Ids.DatabaseId) {
      return schemas.get(id) ?? (yield* new MigrationFailed({ message: `the database '${id}' is not open` }))
    })

    const stateOf = Effect.fnUntraced(function*(id: Ids.DatabaseId) {
      const { state } = yield* schemaOf(id)
      const open = served?.opened().find(({ database }) => database.id === id)
      return yield* open === undefined ? state : open.engine.whileReplying(state)
    })

    /** Continues when its caller disconnects, because an interrupted migration begins again from the start. */
    const migrate = (id: Ids.DatabaseId, query: Query) =>
      Effect.gen(function*() {
        const target = yield* versionOf(query.target_version)
        const schema = yield* schemaOf(id)
        if (query.dry_run) return yield* schema.plan(target)
        const done = yield* Effect.flatMap(Effect.forkIn(schema.migrate(target), scope), Fiber.join)
        const last = done.at(-1)
        if (last !== undefined) yield* Effect.logInfo(`The database was migrated to version ${last.version}`)
        return done
      }).pipe(
        Effect.tapErrorTag("MigrationFailed", logged),
        LogPart.inPart("database"),
        Effect.annotateLogs({ database: id })
      )

    const known = (id: Ids.DatabaseId) =>
      ids.includes(id) ? Effect.void : Effect.fail(Errors.notFound(`No database found with id '${id}'`))

    return handlers.handleAll({
      migrate: Effect.fn("Databases.migrate")(function*({ params, query }) {
        yield* known(params.db_id)
        const migrations = yield* Effect.catchTag(migrate(params.db_id, query), "MigrationFailed", internal)
        return query.dry_run
          ? { message: `Database would be migrated to ${towards(query)}`, migrations }
          : { message: `Database migrated successfully to ${towards(query)}` }
      }),
      migrateAll: Effect.fn("Databases.migrateAll")(function*({ query }) {
        const outcomes = yield* Effect.forEach(
          ids,
          (id) => Effect.map(Effect.result(migrate(id, query)), (result): Outcome => [id, result])
        )
        return responseOf(outcomes, query)
      }),
      migrations: Effect.fn("Databases.migrations")(function*({ params }) {
        const id = params.db_id
        yield* known(id)
        const { applied, pending } = yield* stateOf(id).pipe(
          Effect.tapErrorTag("MigrationFailed", (error) => LogPart.inPart("database")(logged(error))),
          Effect.catchTag("MigrationFailed", internal),
          orUnavailable
        )
        const version = applied.at(-1)?.version ?? null
        return { db_id: id, version, latest_version: pending.at(-1)?.version ?? version, applied, pending }
      })
    })
  })
)
