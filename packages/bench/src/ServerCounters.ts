// What a PostgreSQL did during something: its statements by pg_stat_statements, its processor time, its WAL, and the
// rows that were changed.
import type postgres from "postgres"
import { cpuSecondsOfTree } from "./Process.ts"

export interface Counts {
  /** Without those of this file. */
  readonly statements: number
  readonly cpuSeconds: number
  readonly walBytes: number
  /** Pages that statements read, from memory or from files. */
  readonly pages: number
}

export interface Statement {
  readonly text: string
  readonly calls: number
  readonly pages: number
  readonly millis: number
}

/** The settings of the server that it needs. */
export const settings = { shared_preload_libraries: "pg_stat_statements", "pg_stat_statements.track_planning": "on" }

/** Says in the text of a statement that it is one of the measurement. */
export const own = "/* measures */"

const ofService =
  `dbid = (select oid from pg_database where datname = current_database()) and query not like '%${own}%'`

export const make = async (sql: postgres.Sql) => {
  await sql.unsafe("create extension if not exists pg_stat_statements")
  const [file] = await sql.unsafe<Array<{ pid: string }>>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid ${own}`
  )
  const postmaster = Number(file?.pid)

  const read = async (): Promise<Counts> => {
    const [row] = await sql.unsafe<Array<Omit<Counts, "cpuSeconds">>>(`
      select coalesce(sum(calls), 0)::float8 as statements,
        coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as pages,
        (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes" ${own}
      from pg_stat_statements where ${ofService}`)
    return { statements: 0, pages: 0, walBytes: 0, ...row, cpuSeconds: cpuSecondsOfTree(postmaster) }
  }

  return {
    during: async (work: () => Promise<unknown>): Promise<Counts> => {
      const before = await read()
      await work()
      const after = await read()
      return {
        statements: after.statements - before.statements,
        cpuSeconds: after.cpuSeconds - before.cpuSeconds,
        walBytes: after.walBytes - before.walBytes,
        pages: after.pages - before.pages
      }
    },
    /** The statements are counted from here on. */
    reset: () => sql.unsafe(`select pg_stat_statements_reset() ${own}`),
    /** Since `reset`, by a column or a term of pg_stat_statements. */
    top: (by: string, limit: number) =>
      sql.unsafe<Array<Statement>>(`
        select left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as text, calls::float8,
          (shared_blks_hit + shared_blks_read)::float8 as pages, total_exec_time + total_plan_time as millis ${own}
        from pg_stat_statements where ${ofService} order by ${by} desc limit ${limit}`),
    connections: async () => {
      const [row] = await sql.unsafe<Array<{ count: number }>>(
        `select count(*)::int as count ${own} from pg_stat_activity where application_name = 'svc'`
      )
      return row?.count ?? 0
    }
  }
}

export type ServerCounters = Awaited<ReturnType<typeof make>>

/** Rows that were inserted, deleted and updated, also without writing into an index, and that scans read, by table. */
export const changes = async (sql: postgres.Sql) => {
  // sessions report what they changed within ten seconds
  await new Promise((resolve) => setTimeout(resolve, 11_000))
  const rows = await sql.unsafe<
    Array<{ table: string; inserted: number; updated: number; hot: number; deleted: number; scanned: number }>
  >(`
    select relname as table, n_tup_ins::float8 as inserted, n_tup_upd::float8 as updated,
      n_tup_hot_upd::float8 as hot, n_tup_del::float8 as deleted, seq_tup_read::float8 as scanned ${own}
    from pg_stat_user_tables where relname like 'svc%'`)
  return new Map(rows.map((row) => [row.table, row]))
}

/** Bytes of rows with what is stored beside them, and of indexes, by table. */
export const sizes = (sql: postgres.Sql) =>
  sql.unsafe<Array<{ table: string; rows: number; heap: number; indexes: number }>>(`
    select relname as table, greatest(reltuples, 0)::float8 as rows, pg_table_size(oid)::float8 as heap,
      pg_indexes_size(oid)::float8 as indexes ${own}
    from pg_class where relkind = 'r' and relname like 'svc%' and pg_table_size(oid) > 1000000
    order by pg_total_relation_size(oid) desc`)
