// The traces of runs, with their spans. Owners see the traces of their own runs.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Span from "@svc-runtime/domain/Span"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { Context, type Effect, type Option } from "effect"
import type * as Trace from "./Trace.ts"
import type * as TraceFilter from "./TraceFilter.ts"
import type { Whole } from "./TraceParts.ts"

export interface Query {
  readonly owner: Owner.Owner
  readonly filter: TraceFilter.Filter
}

export interface Listed {
  readonly trace: Trace.Trace
  readonly total_spans: number
  readonly error_count: number
  /** The beginning of it. */
  readonly input: string | null
}

/** Ids: the maximum among the traces of the session. */
export interface SessionTraces extends Pick<Trace.Trace, "user_id" | "agent_id" | "team_id" | "workflow_id"> {
  readonly session_id: string
  readonly total_traces: number
  /** Microseconds since 1970. */
  readonly first_trace_at: number
  readonly last_trace_at: number
}

export interface PageOf<A> {
  readonly found: ReadonlyArray<A>
  readonly total: number
}

type Failure = ResponseTooLarge | StorageUnavailable

export class TraceStore extends Context.Service<TraceStore, {
  /**
   * A batch that is written again, with the same spans, counts once. `at`: microseconds since 1970. Returns the ids of
   * the traces that take no more spans from now on.
   */
  readonly write: (
    spans: ReadonlyArray<Span.Span>,
    at: number
  ) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** The latest start first. */
  readonly list: (query: Query, page: Pagination.Request) => Effect.Effect<PageOf<Listed>, Failure>
  /** The same with all spans. */
  readonly search: (query: Query, page: Pagination.Request) => Effect.Effect<PageOf<Whole>, Failure>
  /** Traces of several users under one id are joined for an owner who covers them. */
  readonly find: (trace_id: string, owner: Owner.Owner) => Effect.Effect<Option.Option<Whole>, Failure>
  readonly findSpan: (
    ids: Pick<Span.Span, "span_id" | "trace_id">,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<Span.Span>, StorageUnavailable>
  /** Sessions with traces, the one with the newest trace first. */
  readonly sessions: (query: Query, page: Pagination.Request) => Effect.Effect<PageOf<SessionTraces>, Failure>
  /**
   * Before sessions are removed, whose removal may be interrupted: their spans that began before are refused from now
   * on, and the retention removes their traces.
   */
  readonly recordRemovalOfSessions: (
    ids: ReadonlyArray<Session.Id>,
    owner: Owner.Owner,
    at: number,
    database?: Ids.DatabaseId
  ) => Effect.Effect<void, StorageUnavailable>
  /**
   * Traces with a run of one of the sessions of a database, or of all databases. Spans that began before and come
   * later are refused.
   */
  readonly removeOfSessions: (
    ids: ReadonlyArray<Session.Id>,
    owner: Owner.Owner,
    at: number,
    database?: Ids.DatabaseId
  ) => Effect.Effect<number, StorageUnavailable>
  /** Spans of the user that began before are refused from now on, and the retention removes the traces. */
  readonly recordRemovalOfUser: (user_id: Ids.UserId, at: number) => Effect.Effect<void, StorageUnavailable>
  readonly removeOfUser: (user_id: Ids.UserId, at: number) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/features/traces/TraceStore") {}
