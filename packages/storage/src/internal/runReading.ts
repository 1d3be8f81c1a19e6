// The half of `RunStore` that looks runs up for whoever may see them, each by one statement.
import type { Run, RunEvent, Session } from "@svc/domain"
import type { EventRange, PolledRun, RunFilter, RunStore } from "@svc/runtime"
import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import { orUnavailable, readOrUnavailable } from "./orUnavailable.ts"
import * as Ownership from "./ownership.ts"
import { integers, text, texts, typed } from "./rows.ts"
import * as Columns from "./runColumns.ts"
import * as Rows from "./runRows.ts"

interface Search {
  /** Undefined where the run's id has to do. */
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

/** Bytes of events that one run brings into one answer: the next page has the others. One larger event goes alone. */
const pageBytes = 2 * 1024 * 1024

type Reading = Pick<RunStore["Service"], "find" | "list" | "rest" | "readEvents" | "pollEvents" | "requestCancel">

export const make = (sql: SqlClient.SqlClient, historyLimit: number): Reading => {
  const { columns, copy, eventCount, resting } = Columns.make(sql, historyLimit)

  const isVisible = ({ filter: { component, owner }, session }: Search) =>
    sql.and([
      ...(session === undefined ? [] : [sql`s.session_id = ${text(session)}`]),
      Ownership.covers(sql, "s.user_id", owner),
      ...(component === undefined ? [] : [
        sql`s.session_type = ${component.kind}`,
        sql`coalesce(s.agent_id, s.team_id, s.workflow_id) = ${text(component.id)}`
      ])
    ])

  const isWanted = ({ component, createdAfter, createdBefore, status }: RunFilter) =>
    sql.and([
      sql`r.session_id = s.session_id`,
      ...(component === undefined
        ? []
        : [sql`r.kind = ${component.kind}`, sql`r.component_id = ${text(component.id)}`]),
      ...(status === undefined ? [] : [sql`r.status = ${text(status)}`]),
      ...(createdAfter === undefined ? [] : [sql`r.created_at >= ${createdAfter}`]),
      ...(createdBefore === undefined ? [] : [sql`r.created_at <= ${createdBefore}`])
    ])

  const one = ({ run, ...search }: One, selected: Statement.Fragment) =>
    sql`
      select ${selected} from svc_sessions s join svc_runs r on ${isWanted(search.filter)}
      where r.run_id = ${text(run)} and ${isVisible(search)}`

  /** The next events of a run `r`, as texts, with how many bytes each has and all have up to it. */
  const page = (after: Statement.Fragment, limit: number) =>
    sql`(
      select n.event_index, n.body, octet_length(n.body) as size,
        sum(octet_length(n.body)) over (order by n.event_index) as upto
      from (
        select e.event_index, e.body::text as body from svc_run_events e
        where e.run_seq = r.seq and e.event_index > ${after} order by e.event_index limit ${limit}
      ) n
    )`

  const rest = SqlSchema.findOneOption({
    Request: typed<One>(),
    Result: Rows.RestingRow,
    execute: (wanted) => one(wanted, resting)
  })

  const find = SqlSchema.findOneOption({
    Request: typed<One>(),
    Result: Rows.RunRow,
    execute: (wanted) => one(wanted, columns)
  })

  const list = SqlSchema.findAll({
    Request: typed<Search>(),
    Result: Rows.ListedRow,
    execute: (search) =>
      sql`
        select ${columns} from svc_sessions s left join svc_runs r on ${isWanted(search.filter)}
        where ${isVisible(search)} order by r.seq`
  })

  const readEvents = SqlSchema.findOneOption({
    Request: typed<One & { readonly range: EventRange }>(),
    Result: Rows.EventsRow,
    execute: ({ range: { after, limit }, run, ...search }) =>
      sql`
        select ${copy}, r.status, ${eventCount} as count, coalesce((
          select '[' || string_agg(e.body, ',' order by e.event_index) || ']'
          from ${page(sql`${after}::integer`, limit)} e where e.upto - e.size < ${pageBytes}
        ), '[]') as events
        from svc_sessions s join svc_runs r on ${isWanted(search.filter)}
        where r.run_id = ${text(run)} and ${isVisible(search)}`
  })

  const pollEvents = SqlSchema.findAll({
    Request: typed<Poll>(),
    Result: Rows.PolledRow,
    execute: ({ limit, polled }) =>
      sql`
        select ${copy}, r.run_id, r.status, p.events, p.last_index < ${eventCount} - 1 as has_more
        from unnest(
          ${texts(polled.map(({ run_id }) => text(run_id)))}::text[], ${
        integers(polled.map(({ after }) => after))
      }::integer[]
        ) as polled (run_id, after)
        join svc_runs r on r.run_id = polled.run_id
        cross join lateral (
          select coalesce('[' || string_agg(e.body, ',' order by e.event_index) || ']', '[]') as events,
            coalesce(max(e.event_index), polled.after) as last_index
          from ${page(sql`polled.after`, limit)} e where e.upto - e.size < ${pageBytes}
        ) p`
  })

  const requestCancel = SqlSchema.findOne({
    Request: typed<One>(),
    Result: Schema.Struct({ found: Schema.Boolean }),
    execute: ({ run, ...search }) =>
      sql`
        with found as (
          select r.seq from svc_runs r join svc_sessions s on ${isWanted(search.filter)}
          where r.run_id = ${text(run)} and ${isVisible(search)}
        ), asked as (
          update svc_runs r set cancel_requested = true
          from found where r.seq = found.seq and r.status in ('PENDING', 'RUNNING', 'PAUSED')
        )
        select exists (select from found) as found`
  })

  return {
    find: Effect.fn("SqlRunStore.find")(function*(session, run, filter) {
      return Option.map(yield* find({ session, run, filter }), Rows.toOutput)
    }, readOrUnavailable),
    list: Effect.fn("SqlRunStore.list")(function*(session, filter) {
      const rows = yield* list({ session, filter })
      return rows.length === 0 ? Option.none() : Option.some(Rows.toOutputs(rows))
    }, readOrUnavailable),
    rest: Effect.fn("SqlRunStore.rest")(function*(session, run, filter) {
      return Option.map(yield* rest({ session, run, filter }), Rows.toResting)
    }, readOrUnavailable),
    readEvents: Effect.fn("SqlRunStore.readEvents")(function*(session, run, filter, range) {
      const found = yield* readEvents({ session, run, filter, range })
      // They were written by this service, and go out as they were: decoding them would put their keys in another order.
      return Option.map(found, ({ copy, events, ...rest }) => ({
        ...rest,
        events: events.map(Rows.eventOf(copy)) as unknown as ReadonlyArray<RunEvent.RunEvent>
      }))
    }, readOrUnavailable),
    pollEvents: Effect.fn("SqlRunStore.pollEvents")(function*(polled, limit) {
      const rows = yield* pollEvents({ polled, limit })
      return rows.map(({ copy, events, has_more, run_id, status }) => ({
        run_id,
        status,
        hasMore: has_more,
        events: events.map(Rows.eventOf(copy)) as unknown as ReadonlyArray<RunEvent.RunEvent>
      }))
    }, readOrUnavailable),
    requestCancel: Effect.fn("SqlRunStore.requestCancel")(function*(run, session, filter) {
      return (yield* requestCancel({ run, session, filter })).found
    }, orUnavailable)
  }
}
