// The runs of all components.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import * as RunItem from "@svc-runtime/domain/RunItem"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import type { Texts } from "./documentation/Texts.ts"
import { BadRequest, NotFound, Unavailable } from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { database, owner } from "./query/DatabaseQuery.ts"
import { IntText } from "./query/IntText.ts"
import * as Listing from "./query/Listing.ts"
import { requires } from "./RequiredScope.ts"

const text = Schema.optionalKey(Schema.String)

export class Runs extends HttpApiGroup.make("runs")
  .add(
    HttpApiEndpoint.get("list", "/runs", {
      query: {
        type: Schema.optionalKey(ComponentKind.ComponentKind),
        component_id: text,
        run_id: text,
        session_id: text,
        status: Schema.optionalKey(Run.Status),
        created_after: Schema.optionalKey(IntText),
        created_before: Schema.optionalKey(IntText),
        ...owner,
        ...Listing.pages({ limit: 20, maximum: 100 }),
        ...Listing.sortedBy("created_at"),
        db_id: database.db_id
      },
      success: Pagination.page(RunItem.RunItem, "PaginatedRuns"),
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("sessions:read"))
      .annotate(OpenApi.Identifier, "list_runs")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Runs", description: "The runs of all components" }))
{}

export const texts: Texts = {
  operations: {
    list_runs: {
      summary: "List all runs",
      description:
        "Returns the runs of all components, the newest first, without their contents. They can be filtered by " +
        "component, session, user, status and time, and sorted by `created_at`, `duration`, `total_tokens` or `cost`. More than " +
        "10,000 runs are not counted, and of more than these only the newest are sorted by what they used."
    }
  }
}
