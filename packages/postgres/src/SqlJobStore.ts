// `JobStore` in PostgreSQL. Only the clock of the database decides what is due, because clocks of nodes can differ.
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { type HeldJob, type JobFilter, JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as JobStatements from "./jobs/JobStatements.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import * as Ownership from "./sql/Ownership.ts"
import * as Page from "./sql/Page.ts"
import * as ReadableRows from "./sql/ReadableRows.ts"
import { readOne } from "./sql/readOne.ts"
import { logRejected } from "./sql/rejectedStatements.ts"
import { integers, jsonOrNull, text, texts, unchecked } from "./sql/rows.ts"

const seconds = (column: string) => `floor(extract(epoch from j.${column}))::float8 as ${column}`

const summaryColumns = `j.id, j.kind, j.key, j.status, j.progress, j.attempts, j.max_attempts, j.last_error,
  j.cancel_requested as is_cancel_requested, j.user_id, j.session_id, ${seconds("run_at")}, ${seconds("created_at")},
  ${seconds("updated_at")}`

const EnqueuedRow = Schema.Struct({ id: Job.Id, isNew: Schema.Boolean })
const CountRow = Schema.Struct({ count: Schema.Natural })
const HeldRow = Schema.Struct({ id: Job.Id, isCancelRequested: Schema.Boolean })

const readableSummaries = ReadableRows.make(Job.Summary, "job_id")
const decodeAcquired = Schema.decodeUnknownResult(Job.Acquired)
const leaseOf = Schema.decodeUnknownOption(Schema.Struct({ id: Job.Id, lease: Schema.Natural }))

interface Key {
  readonly id: Job.Id
  readonly owner: Owner.Owner
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const statements = JobStatements.make(sql)
  const pages = Page.make(sql)
  const summary = sql.literal(summaryColumns)
  const columns = sql.literal(`${summaryColumns}, j.payload`)

  const isCovered = (owner: Owner.Owner) => Ownership.covers(sql, "j.user_id", owner)
  const isAt = ({ id, owner }: Key) => sql.and([sql`j.id = ${text(id)}`, isCovered(owner)])

  const matches = ({ key, kind, owner, status }: JobFilter) =>
    sql.and([
      isCovered(owner),
      ...(kind === undefined ? [] : [sql`j.kind = ${text(kind)}`]),
      ...(key === undefined ? [] : [sql`j.key = ${text(key)}`]),
      ...(status === undefined ? [] : [sql`j.status = ${status}`])
    ])

  const enqueue = SqlSchema.findOne({
    Request: unchecked<Job.NewJob>(),
    Result: EnqueuedRow,
    execute: statements.enqueue
  })

  const countDue = SqlSchema.findAll({
    Request: unchecked<Parameters<(typeof statements)["countDue"]>>(),
    Result: CountRow,
    execute: (given) => statements.countDue(...given)
  })

  const countWaiting = SqlSchema.findOne({
    Request: unchecked<Parameters<(typeof statements)["countWaiting"]>>(),
    Result: Schema.Struct({ count: Schema.Natural }),
    execute: (given) => statements.countWaiting(...given)
  })

  const find = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Job.Job,
    execute: (key) => sql`select ${columns} from svc_jobs j where ${isAt(key)}`
  })

  const cancel = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Job.Job,
    execute: (key) =>
      sql`
        with found as (
          select j.id from svc_jobs j where ${isAt(key)} for update
        ), changed as (
          update svc_jobs c set
            cancel_requested = true, updated_at = now(), pending_key = null,
            status = case c.status when 'PENDING' then 'CANCELLED' else c.status end
          from found where c.id = found.id and c.status in ('PENDING', 'RUNNING') returning c.*
        )
        select ${columns} from changed j
        union all
        select ${columns} from svc_jobs j join found on found.id = j.id where not exists (select from changed)`
  })

  const sync = SqlSchema.findAll({
    Request: unchecked<ReadonlyArray<HeldJob>>(),
    Result: HeldRow,
    execute: (held) =>
      sql`
        with held as (
          select * from unnest(
            ${texts(held.map(({ id }) => text(id)))}::text[], ${integers(held.map(({ lease }) => lease))}::int[],
            ${texts(held.map(({ progress }) => jsonOrNull(progress ?? null)))}::text[]
          ) as h (id, lease, progress)
        ), reported as (
          update svc_jobs j set progress = held.progress::json, updated_at = now() from held
          where j.id = held.id and j.lease = held.lease and j.status = 'RUNNING' and held.progress is not null
        )
        select j.id, j.cancel_requested as "isCancelRequested" from svc_jobs j join held on j.id = held.id
        where j.lease = held.lease and j.status = 'RUNNING'`
  })

  const finish = (lease: Job.Lease, end: Job.End) =>
    Effect.map(statements.finish(lease, end), ({ length }) => length > 0)

  /** A row of another version must not harm the jobs beside it. */
  const readable = Effect.fnUntraced(function*(row: object) {
    const decoded = decodeAcquired(row)
    if (Result.isSuccess(decoded)) return [decoded.success]
    yield* logRejected(decoded.failure, [])
    const lease = leaseOf(row)
    const error = "The stored job cannot be read"
    if (Option.isSome(lease)) yield* finish(lease.value, { _tag: "Failed", error })
    return []
  })

  const promote = Effect.gen(function*() {
    for (let promoted = 0; promoted < statements.rowsAtOnce; promoted += statements.promotedAtOnce) {
      if ((yield* statements.promote).length < statements.promotedAtOnce) return
    }
  })

  return JobStore.of({
    enqueue: Effect.fn("SqlJobStore.enqueue")((job) => orUnavailable(enqueue(job))),
    enqueueMissing: Effect.fn("SqlJobStore.enqueueMissing")((job) =>
      orUnavailable(Effect.map(statements.enqueueMissing(job), ({ length }) => length > 0))
    ),
    enqueueNext: Effect.fn("SqlJobStore.enqueueNext")((job) =>
      orUnavailable(Effect.map(statements.enqueueNext(job), ({ length }) => length > 0))
    ),
    hasten: Effect.fn("SqlJobStore.hasten")((kind, key) => orUnavailable(Effect.asVoid(statements.hasten(kind, key)))),
    countDue: Effect.fn("SqlJobStore.countDue")((kinds, limit) =>
      readOrUnavailable(Effect.map(
        countDue([kinds, limit]),
        (rows) => new Map(kinds.map((kind, at) => [kind, rows[at]?.count ?? 0]))
      ))
    ),
    countWaiting: Effect.fn("SqlJobStore.countWaiting")((...given) =>
      readOrUnavailable(Effect.map(countWaiting(given), ({ count }) => count))
    ),
    find: Effect.fn("SqlJobStore.find")((id, owner) => readOne(find({ id, owner }), { kind: "job", id })),
    list: Effect.fn("SqlJobStore.list")(function*(filter, page) {
      const from = sql`svc_jobs j where ${matches(filter)}`
      const rows = yield* pages.select({ columns: summary, from, order: sql`j.seq desc`, page })
      const total = yield* pages.totalOf(rows, { from, page })
      return { jobs: yield* readableSummaries(rows), total }
    }, readOrUnavailable),
    cancel: Effect.fn("SqlJobStore.cancel")((id, owner) => orUnavailable(cancel({ id, owner }))),
    acquire: Effect.fn("SqlJobStore.acquire")(function*(acquisition) {
      yield* promote
      // another node has started a job of the same key at the same moment: the next call acquires others
      const rows = yield* Effect.catchReason(
        statements.acquire(acquisition),
        "SqlError",
        "UniqueViolation",
        () => Effect.succeed([])
      )
      return (yield* Effect.forEach(rows, readable)).flat()
    }, orUnavailable),
    takeOver: Effect.fn("SqlJobStore.takeOver")((request) =>
      orUnavailable(Effect.map(statements.takeOver(request), ({ length }) => length))
    ),
    sync: Effect.fn("SqlJobStore.sync")((held) => orUnavailable(sync(held))),
    progressed: Effect.fn("SqlJobStore.progressed")((lease) =>
      orUnavailable(Effect.asVoid(statements.progressed(lease)))
    ),
    finish: Effect.fn("SqlJobStore.finish")((lease, end) =>
      orUnavailable(
        // a job with its key waits already and stands for the repetition
        Effect.catchReason(
          finish(lease, end),
          "SqlError",
          "UniqueViolation",
          () => finish(lease, { _tag: "Completed" })
        )
      )
    ),
    removeOf: Effect.fn("SqlJobStore.removeOf")((user_id, kinds) => {
      const isOfKind = kinds === undefined ? sql`true` : sql`kind = any(${texts(kinds.map(text))}::text[])`
      const removing = sql<{ readonly removed: number }>`
        with removed as (delete from svc_jobs where user_id = ${text(user_id)} and ${isOfKind} returning 1)
        select count(*)::int as removed from removed`
      return orUnavailable(Effect.map(removing, ([row]) => row?.removed ?? 0))
    })
  })
})

export const layer: Layer.Layer<JobStore, never, SqlClient.SqlClient> = Layer.effect(JobStore, make)
