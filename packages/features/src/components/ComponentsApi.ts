// Stored components, and the versions of their configs.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Conflict, Invalid, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { FlagText } from "@svc-runtime/api/query/FlagText"
import { IntText } from "@svc-runtime/api/query/IntText"
import * as Listing from "@svc-runtime/api/query/Listing"
import { withDefault } from "@svc-runtime/api/query/QueryText"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Component from "@svc-runtime/domain/Component"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const inSessions = { admitsSessionTokens: true }

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
      .annotateMerge(requires("components:read", inSessions))
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
      .annotateMerge(requires("components:read", inSessions))
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
      .annotateMerge(requires("components:read", inSessions))
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
      .annotateMerge(requires("components:read", inSessions))
      .annotate(OpenApi.Identifier, "get_current_component_config"),
    HttpApiEndpoint.get("getConfig", "/components/:component_id/configs/:version", {
      params: config,
      success: Component.Config,
      error: readErrors
    })
      .annotateMerge(requires("components:read", inSessions))
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

export const texts: Texts = {
  operations: {
    list_components: { summary: "List the stored components", description: "Returns stored components of all kinds." },
    create_component: {
      summary: "Create a component",
      description: "Stores a new agent, team or workflow with its first version.",
      body: { name: "Helper", component_type: "agent", config: { instructions: "Be brief." } }
    },
    get_component: { summary: "Get a stored component", description: "Returns one component, without its configs." },
    update_component: {
      summary: "Change a stored component",
      description: "Changes the name, the description, the metadata or the current version.",
      body: { description: "Answers questions about orders" }
    },
    delete_component: {
      summary: "Delete a stored component",
      description: "Removes the component and all of its versions. Its runs and sessions stay."
    },
    list_component_configs: {
      method: "versions",
      summary: "List the versions of a component",
      description: "Returns the versions, the newest first."
    },
    create_component_config: {
      method: "createVersion",
      summary: "Create a version",
      description: "Stores a new version of the config, as a draft or published.",
      body: { config: { instructions: "Be brief." } }
    },
    get_current_component_config: {
      method: "currentVersion",
      summary: "Get the current version",
      description: "Returns the version that runs use when they name none."
    },
    get_component_config: {
      method: "version",
      summary: "Get a version",
      description: "Returns one version with its config."
    },
    update_component_config: {
      method: "updateVersion",
      summary: "Change a draft",
      description: "Changes a version that is a draft, or publishes it. A published version never changes.",
      body: { config: { instructions: "Be brief and polite." } }
    },
    delete_component_config: {
      method: "deleteVersion",
      summary: "Delete a version",
      description: "Removes a version. The current version cannot be removed."
    },
    set_current_component_config: {
      method: "setCurrent",
      summary: "Make a version the current one",
      description: "Runs that start from now on use this version. With an older one, this is a rollback."
    }
  }
}
