// Sessions and their runs.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Texts } from "./documentation/Texts.ts"
import { BadRequest, Conflict, NotFound, PayloadTooLarge, Unavailable } from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { database, owner } from "./query/DatabaseQuery.ts"
import { IntText } from "./query/IntText.ts"
import * as Listing from "./query/Listing.ts"
import { withDefault } from "./query/QueryText.ts"
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
        ...Listing.optionalPages,
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

export const texts: Texts = {
  operations: {
    get_sessions: {
      summary: "List the sessions",
      description: "Returns sessions, the last changed first. They can be filtered by component, user, name and time."
    },
    create_session: {
      summary: "Create a session",
      description:
        "Creates an empty session. Runs create their sessions themselves, so this is needed for a name or a state only.",
      body: { session_name: "Questions about order 17" }
    },
    delete_sessions: {
      method: "deleteMany",
      summary: "Delete several sessions",
      description: "Removes the sessions with their runs, events and traces. Runs that are executing are cancelled.",
      body: { session_ids: ["first"], session_types: ["agent"] }
    },
    get_session_by_id: {
      summary: "Get a session",
      description: "Returns a session with its state, its summary and its messages."
    },
    update_session: {
      summary: "Change a session",
      description: "Changes the name, the state, the summary or the metadata. Fields that are left out stay.",
      body: { session_name: "Questions about order 17" }
    },
    delete_session: {
      summary: "Delete a session",
      description: "Removes the session with its runs, events and traces. Runs that are executing are cancelled."
    },
    get_session_runs: {
      method: "runs",
      summary: "List the runs of a session",
      description: "Returns the runs of the session, oldest first. Runs that are executing are part of the list."
    },
    get_session_run: {
      method: "run",
      summary: "Get a run of a session",
      description: "Returns one run of the session, of any kind of component."
    },
    rename_session: {
      summary: "Rename a session",
      description: "Gives the session another name.",
      body: { session_name: "Questions about order 17" }
    }
  }
}
