// Figures of days: sessions, runs, users, tokens and models; and the usage of hours.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { database, owner } from "@svc-runtime/api/query/DatabaseQuery"
import { FlagText } from "@svc-runtime/api/query/FlagText"
import * as Listing from "@svc-runtime/api/query/Listing"
import { withDefault } from "@svc-runtime/api/query/QueryText"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as UsageHour from "@svc-runtime/domain/UsageHour"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as DayMetrics from "./DayMetrics.ts"

const error = [BadRequest, NotFound, Unavailable] as const
const text = Schema.optionalKey(Schema.String)
const date = Schema.optionalKey(DayMetrics.DateText)

export class Metrics extends HttpApiGroup.make("metrics")
  .add(
    HttpApiEndpoint.get("list", "/metrics", {
      query: { starting_date: date, ending_date: date, ...database },
      success: DayMetrics.Response,
      error
    })
      .annotateMerge(requires("metrics:read"))
      .annotate(OpenApi.Identifier, "get_metrics"),
    HttpApiEndpoint.get("usage", "/metrics/usage", {
      query: {
        starting_date: date,
        ending_date: date,
        interval: withDefault(UsageHour.Interval, "day"),
        group_by: Schema.optionalKey(UsageHour.Group),
        agent_id: text,
        team_id: text,
        workflow_id: text,
        model_id: Schema.optionalKey(Ids.ModelName),
        ...owner,
        ...Listing.pages({ limit: 100, maximum: 1000 }),
        ...database
      },
      success: Pagination.page(UsageHour.Record, "PaginatedUsage"),
      error
    })
      .annotateMerge(requires("metrics:read"))
      .annotate(OpenApi.Identifier, "get_usage"),
    HttpApiEndpoint.post("refresh", "/metrics/refresh", {
      query: { background: withDefault(FlagText, "false"), ...database },
      success: [Schema.Array(DayMetrics.Record), DayMetrics.Started.pipe(HttpApiSchema.status(202))],
      error
    })
      .annotateMerge(requires("metrics:write"))
      .annotate(OpenApi.Identifier, "refresh_metrics"),
    HttpApiEndpoint.get("refreshStatus", "/metrics/refresh/status", {
      query: database,
      success: DayMetrics.RefreshStatus,
      error
    })
      .annotateMerge(requires("metrics:read"))
      .annotate(OpenApi.Identifier, "get_metrics_refresh_status")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Metrics", description: "Figures of days" }))
{}

export const texts: Texts = {
  operations: {
    get_metrics: {
      method: "days",
      summary: "Get the metrics by day",
      description: "Returns runs, sessions, users and tokens of each day, in UTC."
    },
    get_usage: {
      method: "usage",
      summary: "Get the usage",
      description: "Returns runs, tokens, cost and durations by hour or day, grouped by component, user or model."
    },
    refresh_metrics: {
      method: "refresh",
      summary: "Refresh the metrics",
      description: "Computes the metrics of the days that changed, in the background."
    },
    get_metrics_refresh_status: {
      method: "refreshStatus",
      summary: "Get the state of the refresh",
      description: "Returns whether a refresh is running, and how the last one ended."
    }
  }
}
