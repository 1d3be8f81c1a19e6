// The methods of `RunStore` that read runs for callers with access, each by one statement.
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import type { EventRange, PolledEvents, PolledRun, RunFilter } from "@svc-runtime/engine/run/store/RunReads"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import { orUnavailable, readOrUnavailable } from "../sql/orUnavailable.ts"
import * as Ownership from "../sql/Ownership.ts"
import * as Path from "../sql/Path.ts"
import { readOne } from "../sql/readOne.ts"
import { logRejected } from "../sql/rejectedStatements.ts"
import * as RowByRow from "../sql/RowByRow.ts"
import { integers, text, texts, unchecked } from "../sql/rows.ts"
import * as BeginId from "./BeginId.ts"
import * as RunColumns from "./RunColumns.ts"
import * as RunListing from "./RunListing.ts"
import * as RunRows from "./RunRows.ts"

// Pages of a run's events, from rows of one event each and from folds of many. The page has no gap up to `bound`.
// After it, events may be missing from the page.

/**
 * Bytes of one page, without a last event that begins before the limit. A fold is smaller than this, so each page has a
 * last event.
 */
const pageBytes = 1024 * 1024

const maxFolds = 1

/** Of a run `r`: the events behind an index and `bound`. Folds of a run do not overlap. */
const eventPages = (sql: SqlClient.SqlClient) => (after: Statement.Fragment, limit: number): Statement.Fragment =>
  sql`(
      select
        coalesce('[' || string_agg(c.body, ',' order by c.first_index) filter (where c.is_in) || ']', '[]') as events,
        least(
          min(c.first_index) filter (where not c.is_in) - 1,
          case when count(*) filter (where not c.is_fold) = ${limit}
            then max(c.last_index) filter (where not c.is_fold) end,
          case when count(*) filter (where c.is_fold) = ${maxFolds} then max(c.last_index) filter (where c.is_fold) end
        ) as bound
      from (
        select n.*, sum(octet_length(n.body)) over (order by n.first_index) - octet_length(n.body) < ${pageBytes} as is_in
        from (
          (select e.event_index as first_index, e.event_index as last_index, e.body::text as body, false as is_fold
            from svc_run_events e
            where e.run_seq = r.seq and e.event_index > ${after} order by e.event_index limit ${limit})
          union all
          (select f.first_index, f.last_index, f.body, true from svc_run_event_folds f
            where f.run_seq = r.seq and f.last_index > ${after} order by f.first_index
            limit ${Math.min(maxFolds, limit)})
        ) n
      ) c
    )`

type Page = Omit<typeof RunRows.EventsRow.Type, "status">

const indexOf = (event: Json.Object): number => Number(event["event_index"])

const isEvent = (event: object): event is RunEvent.RunEvent => "event" in event && "event_index" in event

/** The service wrote them, and responds with them unchanged: decoding would change the order of their keys. */
const eventsOf = ({ after, bound, copy, events }: Page, limit: number): ReadonlyArray<RunEvent.RunEvent> =>
  events
    .filter((event) => indexOf(event) > after && (bound === null || indexOf(event) <= bound))
    .toSorted((one, other) => indexOf(one) - indexOf(other))
    .slice(0, limit)
    .map(RunRows.eventOf(copy))
    .filter(isEvent)

interface Search {
  /** Undefined if only the id of the run is known. */
  readonly session: Session.Id | undefined
  readonly filter: RunFilter
}

interface One extends Search {
  readonly run: Run.Id
}

interface Poll {
  readonly polled: ReadonlyArray<PolledRun>
  readonly limit: number
}

type Reading = Pick<
  RunStore["Service"],
  "find" | "attemptOf" | "list" | "places" | "snapshot" | "readEvents" | "pollEvents" | "requestCancel"
>

/** In bytes. */
export interface Limits {
  readonly history: number
  readonly responseLimit: number
}

const PlacedRow = Schema.Struct({
  run_id: Run.Id,
  previous_run_id: Schema.NullOr(Run.Id),
  is_on_path: Schema.Boolean,
  is_addition: Schema.Boolean
})

const polledOf = RowByRow.decode(RunRows.PolledRow)

const unreadable = ({ run_id }: RowByRow.Rejected): PolledEvents => ({
  run_id: Run.Id.make(run_id),
  status: "unreadable",
  hasMore: false,
  events: []
})

