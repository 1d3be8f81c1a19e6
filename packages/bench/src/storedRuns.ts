// Fills a database with copies of one real session: what the service has written, with other ids and times. So each
// table has what it would have, whatever a later version writes.
import type postgres from "postgres"

/** The prefix of every id of the real session, which has to occur nowhere else in its rows. */
export const prefix = "scale-0-"

/** Columns that have the `seq` of a run. */
const runNumbers = ["run_seq", "origin_seq", "after_run", "leaf_run", "summarized_run"]

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
}

const columnsOf = (sql: postgres.Sql) =>
  sql<ReadonlyArray<Column>>`
    select c.table_name as table, c.column_name as name, c.data_type as type from information_schema.columns c
    where c.table_schema = 'public' and c.is_generated = 'NEVER' and exists (
      select from information_schema.columns k
      where k.table_name = c.table_name and k.column_name in ('session_id', 'run_seq')
        and k.is_generated = 'NEVER' and k.table_name like 'svc%'
    ) order by c.ordinal_position`

export interface Fill {
  /** The number of the first copy. */
  readonly from: number
  /** The number of the last copy, which is the newest. */
  readonly sessions: number
  /** The runs of the real session, whose numbers begin with 1. */
  readonly runs: number
  readonly say: (line: string) => void
}

const days = 30

/** The value of a column in copy `n`, where the last number of its table, and of the runs, is known. */
const valueOf = ({ name, type }: Column, { from, runs, sessions }: Fill, last: number, lastRun: number) => {
  const quoted = `t."${name}"`
  if (name === "seq") return `${quoted} + ${last} + (n - ${from}) * ${runs}`
  if (runNumbers.includes(name)) {
    return `case when ${quoted} > 0 then ${quoted} + ${lastRun} + (n - ${from}) * ${runs} else ${quoted} end`
  }
  if (name.endsWith("_at") && type === "bigint") {
    return `${quoted} - (${sessions} - n)::bigint * ${days * 86_400} / ${sessions}`
  }
  if (!/^(text|json|jsonb)$/.test(type)) return quoted
  return `replace(${quoted}::text, '${prefix}', 'scale-' || n || '-')::${type}`
}

/** Copies the session until there are so many. Their times are those of the last 30 days. */
export const fill = async (sql: postgres.Sql, options: Fill) => {
  const { from, runs, say, sessions } = options
  const tables = Map.groupBy(await columnsOf(sql), ({ table }) => table)
  const lasts = new Map<string, number>()
  for (const [table, columns] of tables) {
    if (!columns.some(({ name }) => name === "seq")) continue
    const [row] = await sql.unsafe<Array<{ last: number }>>(
      `select coalesce(max(seq), 0)::float8 as last from ${table}`
    )
    lasts.set(table, row?.last ?? 0)
  }
  const connection = await sql.reserve()
  // neither foreign keys nor triggers: the copies are as whole as what is copied
  await connection`set session_replication_role = replica`
  const step = Math.ceil((sessions - from + 1) / 10)
  for (let first = from; first <= sessions; first += step) {
    const last = Math.min(sessions, first + step - 1)
    for (const [table, columns] of tables) {
      const isOfSession = columns.some(({ name }) => name === "session_id")
        ? `t.session_id like '${prefix}%'`
        : `t.run_seq in (select seq from svc_runs where session_id like '${prefix}%')`
      const values = columns.map((column) =>
        valueOf(column, options, lasts.get(table) ?? 0, lasts.get("svc_runs") ?? 0)
      )
      await connection.unsafe(`
        insert into ${table} (${columns.map(({ name }) => `"${name}"`).join()}) overriding system value
        select ${values.join()} from ${table} t, generate_series(${first}, ${last}) n where ${isOfSession} order by n`)
    }
    say(`  ${last * runs} runs are stored`)
  }
  await connection`set session_replication_role = origin`
  connection.release()
  for (const table of lasts.keys()) {
    await sql.unsafe(
      `select setval(pg_get_serial_sequence('${table}', 'seq'), greatest(1, (select max(seq) from ${table})))`
    )
  }
  await sql.unsafe("vacuum (analyze)")
}
