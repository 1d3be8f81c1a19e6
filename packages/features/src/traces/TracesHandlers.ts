// Traces of runs. They are in the service's own database, which a request names if there are several.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Span from "@svc-runtime/domain/Span"
import * as Time from "@svc-runtime/domain/Time"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { missing, notListed, orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option, Result } from "effect"
import * as TraceFilter from "./TraceFilter.ts"
import { Traces as Endpoints } from "./TracesApi.ts"
import type { PageOf } from "./TraceStore.ts"
import * as TraceTree from "./TraceTree.ts"
import { TraceWriter } from "./TraceWriter.ts"

type Parameters = Readonly<Partial<Record<TraceFilter.Field, string>>>

interface Bounds {
  readonly start_time?: string | undefined
  readonly end_time?: string | undefined
}

const timeOf = Effect.fnUntraced(function*(name: keyof Bounds, text: string) {
  const time = Time.microsecondsOf(Time.fromQuery(text))
  if (Option.isSome(time)) return time.value
  return yield* Errors.badRequest(`Invalid ${name} format. Use ISO 8601 format (e.g., 2026-11-20T10:00:00Z)`)
})

const equals = (parameters: Parameters): ReadonlyArray<TraceFilter.Filter> =>
  TraceFilter.fields.flatMap((key): ReadonlyArray<TraceFilter.Filter> => {
    const value = parameters[key]
    return value === undefined ? [] : [{ _tag: "Compare", key, by: "EQ", value: value.replaceAll("\0", "\ufffd") }]
  })

/** `between`: the fields that the two times are about. */
const filterOf = Effect.fnUntraced(function*(
  parameters: Parameters,
  { end_time, start_time }: Bounds,
  between: readonly [TraceFilter.Field, TraceFilter.Field]
) {
  const filters: Array<TraceFilter.Filter> = [...equals(parameters)]
  if (start_time !== undefined) {
    filters.push({ _tag: "Compare", key: between[0], by: "GTE", value: yield* timeOf("start_time", start_time) })
  }
  if (end_time !== undefined) {
    filters.push({ _tag: "Compare", key: between[1], by: "LTE", value: yield* timeOf("end_time", end_time) })
  }
  const filter: TraceFilter.Filter = { _tag: "And", filters }
  return filter
})

/** A page with the time that its search took. */
const pageResponse = Effect.fnUntraced(function*<A, B, E, R>(
  request: Pagination.Request,
  find: Effect.Effect<PageOf<A>, E, R>,
  toRecord: (found: A) => B
) {
  const begun = yield* Monotonic.millis
  const { found, total } = yield* find
  const { data, meta } = Pagination.response(request, found.map(toRecord), total)
  return JsonResponse.of({ data, meta: { ...meta, search_time_ms: (yield* Monotonic.millis) - begun } })
})

const spanResponse = Effect.fnUntraced(function*(
  { traces }: Database,
  owner: Owner.Owner,
  { span_id, trace_id }: { readonly span_id: string; readonly trace_id: string }
) {
  const found = yield* traces.findSpan({ trace_id, span_id }, owner)
  if (Option.isSome(found)) return JsonResponse.of(TraceTree.nodeOf(found.value))
  // a malformed id belongs to no span
  const ofTrace: TraceFilter.Filter = { _tag: "Compare", key: "trace_id", by: "EQ", value: trace_id }
  const { total } = Span.isSpanId(span_id)
    ? yield* Effect.mapError(traces.list({ owner, filter: ofTrace }, { page: 1, limit: 1 }), notListed)
    : { total: 0 }
  return yield* total === 0
    ? missing("Span", span_id)
    : Errors.notFound(`Span ${span_id} does not belong to trace ${trace_id}`)
})

export const Traces = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const chooseOne = chooseDatabase(yield* Databases)
    const { flush } = yield* TraceWriter
    /** Readers see the runs that ended before on this node. */
    const choose = ({ db_id }: { readonly db_id?: Ids.DatabaseId }) => Effect.andThen(flush, chooseOne({ db_id }))

    return handlers.handleAll({
      list: Effect.fn("Traces.list")(function*({ query }) {
        const { db_id: _, end_time, start_time, user_id, limit: _limit, page: _page, ...parameters } = query
        const filter = yield* filterOf(parameters, { start_time, end_time }, ["start_time", "end_time"])
        const { traces } = yield* choose(query)
        const owner = yield* RequestCaller.ownerOf(user_id)
        const find = Effect.mapError(ReadLimiter.searching(traces.list({ owner, filter }, query)), notListed)
        return yield* pageResponse(
          query,
          find,
          ({ error_count, input, total_spans, trace }) =>
            TraceTree.summaryOf(trace, { error_count, total_spans, input: input ?? undefined })
        )
      }),
      filterSchema: Effect.fn("Traces.filterSchema")(() => Effect.succeed(JsonResponse.of(TraceFilter.schema))),
      get: Effect.fn("Traces.get")(function*({ params: { trace_id }, query }) {
        const database = yield* choose(query)
        const owner = yield* RequestCaller.ownerOf(undefined)
        if (query.span_id !== undefined) {
          return yield* spanResponse(database, owner, { trace_id, span_id: query.span_id })
        }
        const found = yield* Effect.mapError(database.traces.find(trace_id, owner), notListed)
        if (Option.isNone(found)) return yield* missing("Trace", trace_id)
        return JsonResponse.of(TraceTree.detailOf(found.value.trace, found.value.spans))
      }, orUnavailable),
      sessionStatistics: Effect.fn("Traces.sessionStatistics")(function*({ query }) {
        const { db_id: _, end_time, start_time, user_id, limit: _limit, page: _page, ...parameters } = query
        const filter = yield* filterOf(parameters, { start_time, end_time }, ["created_at", "created_at"])
        const { traces } = yield* choose(query)
        const owner = yield* RequestCaller.ownerOf(user_id)
        const find = Effect.mapError(ReadLimiter.searching(traces.sessions({ owner, filter }, query)), notListed)
        return yield* pageResponse(query, find, TraceTree.sessionStatsOf)
      }),
      search: Effect.fn("Traces.search")(function*({ payload, query }) {
        const { filter = null } = payload
        const parsed = filter === null ? Result.succeed(TraceFilter.everything) : TraceFilter.parse(filter)
        if (Result.isFailure(parsed)) return yield* Errors.badRequest(`Invalid filter expression: ${parsed.failure}`)
        const { traces } = yield* choose(query)
        const searched = { owner: yield* RequestCaller.ownerOf(undefined), filter: parsed.success }
        if (payload.group_by === "session") {
          const find = Effect.mapError(ReadLimiter.searching(traces.sessions(searched, payload)), notListed)
          return yield* pageResponse(payload, find, TraceTree.sessionStatsOf)
        }
        const find = Effect.mapError(ReadLimiter.searching(traces.search(searched, payload)), notListed)
        return yield* pageResponse(payload, find, ({ spans, trace }) => TraceTree.detailOf(trace, spans))
      })
    })
  })
)
