// Evaluation runs.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import {
  BadRequest,
  Conflict,
  Forbidden,
  Internal,
  Invalid,
  NotFound,
  TooManyRequests,
  Unavailable
} from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { database } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { first } from "@svc-runtime/api/query/QueryText"
import { requires } from "@svc-runtime/api/RequiredScope"
import { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as EvalRun from "./EvalRun.ts"

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
        type: Schema.optionalKey(ComponentKind),
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

export const texts: Texts = {
  operations: {
    get_eval_runs: {
      summary: "List the evaluations",
      description:
        "Returns completed evaluations, or those with the given `status`, the newest first. The filters by component do " +
        "not find evaluations of the kind `agent_as_judge`, which are stored without it."
    },
    run_eval: {
      summary: "Evaluate a component",
      description:
        "Runs an agent or a team and rates the answers. The response is sent when all runs are rated, or with `background` " +
        "at once, with 202. No scope of the component is needed.",
      body: { agent_id: "assistant", eval_type: "accuracy", input: "What is 17 times 23?", expected_output: "391" }
    },
    get_eval_run: { summary: "Get an evaluation", description: "Returns one evaluation with its ratings." },
    update_eval_run: {
      summary: "Rename an evaluation",
      description: "Gives the evaluation another name.",
      body: { name: "Numbers" }
    },
    cancel_eval_run: {
      summary: "Cancel an evaluation",
      description: "Ends an evaluation, and cancels the run that it waits for."
    },
    delete_eval_runs: {
      method: "deleteMany",
      summary: "Delete evaluations",
      description: "Removes the evaluations. The sessions of their runs stay.",
      body: { eval_run_ids: ["eval-1"] }
    }
  }
}
