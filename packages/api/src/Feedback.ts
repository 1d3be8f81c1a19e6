// Feedback on runs.
import * as Given from "@svc/domain/Feedback"
import * as Pagination from "@svc/domain/Pagination"
import * as Run from "@svc/domain/Run"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Texts } from "./documentation/Texts.ts"
import { BadRequest, Conflict, Forbidden, NotFound, Unavailable } from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { onlyKnownFields } from "./OnlyKnownFields.ts"
import { database, owner } from "./query/DatabaseQuery.ts"
import * as Listing from "./query/Listing.ts"
import { requires } from "./RequiredScope.ts"

const text = Schema.optionalKey(Schema.String)
const { db_id } = database
const run = { run_id: Run.Id }
const errors = [BadRequest, NotFound, Unavailable] as const

export class Feedback extends HttpApiGroup.make("feedback")
  .add(
    HttpApiEndpoint.post("give", "/runs/:run_id/feedback", {
      params: run,
      query: { db_id },
      payload: Given.Create,
      success: Given.Feedback,
      error: [...errors, Forbidden, Conflict]
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "give_feedback"),
    HttpApiEndpoint.get("ofRun", "/runs/:run_id/feedback", {
      params: run,
      query: { db_id },
      success: Schema.Array(Given.Feedback),
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "get_run_feedback"),
    HttpApiEndpoint.get("list", "/feedback", {
      query: {
        run_id: text,
        session_id: text,
        agent_id: text,
        team_id: text,
        workflow_id: text,
        key: text,
        source: Schema.optionalKey(Given.Source),
        /** Of the runs. */
        ...owner,
        ...Listing.pages({ limit: 20, maximum: 100 }),
        db_id
      },
      success: Pagination.page(Given.Feedback, "PaginatedFeedback"),
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "list_feedback"),
    HttpApiEndpoint.delete("remove", "/feedback/:feedback_id", {
      params: { feedback_id: Given.Id },
      query: { db_id },
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("evals:delete"))
      .annotate(OpenApi.Identifier, "delete_feedback")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
  .annotateMerge(OpenApi.annotations({ title: "Feedback", description: "Scores that users and scorers give runs" }))
{}

export const texts: Texts = {
  operations: {
    give_feedback: {
      summary: "Score a run",
      description: "Stores what a person thinks of a run. A second score under the same key replaces the first one.",
      body: { score: true, comment: "It answered the question" }
    },
    get_run_feedback: { summary: "List the scores of a run", description: "Returns all scores that one run has." },
    list_feedback: { summary: "List the scores", description: "Returns scores of all runs, the newest first." },
    delete_feedback: { summary: "Delete a score", description: "Removes one score." }
  }
}