/** Clients choose the index. One outside the range of the column would fail the statement for all polled runs. */
const eventIndex = (after: number): number => Math.min(Math.max(after, -1), 2_147_483_647)

export const make = (sql: SqlClient.SqlClient, { history, responseLimit }: Limits): Reading => {
  const pageOf = eventPages(sql)
  const { columns, copy, eventCount, snapshot } = RunColumns.make(sql, history)

  const isVisible = ({ filter: { component, owner }, session }: Search) =>
    sql.and([
      ...(session === undefined ? [] : [sql`s.session_id = ${text(session)}`]),
      Ownership.isVisible(sql, owner),
      ...(component === undefined ? [] : [
        sql`s.session_type = ${component.kind}`,
        sql`coalesce(s.agent_id, s.team_id, s.workflow_id) = ${text(component.id)}`
      ])
    ])

  const isStatus = (status: string) =>
    status === "RUNNING" || status === "PENDING"
      // for the index of unfinished runs
      ? sql`r.is_unfinished and r.status = ${status}`
      : sql`r.status = ${text(status)}`

  const isWanted = ({ component, createdAfter, createdBefore, startClaim, status }: RunFilter) =>
    sql.and([
      sql`r.session_id = s.session_id`,
      ...(component === undefined
        ? []
        : [sql`r.kind = ${component.kind}`, sql`r.component_id = ${text(component.id)}`]),
      ...(status === undefined ? [] : [isStatus(status)]),
      ...(createdAfter === undefined ? [] : [sql`r.created_at >= ${createdAfter}`]),
      ...(createdBefore === undefined ? [] : [sql`r.created_at <= ${createdBefore}`]),
      ...(startClaim === undefined ? [] : [sql`starts_with(r.begin_id, ${BeginId.prefixOf(startClaim)})`])
    ])

  const one = ({ run, ...search }: One, selected: Statement.Fragment) =>
    sql`
      select ${selected} from svc_sessions s join svc_runs r on ${isWanted(search.filter)}
      where r.run_id = ${text(run)} and ${isVisible(search)}`

  const rest = SqlSchema.findOneOption({
    Request: unchecked<One>(),
    Result: RunRows.SnapshotRow,
    execute: (wanted) => one(wanted, snapshot)
  })

  const find = SqlSchema.findOneOption({
    Request: unchecked<One>(),
    Result: RunRows.RunRow,
    execute: (wanted) => one(wanted, columns)
  })

  const attemptOf = SqlSchema.findOneOption({
    Request: unchecked<{ readonly session: Session.Id; readonly run: Run.Id }>(),
    Result: Schema.Struct({ attempt: Schema.Natural }),
    execute: ({ run, session }) =>
      sql`select attempt from svc_runs where run_id = ${text(run)} and session_id = ${text(session)}`
  })

  // the memory for the rows of a run, without its long texts
  const findSize = SqlSchema.findOneOption({
    Request: unchecked<One>(),
    Result: Schema.Struct({ parsed: Schema.Finite }),
    execute: (wanted) => one(wanted, sql`${sql.literal(RunListing.readBytes)}::float8 as parsed`)
  })

  const admit = (wanted: One, isMeant?: typeof ReadLimiter.isReadOnly) =>
    ReadLimiter.admit(Effect.map(findSize(wanted), Option.getOrElse(() => ({ parsed: 0 }))), isMeant)

  const list = RunListing.make({ sql, responseLimit, columns, isVisible, isWanted })

  const readEvents = SqlSchema.findOneOption({
    Request: unchecked<One & { readonly range: EventRange }>(),
    Result: RunRows.EventsRow,
    execute: ({ range: { after, limit }, run, ...search }) => {
      const index = sql`${eventIndex(after)}::integer`
      return sql`
        select ${copy}, r.status, ${eventCount} as count, ${index} as after, p.events, p.bound
        from svc_sessions s join svc_runs r on ${isWanted(search.filter)}
          cross join lateral ${pageOf(index, limit)} p
        where r.run_id = ${text(run)} and ${isVisible(search)}`
    }
  })

  const pollEvents = ({ limit, polled }: Poll) =>
    Effect.flatMap(
      sql<object>`
        select ${copy}, r.run_id, r.status, ${eventCount} as count, polled.after, p.events, p.bound
        from unnest(
          ${texts(polled.map(({ run_id }) => text(run_id)))}::text[],
          ${integers(polled.map(({ after }) => eventIndex(after)))}::integer[]
        ) as polled (run_id, after)
        join svc_runs r on r.run_id = polled.run_id
        cross join lateral ${pageOf(sql`polled.after`, limit)} p`,
      (rows) => Effect.forEach(rows, polledOf)
    )

  const places = SqlSchema.findAll({
    Request: unchecked<{ readonly session: Session.Id; readonly runs: ReadonlyArray<Run.Id> }>(),
    Result: PlacedRow,
    execute: ({ runs, session }) =>
      sql`
        with session as materialized (
          select s.session_id, ${sql.literal(Path.of(Path.ofLeaf))} as path
          from svc_sessions s where s.session_id = ${text(session)}
        )
        select r.run_id, (
          select p.run_id from svc_runs p where p.seq = ${sql.literal(Path.parentOf("r"))}
        ) as previous_run_id, r.seq <@ session.path as is_on_path, r.is_addition is true as is_addition
        from session join lateral (
          select * from svc_runs r where r.run_id = any(${texts(runs.map(text))}) offset 0
        ) r on r.session_id = session.session_id
        where r.parent_run_id is null order by r.seq`
  })

  const requestCancel = SqlSchema.findOneOption({
    Request: unchecked<One>(),
    Result: Schema.Struct({ session_id: Session.Id, status: Run.Status }),
    execute: ({ run, ...search }) =>
      sql`
        with found as (
          select r.seq, r.session_id, r.status from svc_runs r join svc_sessions s on ${isWanted(search.filter)}
          where r.run_id = ${text(run)} and ${isVisible(search)}
        ), requested as (
          update svc_runs r set cancel_requested = true
          from found where r.seq = found.seq and r.status in ('PENDING', 'RUNNING', 'PAUSED')
        )
        select session_id, status from found`
  })

  return {
    find: Effect.fn("SqlRunStore.find")(function*(session, run, filter) {
      yield* admit({ session, run, filter })
      const found = yield* find({ session, run, filter })
      return Option.isNone(found) ? Option.none() : Option.some(yield* RunRows.toOutput(found.value))
    }, (effect, _, id) => readOne(effect, { kind: "run", id })),
    attemptOf: Effect.fn("SqlRunStore.attemptOf")((session, run) =>
      readOrUnavailable(Effect.map(attemptOf({ session, run }), Option.map(({ attempt }) => attempt)))
    ),
    list: Effect.fn("SqlRunStore.list")(function*(session, filter, page) {
      return yield* list({ session, filter }, page)
    }, readOrUnavailable),
    places: Effect.fn("SqlRunStore.places")(function*(session, runs) {
      return yield* places({ session, runs })
    }, readOrUnavailable),
    snapshot: Effect.fn("SqlRunStore.snapshot")(function*(session, run, filter) {
      yield* admit({ session, run, filter }, ReadLimiter.isReadOnly)
      const found = yield* rest({ session, run, filter })
      return Option.isNone(found) ? Option.none() : Option.some(yield* RunRows.toSnapshot(found.value))
    }, (effect, _, id) => readOne(effect, { kind: "run", id })),
    readEvents: Effect.fn("SqlRunStore.readEvents")(function*(session, run, filter, range) {
      const found = yield* readEvents({ session, run, filter, range })
      return Option.map(found, ({ status, ...page }) => ({
        status,
        count: page.count,
        events: eventsOf(page, range.limit)
      }))
    }, (effect, _, id) => readOne(effect, { kind: "run", id })),
    pollEvents: Effect.fn("SqlRunStore.pollEvents")(function*(polled, limit) {
      const rows = yield* pollEvents({ polled, limit })
      for (const { rejected, run_id } of rows.filter(RowByRow.isRejected)) yield* logRejected(rejected, [{ run_id }])
      return rows.map((row): PolledEvents => {
        if (RowByRow.isRejected(row)) return unreadable(row)
        const { run_id, status, ...page } = row
        const events = eventsOf(page, limit)
        const hasMore = events.length > 0 && (events.at(-1)?.event_index ?? 0) < page.count - 1
        return { run_id, status, hasMore, events }
      })
    }, readOrUnavailable),
    requestCancel: Effect.fn("SqlRunStore.requestCancel")(function*(run, session, filter) {
      return yield* requestCancel({ run, session, filter })
    }, orUnavailable)
  }
}
