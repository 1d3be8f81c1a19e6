// `RunStore` on PostgreSQL. Each change of a run is one statement, so it is stored as a whole or not at all. Concurrent
// calls of `create`, `record` or `finish` share a statement if they are small. Large texts are stored by other ones.
import * as Approval from "@svc-runtime/domain/Approval"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import * as RunItem from "@svc-runtime/domain/RunItem"
import * as Session from "@svc-runtime/domain/Session"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { NewId } from "@svc-runtime/engine/NewId"
import type { RunReading as Reading } from "@svc-runtime/engine/run/store/RunReading"
import { maxCounted, type MemberHistoryQuery, type RunListFilter } from "@svc-runtime/engine/run/store/RunReads"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { Forking } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as Creating from "./runs/Creating.ts"
import * as Finishing from "./runs/Finishing.ts"
import { fork } from "./runs/forkStatement.ts"
import * as History from "./runs/History.ts"
import * as InnerStatements from "./runs/InnerStatements.ts"
import * as LargeTextStores from "./runs/LargeTextStores.ts"
import * as LongStatements from "./runs/longStatements.ts"
import * as ReadStatements from "./runs/ReadStatements.ts"
import * as ResumeStatements from "./runs/ResumeStatements.ts"
import * as RunOutlines from "./runs/RunOutlines.ts"
import * as RunSearch from "./runs/RunSearch.ts"
import * as StepStatements from "./runs/StepStatements.ts"
import { ShortStatements } from "./ShortStatements.ts"
import * as Batched from "./sql/Batched.ts"
import * as DatabaseClock from "./sql/DatabaseClock.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import * as Ownership from "./sql/Ownership.ts"
import * as Page from "./sql/Page.ts"
import * as ReadableRows from "./sql/ReadableRows.ts"
import { text, texts, unchecked } from "./sql/rows.ts"

// Finds the runs of many sessions that have to be cancelled before their sessions are removed.

interface Search {
  readonly sessions: ReadonlyArray<Session.Id>
  readonly owner: Owner.Owner
  readonly limit: number
}

const unfinishedRuns = (sql: SqlClient.SqlClient): Reading["Service"]["unfinished"] => {
  const find = SqlSchema.findAll({
    Request: unchecked<Search>(),
    Result: Schema.Struct({ run_id: Run.Id, session_id: Session.Id }),
    execute: ({ limit, owner, sessions }) =>
      sql`
        select r.run_id, r.session_id from svc_sessions s
          join svc_runs r on r.session_id = s.session_id and r.is_unfinished and not r.cancel_requested
        where s.session_id = any(${texts(sessions.map(text))}) and ${Ownership.isVisible(sql, owner)} limit ${limit}`
  })
  return Effect.fn("SqlRunStore.unfinished")(
    (sessions, owner, limit) => find({ sessions, owner, limit }),
    (effect) => orUnavailable(effect)
  )
}

// Lists the runs of all sessions, the newest first, without their contents.

const columns = `r.run_id, r.session_id, s.user_id, r.status, r.kind, r.component_id, r.component_version as version,
  s.session_name, s.derived_name,
  r.model, r.model_provider, r.usage, r.duration, r.created_at::float8 as created_at, r.updated_at::float8 as updated_at`

const readable = ReadableRows.make(RunItem.Stored, "run_id")

const sortings = new Map([
  ["cost", "(usage->>'cost')::float8"],
  ["duration", "duration"],
  ["total_tokens", "(usage->>'total_tokens')::float8"]
])

const allRuns = (sql: SqlClient.SqlClient): Reading["Service"]["listAll"] => {
  const pages = Page.make(sql)

  /** The runs of one user are those of the user's sessions, which are fewer than all runs. A page reads no others. */
  const source = ({ owner, run_id, session_id }: RunListFilter) =>
    run_id === undefined && (owner._tag === "User" || session_id !== undefined)
      ? sql`svc_sessions s cross join lateral (
          select * from svc_runs r where r.session_id = s.session_id offset 0
        ) r`
      : sql`svc_runs r cross join lateral (
          select * from svc_sessions s where s.session_id = r.session_id offset 0
        ) s`

  const matching = (filter: RunListFilter) => {
    const { component_id, createdAfter, createdBefore, kind, owner, run_id, session_id, status } = filter
    return sql`${source(filter)} where ${
      sql.and([
        sql`coalesce(r.parent_run_id, '') = ''`,
        Ownership.isVisible(sql, owner),
        ...(kind === undefined ? [] : [sql`r.kind = ${kind}`]),
        ...(component_id === undefined ? [] : [sql`r.component_id = ${text(component_id)}`]),
        ...(run_id === undefined ? [] : [sql`r.run_id = ${text(run_id)}`]),
        ...(session_id === undefined ? [] : [sql`s.session_id = ${text(session_id)}`]),
        ...(createdAfter === undefined ? [] : [sql`r.created_at >= ${createdAfter}`]),
        ...(createdBefore === undefined ? [] : [sql`r.created_at <= ${createdBefore}`]),
        // a literal: statuses that are rare have indexes of their own
        ...(status === undefined ? [] : [sql.literal(`r.status = '${status}'`)])
      ])
    }`
  }

  return Effect.fn("SqlRunStore.listAll")(function*(filter: RunListFilter, page: Pagination.Request) {
    const from = matching(filter)
    const { by = "", order = "desc" } = filter.sort ?? {}
    const direction = sql.literal(order)
    const sorting = sortings.get(by)
    const found = sorting === undefined
      ? sql`select ${sql.literal(columns)} from ${from} order by r.seq ${direction} ${pages.limits(page)}`
      : sql`select * from (
          select ${sql.literal(columns)}, r.seq from ${from} order by r.seq desc limit ${maxCounted}
        ) newest order by ${sql.literal(sorting)} ${direction} nulls last, seq ${direction} ${pages.limits(page)}`
    const counted = sql`(select from ${from} limit ${maxCounted}) counted`
    const rows = yield* sql<{ readonly total: number }>`
      with found as materialized (${found})
      select found.*, ${pages.total({ from: counted, page })} as total from found`
    return { runs: yield* readable(rows), total: yield* pages.totalOf(rows, { from: counted, page }) }
  }, readOrUnavailable)
}

