// Datasets: items to evaluate components with, in versions.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import {
  BadRequest,
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  PayloadTooLarge,
  Unavailable
} from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import { database, owner } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { atLeast } from "@svc-runtime/api/query/QueryText"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Dataset from "./Dataset.ts"

const { db_id } = database
const dataset = { dataset_id: Dataset.Id }
const errors = [BadRequest, NotFound, Unavailable] as const
const changeErrors = [...errors, Conflict, PayloadTooLarge, Invalid] as const
const lines = HttpApiSchema.asText({ contentType: "application/x-ndjson" })

/** Default: the latest version. */
const version = { version: Schema.optionalKey(atLeast(1)) }

export class Datasets extends HttpApiGroup.make("datasets")
  .add(
    HttpApiEndpoint.get("list", "/datasets", {
      query: { ...owner, ...Listing.pages({ limit: 20, maximum: 100 }), db_id },
      success: Pagination.page(Dataset.Dataset, "PaginatedDatasets"),
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "list_datasets"),
    HttpApiEndpoint.post("create", "/datasets", {
      query: { db_id },
      payload: Dataset.Create,
      success: Dataset.Changed.pipe(HttpApiSchema.status(201)),
      error: [...changeErrors, Forbidden]
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "create_dataset"),
    HttpApiEndpoint.get("get", "/datasets/:dataset_id", {
      params: dataset,
      query: { db_id },
      success: Dataset.Dataset,
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "get_dataset"),
    HttpApiEndpoint.patch("update", "/datasets/:dataset_id", {
      params: dataset,
      query: { db_id },
      payload: Dataset.Patch,
      success: Dataset.Dataset,
      error: [...errors, Conflict]
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "update_dataset"),
    HttpApiEndpoint.delete("remove", "/datasets/:dataset_id", {
      params: dataset,
      query: { db_id },
      success: HttpApiSchema.NoContent,
      error: [...errors, Conflict]
    })
      .annotateMerge(requires("evals:delete"))
      .annotate(OpenApi.Identifier, "delete_dataset"),
    HttpApiEndpoint.get("listItems", "/datasets/:dataset_id/items", {
      params: dataset,
      query: { ...version, ...Listing.pages({ limit: 20 }), db_id },
      success: Pagination.page(Dataset.Item, "PaginatedDatasetItems"),
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "list_dataset_items"),
    HttpApiEndpoint.post("changeItems", "/datasets/:dataset_id/items", {
      params: dataset,
      query: { db_id },
      payload: Dataset.Change,
      success: Dataset.Changed,
      error: changeErrors
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "change_dataset_items"),
    HttpApiEndpoint.post("addFromTrace", "/datasets/:dataset_id/items/from-trace", {
      params: dataset,
      query: { db_id },
      payload: Dataset.FromTrace,
      success: Dataset.Changed,
      error: changeErrors
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "add_dataset_item_from_trace"),
    HttpApiEndpoint.post("importItems", "/datasets/:dataset_id/import", {
      params: dataset,
      query: { db_id },
      payload: Schema.String.pipe(lines),
      success: Dataset.Changed,
      error: changeErrors
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "import_dataset_items"),
    HttpApiEndpoint.get("exportItems", "/datasets/:dataset_id/export", {
      params: dataset,
      query: { ...version, ...Listing.pages({ limit: 10_000 }), db_id },
      success: Schema.String.pipe(lines),
      error: errors
    })
      .annotateMerge(requires("evals:read"))
      .annotate(OpenApi.Identifier, "export_dataset_items")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
  .annotateMerge(OpenApi.annotations({ title: "Datasets", description: "Items to evaluate components with" }))
{}

export const texts: Texts = {
  operations: {
    list_datasets: { summary: "List the datasets", description: "Returns the datasets, without their items." },
    create_dataset: {
      summary: "Create a dataset",
      description: "Stores a dataset. Version 1 has no items: the items of the request make version 2.",
      body: { name: "Numbers", items: [{ input: "What is 17 times 23?", expected_output: "391" }] }
    },
    get_dataset: { summary: "Get a dataset", description: "Returns one dataset, without its items." },
    update_dataset: {
      summary: "Change a dataset",
      description: "Changes the name or the description. It makes no version.",
      body: { name: "Numbers" }
    },
    delete_dataset: {
      summary: "Delete a dataset",
      description:
        "Removes the dataset with all of its versions and its experiments, which are cancelled if they are executing."
    },
    list_dataset_items: {
      method: "items",
      summary: "List the items of a dataset",
      description: "Returns the items of one version, the newest one when none is named."
    },
    change_dataset_items: {
      method: "changeItems",
      summary: "Change the items of a dataset",
      description: "Adds, replaces and removes items, which makes a new version.",
      body: { put: [{ input: "What is 2 times 3?", expected_output: "6" }] }
    },
    add_dataset_item_from_trace: {
      method: "addFromTrace",
      summary: "Make an item from a trace",
      description:
        "Adds an item with the input and the answer of a run. If the run has not completed, the item has no " +
        "`expected_output`.",
      body: { trace_id: "4bf92f3577b34da6a3ce929d0e0e4736" }
    },
    import_dataset_items: {
      method: "importItems",
      summary: "Import items",
      description: "Adds or replaces items, one as JSON on each line, which makes a new version.",
      body: "{\"input\": \"What is 2 times 3?\", \"expected_output\": \"6\"}\n"
    },
    export_dataset_items: {
      method: "exportItems",
      summary: "Export items",
      description: "Returns the items of one version as JSON lines."
    }
  }
}
