// `RoleStore` in PostgreSQL. Every method is one statement.
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { json, text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Array, Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { RoleNameTaken, RoleStore } from "./RoleStore.ts"
import { StoredRole } from "./StoredRole.ts"

const columns = `r.name, r.description, r.scopes, r.created_at::float8 as created_at,
  r.updated_at::float8 as updated_at, r.created_by`

const readable = ReadableRows.make(StoredRole)

const isNameTaken = (error: unknown): boolean => SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const shown = sql.literal(columns)
  // the same list is stored as the same text
  const isAsRead = ({ description, name, scopes }: StoredRole) =>
    sql`name = ${text(name)} and description = ${text(description)} and scopes::text = ${json(scopes)}::json::text`
  const isAny = Effect.map(({ length }: ReadonlyArray<object>) => length > 0)

  return RoleStore.of({
    all: readOrUnavailable(Effect.flatMap(sql`select ${shown} from svc_roles r order by r.name`, readable)),
    find: Effect.fn("SqlRoleStore.find")((name) =>
      readOrUnavailable(Effect.map(
        Effect.flatMap(sql`select ${shown} from svc_roles r where r.name = ${text(name)}`, readable),
        Array.head
      ))
    ),
    create: Effect.fn("SqlRoleStore.create")(({ created_at, created_by, description, name, scopes }, limit) =>
      orUnavailable(Effect.catchIf(
        isAny(sql`
          insert into svc_roles (name, description, scopes, created_at, created_by)
          select ${text(name)}::text, ${text(description)}::text, ${json(scopes)}::json, ${created_at}::bigint,
            ${textOrNull(created_by)}::text
          where (select count(*) from svc_roles) < ${limit} returning name`),
        isNameTaken,
        () => Effect.fail(new RoleNameTaken())
      ))
    ),
    replace: Effect.fn("SqlRoleStore.replace")(({ description, scopes, updated_at }, read) =>
      orUnavailable(isAny(sql`
        update svc_roles set description = ${text(description)}, scopes = ${json(scopes)}::json,
          updated_at = ${updated_at}
        where ${isAsRead(read)} returning name`))
    ),
    remove: Effect.fn("SqlRoleStore.remove")((read) =>
      orUnavailable(isAny(sql`delete from svc_roles where ${isAsRead(read)} returning name`))
    )
  })
})

export const layer: Layer.Layer<RoleStore, never, SqlClient.SqlClient> = Layer.effect(RoleStore, make)