const HistoryRow = Schema.Struct({ history: History.Stored, omitted: Schema.Natural })
const RecordedRow = Schema.Struct({ recorded: Schema.Boolean })

/** The only result of a statement about one run. */
const one = <A>([result]: ReadonlyArray<A>): A => result as A

/** The number of connections for heavy or waiting statements. */
const maxLongStatements = 3

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements)?.writes ?? sql
  const { history: historyLimit, response: responseLimit, restored: maxRestoredRun } = yield* StoreLimits
  const newId = yield* NewId
  const longStatements = LongStatements.make(maxLongStatements)
  const clock = DatabaseClock.make()

  const recordOn = (connections: SqlClient.SqlClient) =>
    SqlSchema.findAll({
      Request: unchecked<ReadonlyArray<StepStatements.EncodedStep>>(),
      Result: RecordedRow,
      execute: (recorded) => connections.unsafe(StepStatements.record, StepStatements.recordParameters(recorded))
    })
  const [recordTogether, recordAlone] = [recordOn(short), recordOn(sql)]
  const record = Batched.make({
    together: recordTogether,
    alone: (encoded) => Effect.map(longStatements(encoded.batch.run_id)(recordAlone([encoded])), one),
    bytesOf: ({ bytes }: StepStatements.EncodedStep) => bytes,
    groupOf: ({ batch }) => batch.run_id
  })

  /** Short statements use the pipelined connections; heavy ones do not. */
  const connectionsFor = (bytes: number) => bytes > Batched.heavyBytes ? sql : short

  const appendEvents = SqlSchema.findAll({
    Request: unchecked<ReadonlyArray<StepStatements.EncodedEvents>>(),
    Result: Schema.Struct({ run_id: Run.Id, attempt: Schema.Natural }),
    execute: (batches) =>
      connectionsFor(batches.reduce((sum, { bytes }) => sum + bytes, 0))
        .unsafe(StepStatements.appendEvents, StepStatements.appendEventsParameters(batches))
  })

  const recall = SqlSchema.findAll({
    Request: unchecked<MemberHistoryQuery>(),
    Result: HistoryRow,
    execute: (query) => sql.unsafe(InnerStatements.recall, InnerStatements.recallParameters(query, historyLimit))
  })

  const findForked = SqlSchema.findAll({
    Request: unchecked<Forking>(),
    Result: Schema.Struct({
      copies: Schema.Natural,
      paused: Schema.NullOr(Schema.Record(Schema.String, Run.Id)),
      approvals: Schema.Array(Approval.Approval)
    }),
    execute: (forking) => fork(sql, forking)
  })

  const recordInner = (encoded: InnerStatements.EncodedInner) =>
    connectionsFor(encoded.bytes).unsafe(InnerStatements.recordInner, InnerStatements.recordInnerParameters(encoded))

  const largeTexts = LargeTextStores.make(sql, maxRestoredRun, responseLimit)
  yield* Effect.ignore(largeTexts.sweep, { log: true }).pipe(
    Effect.delay("5 minutes"),
    Effect.andThen(Effect.sleep("1 hour")),
    Effect.forever,
    Effect.forkScoped
  )
  const runs = RunStore.of({
    ...ReadStatements.make(sql, { history: historyLimit, responseLimit }),
    ...ResumeStatements.make(sql, { historyLimit, maxRestoredRun, clock }),
    unfinished: unfinishedRuns(sql),
    search: RunSearch.make(sql, { historyLimit, responseLimit }),
    outlines: RunOutlines.make(sql, { historyLimit, responseLimit }),
    listAll: allRuns(sql),
    create: Creating.make({ sql, short, longStatements, clock, historyLimit, newId }),
    ...Finishing.make({ sql, short, longStatements, historyLimit }),
    fork: Effect.fn("SqlRunStore.fork")(function*(forking) {
      const [row] = yield* findForked(forking)
      if (row === undefined || row.copies === 0) return Option.none()
      const paused = Object.entries(row.paused ?? {})
      return Option.some({
        paused: new Map(paused.map(([copy, original]) => [Run.Id.make(copy), original])),
        approvals: row.approvals
      })
    }, orUnavailable),
    memberHistory: Effect.fn("SqlRunStore.memberHistory")(function*(query) {
      const rows = yield* recall(query)
      return yield* History.decode(rows.flatMap(({ history }) => history), query)
    }, readOrUnavailable),
    recordMembers: (outer, inner) =>
      Effect.asVoid(orUnavailable(Effect.suspend(() => recordInner(InnerStatements.encodeInner(outer, inner))), outer)),
    record: (recorded) =>
      Effect.map(
        orUnavailable(Effect.suspend(() => record(StepStatements.encodeStep(recorded))), recorded),
        (stored) => stored.recorded
      ),
    appendEvents: (batches) =>
      orUnavailable(Effect.suspend(() => appendEvents(batches.map(StepStatements.encodeEvents))), batches)
  })
  return RunStore.of({ ...runs, ...largeTexts.runs(runs) })
})

export const layer: Layer.Layer<RunStore, never, ShortStatements | SqlClient.SqlClient | StoreLimits> = Layer.effect(
  RunStore,
  make
)
