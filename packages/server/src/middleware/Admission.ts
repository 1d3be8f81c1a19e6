// Lets requests in, or answers them at the door. Whoever is let in goes on as `CurrentPrincipal`.
import { CurrentPrincipal } from "@svc/api"
import { Context, Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { AccessControl, Admission, Refusal } from "../authorization/AccessControl.ts"
import { simple } from "./ErrorResponses.ts"

/** How the request at hand was let in; undefined where that has not happened. */
export const CurrentAdmission = Context.Reference<Admission | undefined>("@svc/server/middleware/Admission", {
  defaultValue: () => undefined
})

const refusal = (failure: Refusal): HttpServerResponse.HttpServerResponse => {
  switch (failure._tag) {
    case "ScopesMissing":
      return simple(403, "FORBIDDEN", `Insufficient permissions. Required scope(s): ${failure.scopes.join(", ")}`)
    case "OriginRefused":
      return simple(403, "FORBIDDEN", "Pages of this origin may not call. CORS_ORIGIN_LIST names those that may")
    case "HostRefused":
      return simple(
        403,
        "FORBIDDEN",
        "This service is not called that. ALLOWED_HOSTS lists the names that it may be called by"
      )
    case "TooManyAttempts":
      return simple(429, "TOO_MANY_REQUESTS", failure.message)
    case "StorageUnavailable":
      return simple(503, "SERVICE_UNAVAILABLE", "Authentication is temporarily unavailable")
    default:
      return simple(401, "UNAUTHENTICATED", failure.message)
  }
}

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** `context` is what every request has beside its caller: all of it is provided in one step. */
export const admission = ({ admit }: AccessControl["Service"], context: Context.Context<never>) =>
<E, R>(
  app: App<E, R>
): App<E, Exclude<R, CurrentPrincipal> | HttpServerRequest.HttpServerRequest> => {
  const refuse = (failure: Refusal) => Effect.succeed(refusal(failure))
  const goOn = (admitted: Admission) =>
    Effect.provideContext(
      app,
      Context.add(Context.add(context, CurrentAdmission, admitted), CurrentPrincipal, admitted.principal)
    )
  return Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => Effect.matchEffect(admit(request), { onFailure: refuse, onSuccess: goOn })
  )
}
