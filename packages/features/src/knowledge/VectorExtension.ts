// The extension pgvector. It is used if the database has it, or if the service may create it.
import { Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"

/** The first version that continues a search whose results do not match the filter. */
const oldest = [0, 8] as const

const isOldEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}

/** The schema of the extension, if it is created and its library is there. */
export const schemaOf = (sql: SqlClient.SqlClient): Effect.Effect<string | undefined, SqlError.SqlError> =>
  Effect.map(
    sql<{ readonly schema: string; readonly version: string }>`
      select quote_ident(n.nspname) as schema, e.extversion as version
      from pg_extension e join pg_namespace n on n.oid = e.extnamespace
      where e.extname = 'vector' and exists (select from pg_available_extensions a where a.name = e.extname)`,
    ([row]) => row !== undefined && isOldEnough(row.version) ? row.schema : undefined
  )

const offeredVersion = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly version: string }>`
      select coalesce(installed_version, default_version) as version from pg_available_extensions
      where name = 'vector'`,
    ([row]) => row?.version
  )

/** Creates the extension if the server has it. Undefined: there is none that can be used, and the log says why once. */
export const make = (sql: SqlClient.SqlClient): Effect.Effect<string | undefined, SqlError.SqlError> => {
  let isLogged = false
  const without = (reason: string) =>
    Effect.suspend(() => {
      if (isLogged) return Effect.succeed(undefined)
      isLogged = true
      return Effect.as(Effect.logInfo(`Knowledge is searched without pgvector: ${reason}`), undefined)
    })

  return Effect.gen(function*() {
    const schema = yield* schemaOf(sql)
    if (schema !== undefined) return schema
    const version = yield* offeredVersion(sql)
    if (version === undefined) return yield* without("the database server does not have it")
    if (!isOldEnough(version)) {
      return yield* without(`version ${oldest.join(".")} is needed, and the database has ${version}`)
    }
    const refused = yield* sql`create extension if not exists vector`.pipe(
      Effect.as(undefined),
      Effect.catchIf(
        SqlError.isSqlError,
        ({ reason: { cause } }) => Effect.succeed(cause instanceof Error ? cause.message : String(cause))
      )
    )
    return refused === undefined
      ? yield* schemaOf(sql)
      : yield* without(`\`create extension vector\` failed, which an administrator can execute: ${refused}`)
  })
}
