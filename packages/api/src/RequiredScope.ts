// The scope of an endpoint, as an annotation. Authorization, the scope table of the documentation and the OpenAPI
// document all read it from there.
import { Context } from "effect"
import { OpenApi } from "effect/http-api"

/** `sessions:read` and similar; `"none"` for open routes. */
export type ScopeName = `${string}:${string}` | "none"

/** The scope of an endpoint. The service does not start if the annotation is missing. */
export class RequiredScope extends Context.Service<RequiredScope, ScopeName>()("@svc-runtime/api/RequiredScope") {}

/** What an endpoint changes, for the audit log, if its scope is for runs: the resource, such as `sessions`. */
export class Changes extends Context.Service<Changes, string>()("@svc-runtime/api/RequiredScope/Changes") {}

interface Operation {
  readonly responses?: Readonly<Record<string, unknown>>
}

/** The errors of access control. Open routes have none. */
const refusals = ["401", "403", "429", "503"]

const secured = (scope: ScopeName) => (operation: Operation) =>
  scope === "none"
    ? {
      ...operation,
      security: [],
      responses: Object.fromEntries(
        Object.entries(operation.responses ?? {}).filter(([status]) => !refusals.includes(status))
      )
    }
    : { ...operation, security: [{ bearer: [] }], description: `Needs the scope \`${scope}\`.` }

const authenticated = (operation: Operation) => ({
  ...operation,
  security: [{ bearer: [] }],
  description: "Needs a credential, and no scope."
})

/** An annotation for `annotateMerge`: every authenticated caller. The path must not be one of `ExcludedRoutes`. */
export const requiresCaller = Context.make(RequiredScope, "none").pipe(Context.add(OpenApi.Transform, authenticated))

/**
 * Whether a token that is limited to a session may call an endpoint of a feature. Its handler takes an `Owner`, which
 * covers that session only, or it shows nothing of any session. An endpoint without the annotation admits none.
 */
export class AdmitsSessionTokens extends Context.Service<AdmitsSessionTokens, boolean>()(
  "@svc-runtime/api/RequiredScope/AdmitsSessionTokens"
) {}

/** An annotation for `annotateMerge`: the scope that a caller needs, and whether a token of one session is enough. */
export const requires = (scope: ScopeName, { admitsSessionTokens = false } = {}) =>
  Context.make(RequiredScope, scope).pipe(
    Context.add(OpenApi.Transform, secured(scope)),
    Context.add(AdmitsSessionTokens, admitsSessionTokens)
  )

/** The security schemes of the document. */
export const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "A JSON Web Token, the token of a service account, or the security key, as the service is set up"
  }
}
