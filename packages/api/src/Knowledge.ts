// Knowledge: the contents that agents search.
import * as ContentSource from "@svc/domain/ContentSource"
import * as Ids from "@svc/domain/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BadRequest, Forbidden, NotFound, Unavailable } from "./Errors.ts"
import * as Listing from "./Listing.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { withDefault } from "./QueryText.ts"
import { requires } from "./RequiredScope.ts"

const knowledge = { knowledge_id: Schema.String }
const database = { db_id: Schema.optionalKey(Ids.DatabaseId) }
const errors = [BadRequest, Forbidden, NotFound, Unavailable] as const

export class Knowledge extends HttpApiGroup.make("knowledge")
  .add(
    HttpApiEndpoint.get("listSources", "/knowledge/:knowledge_id/sources", {
      params: knowledge,
      query: database,
      success: Schema.Array(ContentSource.Source),
      error: errors
    })
      .annotateMerge(requires("knowledge:read"))
      .annotate(OpenApi.Identifier, "list_content_sources"),
    HttpApiEndpoint.get("listFiles", "/knowledge/:knowledge_id/sources/:source_id/files", {
      params: { ...knowledge, source_id: Schema.String },
      query: {
        prefix: Schema.optionalKey(Schema.String),
        ...Listing.pages({ limit: 100, maximum: 1000 }),
        delimiter: withDefault(Schema.String, "/"),
        ...database
      },
      success: ContentSource.Files,
      error: errors
    })
      .annotateMerge(requires("knowledge:read"))
      .annotate(OpenApi.Identifier, "list_content_source_files")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Knowledge", description: "Contents that agents search" }))
{}
