// The scope an endpoint asks for, written on the endpoint itself. Authorization reads it there, the scope table of the
// documentation is read out of the API, and the OpenAPI document says it: there is no second list to keep.
import { Context } from "effect"
import { OpenApi } from "effect/http-api"

/** `sessions:read` and the like; `"none"` for the routes that are open by the specification. */
export type RequiredScope = `${string}:${string}` | "none"

/** Undefined means that nobody thought of it. Such an endpoint is not served: the service does not start. */
export const RequiredScope = Context.Reference<RequiredScope | undefined>("@svc/api/RequiredScope", {
  defaultValue: () => undefined
})

interface Operation {
  readonly responses?: Readonly<Record<string, unknown>>
}

/** What the door answers. Open routes have no door. */
const refusals = ["401", "403", "429", "503"]

const secured = (scope: RequiredScope) => (operation: Operation) =>
  scope === "none"
    ? {
      ...operation,
      security: [],
      responses: Object.fromEntries(
        Object.entries(operation.responses ?? {}).filter(([status]) => !refusals.includes(status))
      )
    }
    : { ...operation, security: [{ bearer: [] }], description: `Needs the scope \`${scope}\`.` }

/** For `annotateMerge`. */
export const requires = (scope: RequiredScope) =>
  Context.make(RequiredScope, scope).pipe(Context.add(OpenApi.Transform, secured(scope)))

/** How callers prove who they are, for the whole document. */
export const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "A JSON Web Token, the token of a service account, or the security key, as the service is set up"
  }
}
