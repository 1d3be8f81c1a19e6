// Stored components, and the versions of their configs.
import * as Component from "@svc/domain/Component"
import * as ComponentKind from "@svc/domain/ComponentKind"
import * as Pagination from "@svc/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest, Conflict, Invalid, NotFound, Unavailable } from "./Errors.ts"
import { FlagText } from "./FlagText.ts"
import { IntText } from "./IntText.ts"
import * as Listing from "./Listing.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { withDefault } from "./QueryText.ts"
import { requires } from "./RequiredScope.ts"

const component = { component_id: Component.Id }
const config = { ...component, version: IntText.check(...Component.isVersion) }
const readErrors = [NotFound, Unavailable] as const
const writeErrors = [BadRequest, Conflict, Unavailable] as const

export class Components extends HttpApiGroup.make("components")
  .add(
    HttpApiEndpoint.get("list", "/components", {
      query: {
        component_type: Schema.optionalKey(ComponentKind.ComponentKind),
        ...Listing.pages({ limit: 20, maximum: 100 })
      },
      success: Pagination.page(Component.Component, "PaginatedComponents"),
      error: Unavailable
    })
      .annotateMerge(requires("components:read"))
      .annotate(OpenApi.Identifier, "list_components"),
    HttpApiEndpoint.post("create", "/components", {
      payload: Component.Create,
      success: Component.Component.pipe(HttpApiSchema.status(201)),
      error: [...writeErrors, Invalid]
    })
      .annotateMerge(requires("components:write"))
      .annotate(OpenApi.Identifier, "create_component"),
    HttpApiEndpoint.get("get", "/components/:component_id", {
      params: component,
      success: Component.Component,
      error: readErrors
    })
      .annotateMerge(requires("components:read"))
      .annotate(OpenApi.Identifier, "get_component"),
    HttpApiEndpoint.patch("update", "/components/:component_id", {
      params: component,
      payload: Component.Patch,
      success: Component.Component,
      error: [...writeErrors, NotFound]
    })
      .annotateMerge(requires("components:write"))
      .annotate(OpenApi.Identifier, "update_component"),
    HttpApiEndpoint.delete("remove", "/components/:component_id", {
      params: component,
      success: HttpApiSchema.NoContent,
      error: readErrors
    })
      .annotateMerge(requires("components:delete"))
      .annotate(OpenApi.Identifier, "delete_component"),
    HttpApiEndpoint.get("listConfigs", "/components/:component_id/configs", {
      params: component,
      query: { include_config: withDefault(FlagText, "true") },
      success: Schema.Array(Component.Config),
      error: [BadRequest, Unavailable]
    })
      .annotateMerge(requires("components:read"))
      .annotate(OpenApi.Identifier, "list_component_configs"),
    HttpApiEndpoint.post("createConfig", "/components/:component_id/configs", {
      params: component,
      payload: Component.ConfigCreate,
      success: Component.Config.pipe(HttpApiSchema.status(201)),
      error: writeErrors
    })
      .annotateMerge(requires("components:write"))
      .annotate(OpenApi.Identifier, "create_component_config"),
    HttpApiEndpoint.get("getCurrentConfig", "/components/:component_id/configs/current", {
      params: component,
      success: Component.Config,
      error: readErrors
    })
      .annotateMerge(requires("components:read"))
      .annotate(OpenApi.Identifier, "get_current_component_config"),
    HttpApiEndpoint.get("getConfig", "/components/:component_id/configs/:version", {
      params: config,
      success: Component.Config,
      error: readErrors
    })
      .annotateMerge(requires("components:read"))
      .annotate(OpenApi.Identifier, "get_component_config"),
    HttpApiEndpoint.patch("updateConfig", "/components/:component_id/configs/:version", {
      params: config,
      payload: Component.ConfigPatch,
      success: Component.Config,
      error: writeErrors
    })
      .annotateMerge(requires("components:write"))
      .annotate(OpenApi.Identifier, "update_component_config"),
    HttpApiEndpoint.delete("removeConfig", "/components/:component_id/configs/:version", {
      params: config,
      success: HttpApiSchema.NoContent,
      error: [...readErrors, BadRequest]
    })
      .annotateMerge(requires("components:delete"))
      .annotate(OpenApi.Identifier, "delete_component_config"),
    HttpApiEndpoint.post("setCurrent", "/components/:component_id/configs/:version/set-current", {
      params: config,
      success: Component.Component,
      error: [...writeErrors, NotFound]
    })
      .annotateMerge(requires("components:write"))
      .annotate(OpenApi.Identifier, "set_current_component_config")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Components", description: "Stored components and the versions of their configs" })
  )
{}
