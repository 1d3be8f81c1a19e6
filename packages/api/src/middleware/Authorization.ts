// Authentication and authorization. Every group declares it. A rejected caller gets one of these errors before the
// request is decoded.
import type * as Principal from "@svc-runtime/domain/Principal"
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { Forbidden, TooManyRequests, Unauthenticated, Unavailable } from "../Errors.ts"

/** The caller of the current request. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal.Principal>()(
  "@svc-runtime/api/middleware/Authorization/CurrentPrincipal"
) {}

export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@svc-runtime/api/middleware/Authorization",
  { error: [Unauthenticated, Forbidden, TooManyRequests, Unavailable] }
) {}
