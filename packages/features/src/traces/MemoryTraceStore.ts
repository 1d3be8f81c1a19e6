// `TraceStore` in memory.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Session from "@svc-runtime/domain/Session"
import * as Span from "@svc-runtime/domain/Span"
import { Effect, Layer, Option } from "effect"
import * as Trace from "./Trace.ts"
import * as TraceFilter from "./TraceFilter.ts"
import * as TraceParts from "./TraceParts.ts"
import { type Query, type SessionTraces, TraceStore } from "./TraceStore.ts"

interface StoredTrace extends TraceParts.Row {
  readonly spans: Map<string, Span.Span>
}

/** Spans that began before, and that were not stored when the traces of a session or of a user were removed. */
interface TraceRemoval {
  /** Undefined: all of the owner. */
  readonly session: Session.Id | undefined
  /** Undefined: any. */
  readonly database: Ids.DatabaseId | undefined
  readonly owner: Owner.Owner
  readonly at: number
}

const isCovered = (owner: Owner.Owner, user_id: string | null): boolean =>
  Owner.covers(owner, user_id === null ? null : Ids.UserId.make(user_id))

/** The latest first. */
const inOrder = (one: StoredTrace, other: StoredTrace): number =>
  other.trace.start_time - one.trace.start_time || (other.trace.trace_id < one.trace.trace_id ? -1 : 1)

const spansOf = ({ spans }: StoredTrace): ReadonlyArray<Span.Span> =>
  [...spans.values()].toSorted((one, other) => one.started_at - other.started_at)

const wholeOf = (stored: StoredTrace): TraceParts.Whole => ({ trace: stored.trace, spans: spansOf(stored) })

/** What filters compare. */
const valuesOf = ({ spans, trace }: StoredTrace): TraceFilter.Values => ({
  ...trace,
  duration_ms: Trace.durationOf(trace),
  runs: TraceParts.runsOf([...spans.values()])
})

const greatest = (ids: ReadonlyArray<string | null>): string | null =>
  ids.reduce((found, id) => found === null || (id !== null && id > found) ? id : found, null)

const ofSession = (session_id: string, traces: ReadonlyArray<Trace.Trace>): SessionTraces => ({
  session_id,
  user_id: greatest(traces.map(({ user_id }) => user_id)),
  agent_id: greatest(traces.map(({ agent_id }) => agent_id)),
  team_id: greatest(traces.map(({ team_id }) => team_id)),
  workflow_id: greatest(traces.map(({ workflow_id }) => workflow_id)),
  total_traces: traces.length,
  first_trace_at: Math.min(...traces.map(({ created_at }) => created_at)),
  last_trace_at: Math.max(...traces.map(({ created_at }) => created_at))
})

const sessionsOf = (traces: ReadonlyArray<Trace.Trace>): ReadonlyArray<SessionTraces> =>
  [...Map.groupBy(traces, ({ session_id }) => session_id)]
    .flatMap(([session_id, traces]) => session_id === null ? [] : [ofSession(session_id, traces)])
    .toSorted((one, other) => other.last_trace_at - one.last_trace_at || (one.session_id < other.session_id ? -1 : 1))

