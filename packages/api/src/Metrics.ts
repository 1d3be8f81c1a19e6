// Figures of days: sessions, runs, users, tokens and models.
import * as DayMetrics from "@svc/domain/DayMetrics"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { database } from "./DatabaseQuery.ts"
import { BadRequest, NotFound, Unavailable } from "./Errors.ts"
import { FlagText } from "./FlagText.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { withDefault } from "./QueryText.ts"
import { requires } from "./RequiredScope.ts"

const error = [BadRequest, NotFound, Unavailable] as const
const date = Schema.optionalKey(DayMetrics.DateText)

export class Metrics extends HttpApiGroup.make("metrics")
  .add(
    HttpApiEndpoint.get("list", "/metrics", {
      query: { starting_date: date, ending_date: date, ...database },
      success: DayMetrics.Answer,
      error
    })
      .annotateMerge(requires("metrics:read"))
      .annotate(OpenApi.Identifier, "get_metrics"),
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
