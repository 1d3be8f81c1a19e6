// "At most so many rows of a table, and so many of one user": they are counted and stored under a lock of the table, so
// requests at the same time are counted one after the other.
import type * as Share from "@svc-runtime/engine/limits/Share"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { inTransaction } from "./inTransaction.ts"
import { textOrNull } from "./rows.ts"

/** Of the advisory locks: any numbers that nothing else locks. */
const locks = {
  svc_channels: 5_733_921_193,
  svc_datasets: 5_733_921_192,
  svc_eval_runs: 5_733_921_008,
  svc_experiments: 7_316_924_006,
  svc_schedules: 5_733_921_190,
  svc_webhooks: 5_733_921_189
} as const

export interface Counted {
  readonly table: keyof typeof locks
  /** The rows that count. All, when left out. */
  readonly where?: string | undefined
  /** Without one only all rows count. */
  readonly user_id: string | null | undefined
  readonly room: Share.Room
  /** Whether an earlier call stored the row, whose reply was lost. */
  readonly isStored?: Effect.Effect<boolean, SqlError.SqlError>
}

/** Executes what stores a row if there is room for it. Whether the row is stored. */
export const make = (sql: SqlClient.SqlClient) => {
  const hasRoom = Effect.fnUntraced(function*({ room, table, user_id, where = "true" }: Counted) {
    const counted = (isCounted: ReturnType<typeof sql.literal>, most: number) =>
      sql`select from ${sql(table)} where ${sql.literal(where)} and ${isCounted} limit ${most}`
    if ((yield* counted(sql.literal("true"), room.all)).length >= room.all) return false
    if (user_id === null || user_id === undefined) return true
    return (yield* counted(sql`user_id = ${textOrNull(user_id)}`, room.ofUser)).length < room.ofUser
  })

  return <E, R>(
    { isStored = Effect.succeed(false), ...counted }: Counted,
    store: Effect.Effect<unknown, E, R>
  ): Effect.Effect<boolean, E | SqlError.SqlError, R> =>
    inTransaction(sql)(Effect.gen(function*() {
      yield* sql`select pg_advisory_xact_lock(${locks[counted.table]}::bigint)::text as locked`
      if (yield* isStored) return true
      if (!(yield* hasRoom(counted))) return false
      yield* store
      return true
    }))
}
