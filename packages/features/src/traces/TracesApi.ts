// Traces of runs: what happened in them, and how long it took.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { database, owner } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Trace from "./Trace.ts"

const inSessions = { admitsSessionTokens: true }

const text = Schema.optionalKey(Schema.String)
const { db_id } = database
const components = { agent_id: text, team_id: text, workflow_id: text }
const times = { start_time: text, end_time: text }
const errors = [BadRequest, NotFound, Unavailable] as const

const FilterSchema = Schema.Struct({
  fields: Schema.Array(Schema.Struct({
    key: Schema.String,
    label: Schema.String,
    type: Schema.String,
    operators: Schema.Array(Schema.String),
    values: Schema.NullOr(Schema.Array(Schema.String))
  })),
  logical_operators: Schema.Array(Schema.String)
}).annotate({ identifier: "TraceFilterSchema" })

export class Traces extends HttpApiGroup.make("traces")
  .add(
    HttpApiEndpoint.get("list", "/traces", {
      query: {
        run_id: text,
        session_id: text,
        ...owner,
        ...components,
        status: text,
        ...times,
        ...Listing.pages({ limit: 20, firstPage: 0 }),
        db_id
      },
      success: Pagination.page(Trace.Summary, "PaginatedTraces"),
      error: errors
    })
      .annotateMerge(requires("traces:read", inSessions))
      .annotate(OpenApi.Identifier, "get_traces"),
    HttpApiEndpoint.get("filterSchema", "/traces/filter-schema", { success: FilterSchema })
      .annotateMerge(requires("traces:read", inSessions))
      .annotate(OpenApi.Identifier, "get_trace_filter_schema"),
    HttpApiEndpoint.get("get", "/traces/:trace_id", {
      params: { trace_id: Schema.String },
      /** `run_id` has no effect. */
      query: { span_id: text, run_id: text, db_id },
      success: Schema.Union([Trace.Detail, Trace.Node]),
      error: errors
    })
      .annotateMerge(requires("traces:read", inSessions))
      .annotate(OpenApi.Identifier, "get_trace"),
    HttpApiEndpoint.get("sessionStatistics", "/trace_session_stats", {
      query: { ...owner, ...components, ...times, ...Listing.pages({ limit: 20 }), db_id },
      success: Pagination.page(Trace.SessionStats, "PaginatedTraceSessionStats"),
      error: errors
    })
      .annotateMerge(requires("traces:read", inSessions))
      .annotate(OpenApi.Identifier, "get_trace_stats"),
    HttpApiEndpoint.post("search", "/traces/search", {
      query: { db_id },
      payload: Trace.Search,
      success: Schema.Union([
        Pagination.page(Trace.Detail, "PaginatedTraceDetails"),
        Pagination.page(Trace.SessionStats, "PaginatedTraceSessionStats")
      ]),
      error: errors
    })
      .annotateMerge(requires("traces:read", inSessions))
      .annotate(OpenApi.Identifier, "search_traces")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Traces", description: "What happened in runs, step by step" }))
{}

export const texts: Texts = {
  operations: {
    get_traces: {
      summary: "List the traces",
      description:
        "Returns traces, the newest first. They can be filtered by run, session, user, component, state and time."
    },
    get_trace_filter_schema: {
      method: "filterSchema",
      summary: "Get what traces can be filtered by",
      description: "Returns the fields and operators of the filter of a search."
    },
    get_trace: { summary: "Get a trace", description: "Returns one trace with its spans as a tree." },
    get_trace_stats: {
      method: "sessionStats",
      summary: "Count the traces of sessions",
      description: "Returns sessions with numbers of traces."
    },
    search_traces: {
      method: "search",
      summary: "Search the traces",
      description: "Returns traces, or sessions with `group_by`, that meet a filter.",
      body: { filter: { op: "EQ", key: "status", value: "ERROR" }, limit: 20 }
    }
  }
}
