// The background tasks of sessions.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { database } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Session from "@svc-runtime/domain/Session"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Task from "./BackgroundTask.ts"

export class BackgroundTasks extends HttpApiGroup.make("backgroundTasks")
  .add(
    HttpApiEndpoint.get("list", "/sessions/:session_id/tasks", {
      params: { session_id: Session.Id },
      query: { ...Listing.pages({ limit: 20, maximum: 100 }), db_id: database.db_id },
      success: Pagination.page(Task.BackgroundTask, "PaginatedBackgroundTasks"),
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("sessions:read", { admitsSessionTokens: true }))
      .annotate(OpenApi.Identifier, "list_session_tasks")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({
      title: "Background tasks",
      description: "Agents, teams and workflows that work in the background for the runs of a session"
    })
  )
{}

export const texts: Texts = {
  operations: {
    list_session_tasks: {
      method: "list",
      summary: "List the background tasks of a session",
      description:
        "Returns what works in the background for the session, and what has ended, the newest first. Cancel " +
        "a task by its run."
    }
  }
}
