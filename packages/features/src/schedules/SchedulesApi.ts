// Schedules: requests that the service sends to itself at set times.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Conflict, Forbidden, Invalid, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { FlagText } from "@svc-runtime/api/query/FlagText"
import * as Listing from "@svc-runtime/api/query/Listing"
import { atLeast, withDefault } from "@svc-runtime/api/query/QueryText"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Schedule from "./Schedule.ts"

// The next times of a schedule, or of a cron expression that no schedule has yet.

/** Times in one preview. */
const maxTimes = 100

const OfSchedule = Schema.Struct({
  schedule_id: Schedule.Id,
  timezone: Schema.String,
  times: Schema.Array(EpochSeconds)
}).annotate({ identifier: "SchedulePreview" })

const OfCron = Schema.Struct({ timezone: Schema.String, times: Schema.Array(EpochSeconds) })
  .annotate({ identifier: "CronPreview" })

const { cron_expr, timezone } = Schedule.Create.fields

const CronQuery = { cron_expr, timezone }

const schedule = { schedule_id: Schedule.Id }
const pages = Listing.pages({ limit: 100, maximum: 1000 })
const count = withDefault(atLeast(1).check(Schema.isLessThanOrEqualTo(maxTimes)), "5")
const errors = [NotFound, Unavailable] as const

export class Schedules extends HttpApiGroup.make("schedules")
  .add(
    HttpApiEndpoint.get("list", "/schedules", {
      query: { enabled: Schema.optionalKey(FlagText), ...pages },
      success: Pagination.page(Schedule.Shown, "PaginatedSchedules"),
      error: Unavailable
    })
      .annotateMerge(requires("schedules:read"))
      .annotate(OpenApi.Identifier, "list_schedules"),
    HttpApiEndpoint.post("create", "/schedules", {
      payload: Schedule.Create,
      success: Schedule.Shown.pipe(HttpApiSchema.status(201)),
      error: [Conflict, Forbidden, Invalid, Unavailable]
    })
      .annotateMerge(requires("schedules:write"))
      .annotate(OpenApi.Identifier, "create_schedule"),
    HttpApiEndpoint.get("previewCron", "/schedules/next", {
      query: { ...CronQuery, count },
      success: OfCron,
      error: [Invalid, Unavailable]
    })
      .annotateMerge(requires("schedules:read"))
      .annotate(OpenApi.Identifier, "preview_cron"),
    HttpApiEndpoint.get("get", "/schedules/:schedule_id", {
      params: schedule,
      success: Schedule.Shown,
      error: errors
    })
      .annotateMerge(requires("schedules:read"))
      .annotate(OpenApi.Identifier, "get_schedule"),
    HttpApiEndpoint.patch("update", "/schedules/:schedule_id", {
      params: schedule,
      payload: Schedule.Patch,
      success: Schedule.Shown,
      error: [...errors, Conflict, Forbidden, Invalid]
    })
      .annotateMerge(requires("schedules:write"))
      .annotate(OpenApi.Identifier, "update_schedule"),
    HttpApiEndpoint.delete("remove", "/schedules/:schedule_id", {
      params: schedule,
      success: HttpApiSchema.NoContent,
      error: [...errors, Conflict]
    })
      .annotateMerge(requires("schedules:delete"))
      .annotate(OpenApi.Identifier, "delete_schedule"),
    HttpApiEndpoint.post("enable", "/schedules/:schedule_id/enable", {
      params: schedule,
      success: Schedule.State,
      error: [...errors, Forbidden, Invalid]
    })
      .annotateMerge(requires("schedules:write"))
      .annotate(OpenApi.Identifier, "enable_schedule"),
    HttpApiEndpoint.post("disable", "/schedules/:schedule_id/disable", {
      params: schedule,
      success: Schedule.State,
      error: errors
    })
      .annotateMerge(requires("schedules:write"))
      .annotate(OpenApi.Identifier, "disable_schedule"),
    HttpApiEndpoint.post("trigger", "/schedules/:schedule_id/trigger", {
      params: schedule,
      success: Schedule.Run,
      error: [...errors, BadRequest, Conflict, Forbidden]
    })
      .annotateMerge(requires("schedules:write"))
      .annotate(OpenApi.Identifier, "trigger_schedule"),
    HttpApiEndpoint.get("preview", "/schedules/:schedule_id/next", {
      params: schedule,
      query: { count },
      success: OfSchedule,
      error: [...errors, Invalid]
    })
      .annotateMerge(requires("schedules:read"))
      .annotate(OpenApi.Identifier, "preview_schedule"),
    HttpApiEndpoint.get("listRuns", "/schedules/:schedule_id/runs", {
      params: schedule,
      query: pages,
      success: Pagination.page(Schedule.Run, "PaginatedScheduleRuns"),
      error: errors
    })
      .annotateMerge(requires("schedules:read"))
      .annotate(OpenApi.Identifier, "list_schedule_runs"),
    HttpApiEndpoint.get("getRun", "/schedules/:schedule_id/runs/:run_id", {
      params: { ...schedule, run_id: Schedule.RunId },
      success: Schedule.Run,
      error: errors
    })
      .annotateMerge(requires("schedules:read"))
      .annotate(OpenApi.Identifier, "get_schedule_run")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Schedules", description: "Requests that the service sends to itself at set times" })
  )
{}

export const texts: Texts = {
  operations: {
    list_schedules: { summary: "List the schedules", description: "Returns the schedules with their next times." },
    create_schedule: {
      summary: "Create a schedule",
      description: "Stores a request that the service sends to itself at the times of a cron expression.",
      body: {
        name: "Morning report",
        cron_expr: "0 9 * * 1-5",
        endpoint: "/agents/assistant/runs",
        payload: { message: "Write the report." }
      }
    },
    get_schedule: { summary: "Get a schedule", description: "Returns one schedule." },
    update_schedule: {
      summary: "Change a schedule",
      description: "Changes the fields that are sent. The next time is computed anew.",
      body: { cron_expr: "0 10 * * 1-5" }
    },
    delete_schedule: { summary: "Delete a schedule", description: "Removes the schedule. Runs that it started stay." },
    enable_schedule: { summary: "Enable a schedule", description: "Starts the schedule again, from the next time on." },
    disable_schedule: {
      summary: "Disable a schedule",
      description: "Stops the schedule. Runs that are executing continue."
    },
    trigger_schedule: {
      summary: "Trigger a schedule",
      description: "Sends the request of the schedule now, beside its times."
    },
    preview_cron: {
      method: "preview",
      summary: "Show the next times of a cron expression",
      description: "Returns the next times of a cron expression, before a schedule has it."
    },
    preview_schedule: {
      method: "next",
      summary: "Show the next times",
      description: "Returns the next times of the schedule."
    },
    list_schedule_runs: {
      method: "runs",
      summary: "List the runs of a schedule",
      description: "Returns the attempts of the schedule, the newest first."
    },
    get_schedule_run: {
      method: "run",
      summary: "Get a run of a schedule",
      description: "Returns one attempt of the schedule."
    }
  }
}
