// The endpoints that agents, teams and workflows share for stored components: they are created, changed and deleted by
// what they are made of.
import * as Component from "@svc-runtime/domain/Component"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest, Conflict, Invalid, NotFound, Unavailable } from "./Errors.ts"
import { requires } from "./RequiredScope.ts"
import { componentParams } from "./RunEndpoints.ts"

const errors = [BadRequest, Conflict, Invalid, Unavailable] as const

export const definitionEndpoints = <const K extends ComponentKind.ComponentKind, Id extends Schema.Top>(
  kind: K,
  id: Id
) => {
  const component = componentParams(kind, id)
  return {
    create: HttpApiEndpoint.post("create", `/${kind}s`, {
      payload: Component.DefinitionCreate,
      success: Component.Defined.pipe(HttpApiSchema.status(201)),
      error: errors
    })
      .annotateMerge(requires(`${kind}s:write`))
      .annotate(OpenApi.Identifier, `create_${kind}`),
    update: HttpApiEndpoint.patch("update", `/${kind}s/:${kind}_id`, {
      params: component,
      payload: Component.DefinitionPatch,
      success: Component.Defined,
      error: [...errors, NotFound]
    })
      .annotateMerge(requires(`${kind}s:write`))
      .annotate(OpenApi.Identifier, `update_${kind}`),
    remove: HttpApiEndpoint.delete("remove", `/${kind}s/:${kind}_id`, {
      params: component,
      success: HttpApiSchema.NoContent,
      error: [NotFound, Conflict, Unavailable]
    })
      .annotateMerge(requires(`${kind}s:delete`))
      .annotate(OpenApi.Identifier, `delete_${kind}`)
  }
}
