// The registry: the tools, models, schemas and components of which configs can be made.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Resources from "@svc-runtime/domain/Registry"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const inSessions = { admitsSessionTokens: true }

export class Registry extends HttpApiGroup.make("registry")
  .add(
    HttpApiEndpoint.get("list", "/registry", {
      query: {
        resource_type: Schema.optionalKey(Resources.ResourceType),
        /** A part of the name, in upper or lower case. */
        name: Schema.optionalKey(Schema.String),
        ...Listing.pages({ limit: 20, maximum: 100 })
      },
      success: Pagination.page(Resources.Resource, "PaginatedRegistry")
    })
      .annotateMerge(requires("registry:read", inSessions))
      .annotate(OpenApi.Identifier, "list_registry")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Registry", description: "What the components of the service have" }))
{}

export const texts: Texts = {
  operations: {
    list_registry: {
      summary: "List what configs can name",
      description: "Returns the tools, models, schemas and functions of the program that configs can refer to by name."
    }
  }
}
