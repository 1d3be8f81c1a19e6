// The stored traces of runs: lists, trees of steps, and searches.
import type * as Trace from "@svc-runtime/features/traces/Trace"
import type * as TraceFilter from "@svc-runtime/features/traces/TraceFilter"
import { Effect, Option, Stream } from "effect"
import { owned } from "./OwnerQuery.ts"
import * as Pages from "./Pages.ts"
import { SvcClient } from "./SvcClient.ts"

interface Components {
  readonly user_id?: string
  readonly agent_id?: string
  readonly team_id?: string
  readonly workflow_id?: string
  /** ISO 8601; without a zone in UTC. */
  readonly start_time?: string
  readonly end_time?: string
}

export interface Query extends Components {
  readonly run_id?: string
  readonly session_id?: string
  readonly status?: "OK" | "ERROR"
}

/** An expression of the filter language. `CONTAINS` and `STARTSWITH` are for texts only. */
export type Filter =
  | { readonly op: TraceFilter.Comparison; readonly key: TraceFilter.Field; readonly value: string | number }
  | { readonly op: "IN"; readonly key: TraceFilter.Field; readonly values: ReadonlyArray<string | number> }
  | { readonly op: "AND" | "OR"; readonly conditions: ReadonlyArray<Filter> }
  | { readonly op: "NOT"; readonly condition: Filter }

/** Summaries, the latest start first. */
export const list = (query: Query = {}) =>
  Pages.stream((page) =>
    Effect.flatMap(SvcClient, (client) => client.traces.list({ query: { ...owned(query), page, limit: 100 } }))
  )

/** A trace with the tree of its steps. */
export const get = Effect.fn("Traces.get")(function*(trace_id: string) {
  const client = yield* SvcClient
  return (yield* client.traces.get({ params: { trace_id }, query: {} })) as Trace.Detail
})

/** One step of a trace, without those inside it. */
export const step = Effect.fn("Traces.step")(function*(trace_id: string, span_id: string) {
  const client = yield* SvcClient
  return (yield* client.traces.get({ params: { trace_id }, query: { span_id } })) as Trace.Node
})

/** The trace of a run, with its tree. None if it is not stored: another node writes it within a second. */
export const ofRun = Effect.fn("Traces.ofRun")(function*(run_id: string) {
  const found = yield* Stream.runHead(list({ run_id }))
  return Option.isNone(found) ? Option.none() : Option.some(yield* get(found.value.trace_id))
})

const searched = (filter: Filter | undefined, group_by: "run" | "session", page: number) =>
  Effect.flatMap(SvcClient, (client) =>
    client.traces.search({
      query: {},
      payload: { ...(filter === undefined ? {} : { filter }), group_by, page, limit: 20 }
    }))

/** Traces with their trees, the latest start first. */
export const search = (filter?: Filter) =>
  Pages.stream((page) => Effect.map(searched(filter, "run", page), (response) => response as Pages.Page<Trace.Detail>))

/** Sessions of the traces that match, the one with the latest trace first. */
export const sessions = (filter?: Filter) =>
  Pages.stream((page) =>
    Effect.map(searched(filter, "session", page), (response) => response as Pages.Page<Trace.SessionStats>)
  )
