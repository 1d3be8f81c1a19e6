// Roles: named sets of scopes. They are beyond the contract.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { Conflict, Forbidden, Invalid, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as StoredRole from "./StoredRole.ts"

const params = { role_name: Schema.String }

export class Roles extends HttpApiGroup.make("roles")
  .add(
    HttpApiEndpoint.get("list", "/roles", {
      query: Listing.pages({ limit: 20, maximum: 500 }),
      success: Pagination.page(StoredRole.Shown, "PaginatedRoles"),
      error: Unavailable
    })
      .annotateMerge(requires("roles:read"))
      .annotate(OpenApi.Identifier, "list_roles"),
    HttpApiEndpoint.post("create", "/roles", {
      payload: StoredRole.Create,
      success: StoredRole.Shown.pipe(HttpApiSchema.status(201)),
      error: [Conflict, Forbidden, Invalid, Unavailable]
    })
      .annotateMerge(requires("roles:write"))
      .annotate(OpenApi.Identifier, "create_role"),
    HttpApiEndpoint.get("get", "/roles/:role_name", {
      params,
      success: StoredRole.Shown,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("roles:read"))
      .annotate(OpenApi.Identifier, "get_role"),
    HttpApiEndpoint.patch("update", "/roles/:role_name", {
      params,
      payload: StoredRole.Patch,
      success: StoredRole.Shown,
      error: [Conflict, Forbidden, Invalid, NotFound, Unavailable]
    })
      .annotateMerge(requires("roles:write"))
      .annotate(OpenApi.Identifier, "update_role"),
    HttpApiEndpoint.delete("remove", "/roles/:role_name", {
      params,
      success: HttpApiSchema.NoContent,
      error: [Conflict, Forbidden, NotFound, Unavailable]
    })
      .annotateMerge(requires("roles:delete"))
      .annotate(OpenApi.Identifier, "delete_role")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
  .annotateMerge(
    OpenApi.annotations({
      title: "Roles",
      description: "Named sets of scopes, which tokens and service accounts have by `role:NAME`. Beyond the contract"
    })
  )
{}

export const texts: Texts = {
  operations: {
    list_roles: {
      summary: "List the roles",
      description: "Returns the roles by their names, those of the code of the service included."
    },
    create_role: {
      summary: "Create a role",
      description: "Names a set of scopes. The caller needs each of them.",
      body: { name: "support", scopes: ["agents:desk:run", "sessions:read"] }
    },
    get_role: { summary: "Get a role", description: "Returns one role with its scopes." },
    update_role: {
      summary: "Change a role",
      description: "Changes the fields that are sent, for all who have the role. The caller needs its scopes.",
      body: { scopes: ["agents:desk:run"] }
    },
    delete_role: {
      summary: "Delete a role",
      description: "Removes the role: who has it has its scopes no longer. The caller needs its scopes."
    }
  },
  fields: {
    role_name: ["Name of the role", "support"],
    "RoleCreate.name": ["Name of the role", "support"],
    "RoleCreate.scopes": "Scopes of the role. The caller needs each of them",
    "RoleCreate.description": "What the role is for",
    "RoleUpdate.scopes": "Scopes of the role. The caller needs each of them, and each that it had before",
    "RoleUpdate.description": "What the role is for",
    "RoleDetail.name": ["Name of the role", "support"],
    "RoleDetail.scopes": "Scopes of the role",
    "RoleDetail.description": "What the role is for",
    "RoleDetail.declared": "The code of the service declares it, and requests cannot change it",
    "RoleDetail.created_at": "Time of its creation. Null: the code declares it",
    "RoleDetail.created_by": "User who created it. Null: the credential named none, or the code declares it"
  }
}
