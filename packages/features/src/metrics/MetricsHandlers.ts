// Figures of days, and the usage of hours. For an isolated caller they are computed from the own sessions.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Time from "@svc-runtime/domain/Time"
import * as UsageHour from "@svc-runtime/domain/UsageHour"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { now } from "@svc-runtime/engine/now"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Cause, Effect, Semaphore } from "effect"
import { HttpServerResponse } from "effect/http"
import * as DayMetrics from "./DayMetrics.ts"
import { Metrics as Endpoints } from "./MetricsApi.ts"
import * as MetricsRefresh from "./MetricsRefresh.ts"

/** Milliseconds after which a read refreshes first. */
const freshFor = 60_000

/** Days that are computed for an isolated caller: the last days of the range. */
const ownDays = 366

/** The last refresh of a database by this process. */
interface LastRefresh {
  at: number
  readonly alone: Semaphore.Semaphore
}

/** Refreshes of a database wait for each other, so that callers cannot take all its connections. */
const makeRefreshes = () => {
  const databases = new Map<Ids.DatabaseId, LastRefresh>()
  const lastOf = (id: Ids.DatabaseId): LastRefresh => {
    const known = databases.get(id) ?? { at: -Infinity, alone: Semaphore.makeUnsafe(1) }
    databases.set(id, known)
    return known
  }
  const refresh = Effect.fnUntraced(function*({ id, metrics }: Database) {
    const last = lastOf(id)
    last.at = yield* Monotonic.millis
    return yield* last.alone.withPermits(1)(MetricsRefresh.refresh(metrics))
  })
  /** A failure leaves the figures as they are. */
  const ifOld = Effect.fnUntraced(function*(database: Database) {
    if ((yield* Monotonic.millis) - lastOf(database.id).at < freshFor) return
    yield* Effect.catch(
      refresh(database),
      (error) => Effect.logWarning("The metrics of days could not be refreshed", Cause.fail(error))
    )
  })
  return { refresh, ifOld }
}

/** The id of a day that is computed for an isolated caller, and is not stored. */
const ownId = (day: DayMetrics.Day): string => `00000000-0000-4000-8000-${day.toString(16).padStart(12, "0")}`

const ownMetrics = Effect.fnUntraced(function*({ metrics }: Database, owner: Owner.Owner, range: DayMetrics.Range) {
  const at = yield* now
  const earliest = (range.to ?? DayMetrics.dayOf(at)) - ownDays + 1
  const computed = yield* ReadLimiter.searching(
    metrics.compute(owner, { from: Math.max(range.from ?? earliest, earliest), to: range.to })
  )
  return computed.map(({ day, ...figures }) =>
    DayMetrics.toRecord({
      ...figures,
      id: ownId(day),
      day,
      created_at: at,
      updated_at: at
    })
  )
})

interface Dates {
  readonly starting_date?: string | undefined
  readonly ending_date?: string | undefined
}

const rangeOf = (query: Dates) => ({
  from: query.starting_date === undefined ? undefined : DayMetrics.dayOfText(query.starting_date),
  to: query.ending_date === undefined ? undefined : DayMetrics.dayOfText(query.ending_date)
})

const maxDays = { hour: 31, day: 366 } as const

const usualDays = { hour: 7, day: 30 } as const

interface UsageRange extends Dates {
  readonly interval: UsageHour.Interval
}

/** Without dates the last days. */
const hoursOf = Effect.fnUntraced(function*(query: UsageRange) {
  const range = rangeOf(query)
  const to = range.to ?? DayMetrics.dayOf(yield* now)
  const from = range.from ?? to - usualDays[query.interval] + 1
  const limit = maxDays[query.interval]
  if (to - from >= limit) {
    return yield* Errors.badRequest(
      `interval=${query.interval} has at most ${limit} days: the range has ${to - from + 1}`
    )
  }
  return { from: from * 24, to: (to + 1) * 24 }
})

interface ComponentIds {
  readonly agent_id?: string | undefined
  readonly team_id?: string | undefined
  readonly workflow_id?: string | undefined
}

const componentOf = ({ agent_id, team_id, workflow_id }: ComponentIds) => {
  const named = [
    ...(agent_id === undefined ? [] : [{ kind: "agent", id: agent_id } as const]),
    ...(team_id === undefined ? [] : [{ kind: "team", id: team_id } as const]),
    ...(workflow_id === undefined ? [] : [{ kind: "workflow", id: workflow_id } as const])
  ]
  return named.length > 1
    ? Effect.fail(Errors.badRequest("Only one of agent_id, team_id and workflow_id can be given"))
    : Effect.succeed(named[0])
}

export const Metrics = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseDatabase(yield* Databases)
    const refreshes = makeRefreshes()

    return handlers.handleAll({
      list: Effect.fn("Metrics.list")(function*({ query }) {
        const database = yield* choose(query)
        const owner = yield* RequestCaller.ownerOf(undefined)
        const range = rangeOf(query)
        if (owner._tag !== "Anyone") {
          const metrics = yield* ownMetrics(database, owner, range)
          return { metrics, updated_at: metrics.at(-1)?.updated_at ?? null }
        }
        yield* refreshes.ifOld(database)
        const { days, updated_at } = yield* database.metrics.list(range)
        return {
          metrics: days.map(DayMetrics.toRecord),
          updated_at: updated_at === null ? null : Time.toDateTime(updated_at)
        }
      }, orUnavailable),
      usage: Effect.fn("Metrics.usage")(function*({ query }) {
        const { usage } = yield* choose(query)
        const { from, to } = yield* hoursOf(query)
        const { group_by: group, interval, model_id } = query
        const component = yield* componentOf(query)
        const owner = yield* RequestCaller.ownerOf(query.user_id)
        const page = yield* usage.list({ owner, from, to, interval, group, component, model_id }, query)
        return Pagination.response(query, page.figures.map(UsageHour.toRecord), page.total)
      }, orUnavailable),
      refresh: Effect.fn("Metrics.refresh")(function*({ query }) {
        const database = yield* choose(query)
        if (query.background) {
          return HttpServerResponse.jsonUnsafe(
            (yield* MetricsRefresh.start(database))
              ? { status: "started", message: "Metrics refresh started in background" }
              : {
                status: "already_running",
                message: "A metrics refresh is already in progress for this database"
              },
            { status: 202 }
          )
        }
        const days = yield* refreshes.refresh(database)
        const owner = yield* RequestCaller.ownerOf(undefined)
        if (owner._tag === "Anyone") return days.map(DayMetrics.toRecord)
        const [first, last] = [days[0], days.at(-1)]
        if (first === undefined || last === undefined) return []
        const refreshed = new Set(days.map((day) => DayMetrics.toRecord(day).date))
        const own = yield* ownMetrics(database, owner, { from: first.day, to: last.day })
        return own.filter(({ date }) => refreshed.has(date))
      }, orUnavailable),
      refreshStatus: Effect.fn("Metrics.refreshStatus")(function*({ query }) {
        return yield* MetricsRefresh.status(yield* choose(query))
      }, orUnavailable)
    })
  })
)
