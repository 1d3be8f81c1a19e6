// What a token that is limited to a session may do, for every endpoint of the API. An endpoint of a feature that does
// not say so refuses it: what agents remember of a user, evaluations, schedules, webhooks and metrics are made of all
// sessions, or act in others. Beside the API, runs are limited by `RunIdentity` and `VisibleRuns`.
import { AdmitsSessionTokens } from "@svc-runtime/api/RequiredScope"
import type * as Principal from "@svc-runtime/domain/Principal"
import { Context } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"

// The endpoints of every service.

/** Their handlers take an `Owner`, which covers that session only. */
const ofSessions = /^[A-Z]+ \/(sessions|approvals|(agents|teams|workflows)\/:\w+\/(runs|sessions))(\/|$)|^GET \/runs$/

/** They show nothing of any session. */
const ofService = /^GET \/((health|ready|info|caller|config|models|nodes|agents|teams|workflows)(\/|$)|$)/

type Endpoint = Pick<HttpApiEndpoint.Top, "annotations" | "method" | "path">

export const admits = (
  { session_id }: Pick<Principal.Principal, "session_id">,
  { annotations, method, path }: Endpoint
): boolean => {
  const route = `${method} ${path}`
  return session_id === undefined || ofSessions.test(route) || ofService.test(route) ||
    Context.getOrUndefined(annotations, AdmitsSessionTokens) === true
}
