// Lets requests in, or answers them at the door. Whoever is let in goes on as `CurrentPrincipal`.
import { CurrentPrincipal } from "@svc/api"
import { type ByteSize, Context, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest, type HttpServerResponse } from "effect/http"
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

/** `maxBodySize` is for whatever reads a body without a limit of its own. */
export const admission = ({ admit }: AccessControl["Service"], maxBodySize: ByteSize.ByteSize) =>
<E, R>(
  app: App<E, R>
): App<E, Exclude<R, CurrentPrincipal> | HttpServerRequest.HttpServerRequest> => {
  const refuse = (failure: Refusal) => Effect.succeed(refusal(failure))
  // added one by one: to merge two contexts takes as long as there are services
  const goOn = (admitted: Admission) =>
    Effect.updateContext(app, (around: Context.Context<Exclude<R, CurrentPrincipal>>) => {
      const limited = Context.add(around, HttpIncomingMessage.MaxBodySize, maxBodySize)
      const known = Context.add(limited, CurrentAdmission, admitted)
      return Context.add(known, CurrentPrincipal, admitted.principal) as Context.Context<R>
    })
  return Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => Effect.matchEffect(admit(request), { onFailure: refuse, onSuccess: goOn })
  )
}
