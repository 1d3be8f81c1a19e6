// Experiments: components that answer the items of datasets.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Conflict, Forbidden, NotFound, TooManyRequests, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import { database, owner } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Dataset from "./Dataset.ts"
import * as Experiment from "./Experiment.ts"

const { db_id } = database
const experiment = { experiment_id: Experiment.Id }
const errors = [BadRequest, NotFound, Unavailable] as const

const Comparison = Schema.Struct({
  base: Schema.String,
  other: Schema.String,
  base_status: Experiment.Experiment.fields.status,
  other_status: Experiment.Experiment.fields.status,
  base_dataset_version: Schema.Natural,
  other_dataset_version: Schema.Natural,
  /** Their scores are of different things. */
  has_different_scorers: Schema.Boolean,
  ...Experiment.ComparisonCounts.fields,
  ...Pagination.page(Experiment.Difference, "ExperimentDifferences").fields
}).annotate({ identifier: "ExperimentComparison" })

export class Experiments extends HttpApiGroup.make("experiments")
  .add(
    HttpApiEndpoint.get("list", "/experiments", {
      query: {
        dataset_id: Schema.optionalKey(Schema.String),
        ...owner,
        ...Listing.pages({ limit: 20, maximum: 100 }),
        db_id
      },
      success: Pagination.page(Experiment.Experiment, "PaginatedExperiments"),
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "list_experiments"),
    HttpApiEndpoint.post("create", "/experiments", {
      query: { db_id },
      payload: Experiment.Create,
      success: Experiment.Experiment.pipe(HttpApiSchema.status(202)),
      error: [...errors, Conflict, Forbidden, TooManyRequests]
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "create_experiment"),
    HttpApiEndpoint.get("compare", "/experiments/compare", {
      query: {
        /** Two ids, separated by a comma: the base, and the other one. */
        ids: Schema.String,
        ...Listing.pages({ limit: 20, maximum: 1000 }),
        db_id
      },
      success: Comparison,
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "compare_experiments"),
    HttpApiEndpoint.get("get", "/experiments/:experiment_id", {
      params: experiment,
      query: { db_id },
      success: Experiment.Experiment,
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "get_experiment"),
    HttpApiEndpoint.delete("remove", "/experiments/:experiment_id", {
      params: experiment,
      query: { db_id },
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("evals:delete"))
      .annotate(OpenApi.Identifier, "delete_experiment"),
    HttpApiEndpoint.post("cancel", "/experiments/:experiment_id/cancel", {
      params: experiment,
      query: { db_id },
      success: Experiment.Experiment,
      error: errors
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "cancel_experiment"),
    HttpApiEndpoint.get("listItems", "/experiments/:experiment_id/items", {
      params: experiment,
      query: {
        /** Only the result of this item. */
        item_id: Schema.optionalKey(Dataset.ItemId),
        ...Listing.pages({ limit: 20 }),
        db_id
      },
      success: Pagination.page(Experiment.Item, "PaginatedExperimentItems"),
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "list_experiment_items")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
  .annotateMerge(OpenApi.annotations({ title: "Experiments", description: "Components that answer datasets" }))
{}

export const texts: Texts = {
  operations: {
    list_experiments: { summary: "List the experiments", description: "Returns experiments, the newest first." },
    create_experiment: {
      summary: "Start an experiment",
      description:
        "Runs a component with each item of a dataset and rates the answers, in the background. No scope of the component " +
        "is needed.",
      body: { dataset_id: "dataset-1", agent_id: "assistant", scorers: [{ type: "contains", texts: ["391"] }] }
    },
    compare_experiments: {
      method: "compare",
      summary: "Compare two experiments",
      description: "Returns the items of two experiments side by side, and counts what became better or worse."
    },
    get_experiment: {
      summary: "Get an experiment",
      description: "Returns the experiment: how far it is, and its figures when it is completed."
    },
    delete_experiment: {
      summary: "Delete an experiment",
      description: "Removes the experiment and its results. If it is executing, it is cancelled first."
    },
    cancel_experiment: {
      summary: "Cancel an experiment",
      description: "Ends the experiment and cancels its runs. Results that exist stay."
    },
    list_experiment_items: {
      method: "items",
      summary: "List the results of an experiment",
      description: "Returns the result of each item that has one."
    }
  }
}
