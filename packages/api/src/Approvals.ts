// Approvals: listing, resolving and deleting. Only runs create them.
import * as Approval from "@svc-runtime/domain/Approval"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Texts } from "./documentation/Texts.ts"
import { Conflict, NotFound, Unavailable } from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import * as Listing from "./query/Listing.ts"
import { requires } from "./RequiredScope.ts"

const approval = { approval_id: Approval.Id }
const owner = { user_id: Schema.optionalKey(Ids.UserIdInput) }
const text = Schema.optionalKey(Schema.String)

export class Approvals extends HttpApiGroup.make("approvals")
  .add(
    HttpApiEndpoint.get("list", "/approvals", {
      query: {
        status: Schema.optionalKey(Approval.Status),
        source_type: Schema.optionalKey(ComponentKind.ComponentKind),
        approval_type: Schema.optionalKey(Approval.Kind),
        pause_type: Schema.optionalKey(Approval.PauseKind),
        agent_id: text,
        team_id: text,
        workflow_id: text,
        ...owner,
        schedule_id: text,
        run_id: Schema.optionalKey(Run.Id),
        ...Listing.pages({ limit: 100, maximum: 1000 })
      },
      success: Pagination.page(Approval.Approval, "PaginatedApprovals"),
      error: Unavailable
    })
      .annotateMerge(requires("approvals:read"))
      .annotate(OpenApi.Identifier, "list_approvals"),
    HttpApiEndpoint.get("count", "/approvals/count", {
      query: owner,
      success: Approval.Count,
      error: Unavailable
    })
      .annotateMerge(requires("approvals:read"))
      .annotate(OpenApi.Identifier, "get_approval_count"),
    HttpApiEndpoint.get("get", "/approvals/:approval_id", {
      params: approval,
      success: Approval.Approval,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("approvals:read"))
      .annotate(OpenApi.Identifier, "get_approval"),
    HttpApiEndpoint.get("status", "/approvals/:approval_id/status", {
      params: approval,
      success: Approval.StatusView,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("approvals:read"))
      .annotate(OpenApi.Identifier, "get_approval_status"),
    HttpApiEndpoint.post("resolve", "/approvals/:approval_id/resolve", {
      params: approval,
      payload: Approval.Resolve,
      success: Approval.Approval,
      error: [NotFound, Conflict, Unavailable]
    })
      .annotateMerge(requires("approvals:write"))
      .annotate(OpenApi.Identifier, "resolve_approval"),
    HttpApiEndpoint.delete("remove", "/approvals/:approval_id", {
      params: approval,
      success: HttpApiSchema.NoContent,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("approvals:delete"))
      .annotate(OpenApi.Identifier, "delete_approval")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Approvals", description: "Decisions of people that paused runs wait for" })
  )
{}

export const texts: Texts = {
  operations: {
    list_approvals: {
      summary: "List the approvals",
      description: "Returns what waits for a person, or waited. It can be filtered by state, component, user and run."
    },
    get_approval_count: {
      method: "count",
      summary: "Count the approvals",
      description: "Returns how many approvals wait for a person."
    },
    get_approval: { summary: "Get an approval", description: "Returns one approval, with what a person should know." },
    get_approval_status: {
      method: "status",
      summary: "Get the state of an approval",
      description: "Returns the decision, and the state of the run. A client can poll it."
    },
    resolve_approval: {
      summary: "Decide an approval",
      description: "Approves or rejects. The run then continues by itself. Of several decisions, the first one counts.",
      body: { status: "approved" }
    },
    delete_approval: { summary: "Delete an approval", description: "Removes the approval. Its run stays as it is." }
  }
}
