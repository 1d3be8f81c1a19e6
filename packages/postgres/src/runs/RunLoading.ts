// Reads the snapshot of a run under its lease. A small one comes in one row. Of a large one each
// message and each journal entry is a row of its own, because the driver limits the size of a row. A run that is too
// large for that, or for this process, is not read. Large runs are read one after the other.
import type { Lease } from "@svc-runtime/engine/node/LeasedRuns"
import * as JournalLoss from "@svc-runtime/engine/run/journal/JournalLoss"
import { RunUnreadable } from "@svc-runtime/engine/run/RunErrors"
import type { RunLeases } from "@svc-runtime/engine/run/store/RunLeases"
import { Effect, Option, Schema, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { readOrUnavailable } from "../sql/orUnavailable.ts"
import { text } from "../sql/rows.ts"
import * as RunColumns from "./RunColumns.ts"
import * as RunRows from "./RunRows.ts"

const mebibyte = 1024 * 1024

/** A message of the driver may be a little larger. */
const maxValueBytes = 120 * mebibyte

const maxInOneRow = mebibyte

const SizesRow = Schema.Struct({
  total: Schema.Finite,
  largest: Schema.Finite,
  is_small: Schema.Boolean,
  is_complete: Schema.Boolean
})

const decodeSizes = Schema.decodeUnknownEffect(SizesRow)
const decodeRow = Schema.decodeUnknownEffect(RunRows.SnapshotRow)

const inMebibytes = (bytes: number) => `${Math.ceil(bytes / mebibyte)} MiB`

export const make = (
  sql: SqlClient.SqlClient,
  { historyLimit, maxRestoredRun }: { readonly historyLimit: number; readonly maxRestoredRun: number }
): RunLeases["Service"]["load"] => {
  const { entries, isComplete, messages, output, scalars, seen } = RunColumns.make(sql, historyLimit)
  const alone = Semaphore.makeUnsafe(1)

  const unreadable = ({ run_id }: Lease, reason: string) => new RunUnreadable({ run_id, reason })

  const isHeld = ({ attempt, run_id }: Lease) =>
    sql`r.run_id = ${text(run_id)} and r.attempt = ${attempt} and r.status in ('PENDING', 'RUNNING')`

  const findSmall = (held: Lease) =>
    sql`
      select z.total, z.largest, z.is_small, ${isComplete} as is_complete, small.*
      from svc_runs r join svc_sessions s on s.session_id = r.session_id
      cross join lateral (
        select octet_length(${output}::text)::float8 as output,
          coalesce(octet_length(r.command::text), 0)::float8 + coalesce(octet_length(s.session_state::text), 0) as other,
          (select coalesce(max(octet_length(m.body::text)), 0)::float8 from svc_messages m where m.run_seq = r.seq) as message,
          (select coalesce(sum(octet_length(m.body::text)), 0)::float8 from svc_messages m where m.run_seq = r.seq) as messages,
          (select coalesce(max(octet_length(j.body::text)), 0)::float8 from svc_run_journal j where j.run_seq = r.seq) as entry,
          (select coalesce(sum(octet_length(j.body::text)), 0)::float8 from svc_run_journal j where j.run_seq = r.seq) as entries
      ) b
      cross join lateral (
        select b.output + b.other + b.messages + b.entries as total,
          greatest(b.output, b.other, b.message, b.entry) as largest,
          b.output + b.other + b.messages + b.entries <= ${maxInOneRow}::float8 as is_small
      ) z
      left join lateral (
        select ${scalars}, ${output} as output, ${messages} as messages, ${entries} as entries, ${seen}
      ) small on z.is_small
      where ${isHeld(held)}`

  /** Each column is read by its own statement, because a row has to fit into one message of the driver. */
  const findLarge = Effect.fnUntraced(function*(held: Lease) {
    const [row] = yield* sql<Record<string, unknown>>`
      select ${scalars} from svc_runs r where ${isHeld(held)}`
    const [stored] = yield* sql<Record<string, unknown>>`
      select ${output} as output from svc_runs r where ${isHeld(held)}`
    const [left] = yield* sql<Record<string, unknown>>`
      select ${seen} from svc_runs r join svc_sessions s on s.session_id = r.session_id where ${isHeld(held)}`
    if (row === undefined || stored === undefined || left === undefined) return undefined
    const pieces = yield* sql<{ readonly body: string }>`
      select m.body::text as body from svc_messages m join svc_runs r on r.seq = m.run_seq
      where ${isHeld(held)} order by m.position`
    const done = yield* sql<{ readonly body: string }>`
      select j.body::text as body from svc_run_journal j join svc_runs r on r.seq = j.run_seq
      where ${isHeld(held)} order by j.position`
    const joined = (rows: ReadonlyArray<{ readonly body: string }>) => `[${rows.map(({ body }) => body).join(",")}]`
    return {
      ...row,
      ...stored,
      ...left,
      messages: pieces.length === 0 ? null : joined(pieces),
      entries: joined(done)
    }
  })

  const decoded = (held: Lease, row: unknown) =>
    decodeRow(row).pipe(
      Effect.flatMap(RunRows.toSnapshot),
      Effect.tapError((cause) => Effect.logWarning("What is stored of a run does not decode", cause)),
      Effect.annotateLogs({ run_id: held.run_id }),
      Effect.mapError(() => unreadable(held, "what is stored of it does not have the form that this version reads"))
    )

  return Effect.fn("SqlRunStore.load")(function*(held) {
    const [row] = yield* readOrUnavailable(findSmall(held))
    if (row === undefined) return Option.none()
    const { is_complete, is_small, largest, total } = yield* Effect.orDie(decodeSizes(row))
    if (!is_complete) return yield* unreadable(held, JournalLoss.journalIncomplete)
    if (is_small) return Option.some(yield* decoded(held, row))
    if (total > maxRestoredRun) {
      return yield* unreadable(
        held,
        `it has ${inMebibytes(total)}, and MAX_RESTORED_RUN_BYTES allows ${inMebibytes(maxRestoredRun)}`
      )
    }
    if (largest > maxValueBytes) {
      return yield* unreadable(
        held,
        `one value of it has ${inMebibytes(largest)}, and none above ${inMebibytes(maxValueBytes)} can be read`
      )
    }
    const large = yield* alone.withPermit(readOrUnavailable(findLarge(held)))
    return large === undefined ? Option.none() : Option.some(yield* decoded(held, large))
  })
}
