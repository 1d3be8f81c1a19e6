// Feedback on runs.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Conflict, Forbidden, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import { database, owner } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Given from "./Feedback.ts"

const inSessions = { admitsSessionTokens: true }

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
      .annotateMerge(requires("evals:write", inSessions))
      .annotate(OpenApi.Identifier, "give_feedback"),
    HttpApiEndpoint.get("ofRun", "/runs/:run_id/feedback", {
      params: run,
      query: { db_id },
      success: Schema.Array(Given.Feedback),
      error: errors
    })
      .annotateMerge(requires("evals:read", inSessions))
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
        /** The user of the runs. */
        ...owner,
        ...Listing.pages({ limit: 20, maximum: 100 }),
        db_id
      },
      success: Pagination.page(Given.Feedback, "PaginatedFeedback"),
      error: errors
    })
      .annotateMerge(requires("evals:read", inSessions))
      .annotate(OpenApi.Identifier, "list_feedback"),
    HttpApiEndpoint.delete("remove", "/feedback/:feedback_id", {
      params: { feedback_id: Given.Id },
      query: { db_id },
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("evals:delete", inSessions))
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
      method: "give",
      summary: "Score a run",
      description: "Stores what a person thinks of a run. A second score under the same key replaces the first one.",
      body: { score: true, comment: "It answered the question" }
    },
    get_run_feedback: {
      method: "ofRun",
      summary: "List the scores of a run",
      description: "Returns all scores that one run has."
    },
    list_feedback: { summary: "List the scores", description: "Returns scores of all runs, the newest first." },
    delete_feedback: { summary: "Delete a score", description: "Removes one score." }
  }
}
