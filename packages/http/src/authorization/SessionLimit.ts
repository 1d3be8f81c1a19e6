// What a token that is limited to a session may do, for every endpoint of the API. An endpoint that is not listed here
// refuses it: what agents remember of a user, evaluations, schedules, webhooks and metrics are made of all sessions, or
// act in others. Beside the API, runs are limited by `RunIdentity` and `RunReading`.
import type * as Principal from "@svc-runtime/domain/Principal"

/** Their handlers take an `Owner`, which covers that session only. */
const ofSessions =
  /^[A-Z]+ \/(sessions|runs|media|traces|trace_session_stats|approvals|feedback|(agents|teams|workflows)\/:\w+\/(runs|sessions))(\/|$)/

/** They show nothing of any session. */
const ofService =
  /^GET \/((health|ready|info|caller|config|models|registry|nodes|knowledge|components|agents|teams|workflows)(\/|$)|$)|^POST \/knowledge\/search$/

/** `route`: the method and the path of an endpoint. */
export const admits = ({ session_id }: Pick<Principal.Principal, "session_id">, route: string): boolean =>
  session_id === undefined || ofSessions.test(route) || ofService.test(route)
