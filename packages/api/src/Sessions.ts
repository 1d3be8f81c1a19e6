// Sessions and their runs.
import * as AnyRun from "@svc/domain/AnyRun"
import * as ComponentKind from "@svc/domain/ComponentKind"
import * as Pagination from "@svc/domain/Pagination"
import * as Run from "@svc/domain/Run"
import * as Session from "@svc/domain/Session"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { database, owner } from "./DatabaseQuery.ts"
import { BadRequest, Conflict, NotFound, PayloadTooLarge, Unavailable } from "./Errors.ts"
import { IntText } from "./IntText.ts"
import * as Listing from "./Listing.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { atLeast, withDefault } from "./QueryText.ts"
import { requires } from "./RequiredScope.ts"

const kind = { type: Schema.optionalKey(ComponentKind.ComponentKind) }
const session = { session_id: Session.Id }
const errors = [BadRequest, NotFound, Unavailable] as const

export class Sessions extends HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.get("list", "/sessions", {
      query: {
        ...kind,
        component_id: Schema.optionalKey(Schema.String),
        ...owner,
        session_name: Schema.optionalKey(Schema.String),
        ...Listing.pages({ limit: 20, firstPage: 0 }),
        ...Listing.sortedBy("created_at"),
        ...database
      },
      success: Pagination.page(Session.Item, "PaginatedSessions"),
      error: errors
    })
      .annotateMerge(requires("sessions:read"))
      .annotate(OpenApi.Identifier, "get_sessions"),
    HttpApiEndpoint.post("create", "/sessions", {
      query: { type: withDefault(ComponentKind.ComponentKind, "agent"), db_id: database.db_id },
      payload: [Session.Create, Schema.Null],
      success: Session.Detail.pipe(HttpApiSchema.status(201)),
      error: [...errors, Conflict, PayloadTooLarge]
    })
      .annotateMerge(requires("sessions:write"))
      .annotate(OpenApi.Identifier, "create_session"),
    HttpApiEndpoint.get("get", "/sessions/:session_id", {
      params: session,
      query: { ...kind, ...owner, ...database },
      success: Session.Detail,
      error: errors
    })
      .annotateMerge(requires("sessions:read"))
      .annotate(OpenApi.Identifier, "get_session_by_id"),
    HttpApiEndpoint.get("listRuns", "/sessions/:session_id/runs", {
      params: session,
      query: {
        ...kind,
        ...owner,
        created_after: Schema.optionalKey(IntText),
        created_before: Schema.optionalKey(IntText),
        limit: Schema.optionalKey(atLeast(1)),
        page: Schema.optionalKey(atLeast(0)),
        ...database
      },
      success: Schema.Array(AnyRun.PartialRecord),
      error: errors
    })
      .annotateMerge(requires("sessions:read"))
      .annotate(OpenApi.Identifier, "get_session_runs"),
    HttpApiEndpoint.get("getRun", "/sessions/:session_id/runs/:run_id", {
      params: { ...session, run_id: Run.Id },
      query: { ...kind, ...owner, ...database },
      success: AnyRun.Record,
      error: errors
    })
      .annotateMerge(requires("sessions:read"))
      .annotate(OpenApi.Identifier, "get_session_run"),
    HttpApiEndpoint.post("rename", "/sessions/:session_id/rename", {
      params: session,
      query: { ...kind, ...owner, ...database },
      payload: Session.Rename,
      success: Session.Detail,
      error: errors
    })
      .annotateMerge(requires("sessions:write"))
      .annotate(OpenApi.Identifier, "rename_session"),
    HttpApiEndpoint.patch("update", "/sessions/:session_id", {
      params: session,
      query: { ...kind, ...owner, ...database },
      payload: Session.Patch,
      success: Session.Detail,
      error: [...errors, PayloadTooLarge]
    })
      .annotateMerge(requires("sessions:write"))
      .annotate(OpenApi.Identifier, "update_session"),
    HttpApiEndpoint.delete("remove", "/sessions/:session_id", {
      params: session,
      query: { ...owner, ...database },
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("sessions:delete"))
      .annotate(OpenApi.Identifier, "delete_session"),
    HttpApiEndpoint.delete("removeMany", "/sessions", {
      query: { ...owner, ...database },
      payload: Session.Remove,
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("sessions:delete"))
      .annotate(OpenApi.Identifier, "delete_sessions")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Sessions", description: "Sessions and the runs in them" }))
{}
