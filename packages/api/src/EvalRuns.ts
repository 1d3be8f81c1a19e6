// Evaluation runs.
import * as EvalRun from "@svc/domain/EvalRun"
import * as Ids from "@svc/domain/Ids"
import * as Pagination from "@svc/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { database } from "./DatabaseQuery.ts"
import { BadRequest, Conflict, Forbidden, Internal, Invalid, NotFound, TooManyRequests, Unavailable } from "./Errors.ts"
import * as Listing from "./Listing.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { first } from "./QueryText.ts"
import { requires } from "./RequiredScope.ts"

const evalRun = { eval_run_id: EvalRun.Id }
const errors = [BadRequest, NotFound, Unavailable] as const

export class EvalRuns extends HttpApiGroup.make("evalRuns")
  .add(
    HttpApiEndpoint.get("list", "/eval-runs", {
      query: {
        agent_id: Schema.optionalKey(Schema.String),
        team_id: Schema.optionalKey(Schema.String),
        workflow_id: Schema.optionalKey(Schema.String),
        model_id: Schema.optionalKey(Ids.ModelName),
        /** The kind of the evaluated component. */
        type: Schema.optionalKey(Schema.Literals(["agent", "team", "workflow"])),
        /** Separated by commas. */
        eval_types: Schema.optionalKey(first),
        /** Beyond the contract, separated by commas. Without it only completed evaluations are listed. */
        status: Schema.optionalKey(first),
        ...Listing.pages({ limit: 20, firstPage: 0 }),
        ...Listing.sortedBy("created_at"),
        ...database
      },
      success: Pagination.page(EvalRun.EvalRun, "PaginatedEvalRuns"),
      error: [...errors, Invalid]
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "get_eval_runs"),
    HttpApiEndpoint.get("get", "/eval-runs/:eval_run_id", {
      params: evalRun,
      query: database,
      success: EvalRun.EvalRun,
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "get_eval_run"),
    HttpApiEndpoint.patch("rename", "/eval-runs/:eval_run_id", {
      params: evalRun,
      query: database,
      payload: EvalRun.Rename,
      success: EvalRun.EvalRun,
      error: errors
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "update_eval_run"),
    HttpApiEndpoint.delete("removeMany", "/eval-runs", {
      query: database,
      payload: EvalRun.Remove,
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("evals:delete"))
      .annotate(OpenApi.Identifier, "delete_eval_runs"),
    HttpApiEndpoint.post("create", "/eval-runs", {
      query: database,
      payload: EvalRun.Create,
      success: [EvalRun.EvalRun, EvalRun.Accepted.pipe(HttpApiSchema.status(202))],
      error: [...errors, Forbidden, Conflict, TooManyRequests, Internal]
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "run_eval"),
    HttpApiEndpoint.post("cancel", "/eval-runs/:eval_run_id/cancel", {
      params: evalRun,
      query: database,
      success: EvalRun.EvalRun,
      error: errors
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "cancel_eval_run")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Evaluations", description: "How good components answer" }))
{}
