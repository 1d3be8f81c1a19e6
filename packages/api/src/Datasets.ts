// Datasets: items to evaluate components with, in versions.
import * as Dataset from "@svc/domain/Dataset"
import * as Pagination from "@svc/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { database, owner } from "./DatabaseQuery.ts"
import { BadRequest, Conflict, Forbidden, Invalid, NotFound, PayloadTooLarge, Unavailable } from "./Errors.ts"
import * as Listing from "./Listing.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { onlyKnownFields } from "./OnlyKnownFields.ts"
import { atLeast } from "./QueryText.ts"
import { requires } from "./RequiredScope.ts"

const { db_id } = database
const dataset = { dataset_id: Dataset.Id }
const errors = [BadRequest, NotFound, Unavailable] as const
const changeErrors = [...errors, Conflict, PayloadTooLarge, Invalid] as const
const lines = HttpApiSchema.asText({ contentType: "application/x-ndjson" })

/** The latest version when left out. */
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
      error: errors
    })
      .annotateMerge(requires("evals:write"))
      .annotate(OpenApi.Identifier, "update_dataset"),
    HttpApiEndpoint.delete("remove", "/datasets/:dataset_id", {
      params: dataset,
      query: { db_id },
      success: HttpApiSchema.NoContent,
      error: errors
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
