// `SecretRows` of a table in PostgreSQL.
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import { textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { pageSize, type SecretRows } from "./SecretRows.ts"

const Row = Schema.Struct({
  seq: Schema.Finite,
  row: Schema.String,
  secrets: Schema.Array(Schema.NullOr(Schema.String))
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

export interface Table {
  /** Its rows have `seq`. */
  readonly table: string
  /** What the secrets of a row are sealed for, in SQL. */
  readonly row: string
  /** The columns with secrets. */
  readonly columns: ReadonlyArray<string>
}

/** The names are constants of ours. */
export const make = (sql: SqlClient.SqlClient, { columns, row, table }: Table): SecretRows => {
  const [name, rowOf] = [sql(table), sql.literal(row)]
  const isOld = (form: string | undefined) =>
    sql.or(
      columns.map((column) =>
        form === undefined ? sql`starts_with(${sql(column)}, 'sealed:')` : sql`not starts_with(${sql(column)}, ${form})`
      )
    )
  return {
    oldSecrets: Effect.fnUntraced(function*(form, after) {
      const rows = yield* sql`
        select seq::float8 as seq, ${rowOf} as row, json_build_array(${sql.literal(columns.join(", "))}) as secrets
        from ${name} where seq > ${after}::bigint and ${isOld(form)} order by seq limit ${pageSize}`
      return yield* decode(rows)
    }, readOrUnavailable),
    replaceSecrets: Effect.fnUntraced(function*({ secrets: before, seq }, secrets) {
      const set = Object.fromEntries(columns.map((column, index) => [column, textOrNull(secrets[index] ?? null)]))
      const isSame = columns.map((column, index) =>
        sql`${sql(column)} is not distinct from ${textOrNull(before[index] ?? null)}::text`
      )
      const rows = yield* sql`
        update ${name} set ${sql.update(set)} where seq = ${seq}::bigint and ${sql.and(isSame)} returning 1`
      return rows.length > 0
    }, orUnavailable)
  }
}