const make = (): TraceStore["Service"] => {
  /** By `TraceParts.keyOf`. */
  const traces = new Map<string, StoredTrace>()
  const traceRemovals: Array<TraceRemoval> = []
  const covered = (owner: Owner.Owner) =>
    [...traces.values()].filter(({ trace }) =>
      isCovered(owner, trace.user_id) && Owner.coversSession(owner, trace.session_id)
    ).toSorted(inOrder)

  const matching = ({ filter, owner }: Query) =>
    covered(owner).filter((stored) => TraceFilter.matches(filter, valuesOf(stored)))

  const pageOf = <A>(page: Pagination.Request, all: ReadonlyArray<A>) => ({
    found: Pagination.slice(page, all),
    total: all.length
  })

  const isRemoved = (span: Span.Span): boolean =>
    traceRemovals.some(({ at, database, owner, session }) =>
      Span.removalTimeOf(span) <= at && isCovered(owner, span.user_id) &&
      (session === undefined || session === span.session_id) && TraceParts.isIn(database, span)
    )

  const write = (spans: ReadonlyArray<Span.Span>, at: number): ReadonlyArray<string> => {
    const full: Array<string> = []
    for (const given of TraceParts.of(spans.filter((span) => !isRemoved(span)), at)) {
      const key = TraceParts.keyOf(given.trace)
      const stored = traces.get(key)
      const known = stored?.spans ?? new Map<string, Span.Span>()
      const isFull = known.size >= TraceParts.limits.spans
      const [part] = isFull ? TraceParts.of(given.spans.filter(TraceParts.isRun), at) : [given]
      if (part === undefined || known.size >= TraceParts.runLimits.spans) continue
      const row = stored === undefined ? part : TraceParts.merge(stored, part)
      for (const span of part.spans) if (!known.has(span.span_id)) known.set(span.span_id, span)
      traces.set(key, { trace: row.trace, rank: row.rank, input: row.input, spans: known })
      if (!isFull && known.size >= TraceParts.limits.spans) full.push(row.trace.trace_id)
    }
    return full
  }

  const remove = (isMeant: (stored: StoredTrace) => boolean): number => {
    const found = [...traces].filter(([, stored]) => isMeant(stored))
    for (const [id] of found) traces.delete(id)
    return found.length
  }

  const record = (
    ids: ReadonlyArray<Session.Id>,
    owner: Owner.Owner,
    at: number,
    database: Ids.DatabaseId | undefined
  ): void => {
    for (const session of ids) traceRemovals.push({ session, database, owner, at })
  }

  const recordUser = (user_id: Ids.UserId, at: number): void => {
    traceRemovals.push({ session: undefined, database: undefined, owner: Owner.user(user_id), at })
  }

  return {
    write: (spans, at) => Effect.sync(() => write(spans, at)),
    list: (query, page) =>
      Effect.sync(() =>
        pageOf(
          page,
          matching(query).map(({ input, spans, trace }) => ({
            trace,
            input,
            total_spans: spans.size,
            error_count: [...spans.values()].filter(({ status }) => status === "ERROR").length
          }))
        )
      ),
    search: (query, page) => Effect.sync(() => pageOf(page, matching(query).map(wholeOf))),
    find: (trace_id, owner) =>
      Effect.sync(() => {
        const found = covered(owner).filter(({ trace }) => trace.trace_id === trace_id)
        return Option.fromUndefinedOr(TraceParts.joined(found.map(wholeOf)))
      }),
    findSpan: ({ span_id, trace_id }, owner) =>
      Effect.sync(() => {
        const found = covered(owner).filter(({ trace }) => trace.trace_id === trace_id)
        return Option.fromUndefinedOr(found.flatMap(({ spans }) => spans.get(span_id) ?? [])[0])
      }),
    sessions: (query, page) => Effect.sync(() => pageOf(page, sessionsOf(matching(query).map(({ trace }) => trace)))),
    recordRemovalOfSessions: (ids, owner, at, database) => Effect.sync(() => record(ids, owner, at, database)),
    removeOfSessions: (ids, owner, at, database) =>
      Effect.sync(() => {
        record(ids, owner, at, database)
        const isOne = (part: Pick<Span.RunIds, "database" | "session_id">) =>
          ids.some((one) => one === part.session_id) && TraceParts.isIn(database, part)
        return remove(({ spans, trace }) =>
          isCovered(owner, trace.user_id) && (isOne(trace) || [...spans.values()].some(isOne))
        )
      }),
    recordRemovalOfUser: (user_id, at) => Effect.sync(() => recordUser(user_id, at)),
    removeOfUser: (user_id, at) =>
      Effect.sync(() => {
        recordUser(user_id, at)
        return remove(({ trace }) => trace.user_id === user_id)
      })
  }
}

export const layer: Layer.Layer<TraceStore> = Layer.sync(TraceStore, () => TraceStore.of(make()))
