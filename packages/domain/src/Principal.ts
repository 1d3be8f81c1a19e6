// Who is calling, as far as a credential has proved it. Made once for each credential; a request carries one from the
// moment it is let in, and asks it two things: may this be done, and whose things may it touch.
import type { UserId } from "./Ids.ts"
import type * as Json from "./Json.ts"
import * as Owner from "./Owner.ts"
import * as Scope from "./Scope.ts"

/** By what the caller was let in. `open`: by nothing, because the service or the route asks for nothing. */
export type Credential = "open" | "security_key" | "jwt" | "service_account" | "internal"

export interface Principal {
  readonly credential: Credential
  /** Of a token's subject, `sa:<name>` of a service account; undefined when the credential names nobody. */
  readonly user_id: UserId | undefined
  /** The one session that the token is for. It counts for more than what the request says. */
  readonly session_id: string | undefined
  /** Undefined when the credential has no scopes at all, as an open service and the security key have none. */
  readonly grants: Scope.Grants | undefined
  /** Whether scopes are required of this caller. */
  readonly isScoped: boolean
  /** Whether this caller is kept apart from the things of others. */
  readonly isIsolated: boolean
  /** Everything the token says; empty for credentials that are no tokens. */
  readonly claims: Json.Object
  /** Claims that go into a run, over what the request says under the same names. */
  readonly dependencies: Json.Object
  readonly session_state: Json.Object
}

const withoutClaims = { session_id: undefined, claims: {}, dependencies: {}, session_state: {} }

/** On a service that asks nobody who they are, and on the routes that are open on every service. */
export const open: Principal = {
  ...withoutClaims,
  credential: "open",
  user_id: undefined,
  grants: undefined,
  isScoped: false,
  isIsolated: false
}

/** Whoever has the key runs the service. */
export const securityKey: Principal = { ...open, credential: "security_key" }

export const serviceAccount = (user_id: UserId, grants: Scope.Grants): Principal => ({
  ...withoutClaims,
  credential: "service_account",
  user_id,
  grants,
  isScoped: true,
  isIsolated: !grants.isAdmin
})

/** Names that a service gives out. A token's subject or a form that claims one is refused. */
export const isReserved = (user: string): boolean =>
  user.startsWith("sa:") || user.startsWith("__oauth__:") || user === "__scheduler__"

export const isAdmin = ({ grants }: Principal): boolean => grants?.isAdmin ?? false

/** Whether the caller may do what needs this scope. */
export const may = (principal: Principal, scope: string, target?: Scope.Target): boolean =>
  !principal.isScoped || (principal.grants !== undefined && Scope.allows(principal.grants, scope, target))

/** The ids of a list that the caller may see, or may do something else with: all of them, or these. */
export const visible = (
  principal: Principal,
  resource: Scope.PerResource,
  action = "read"
): "all" | ReadonlySet<string> =>
  !principal.isScoped
    ? "all"
    : (principal.grants === undefined ? undefined : Scope.visible(principal.grants, resource, action)) ?? new Set()

/**
 * Whose things a request may touch. Those who are kept apart get their own, whatever they ask for; the others get what
 * they ask for, and everybody's when they ask for nobody's in particular.
 */
export const owner = (principal: Principal, requested?: UserId): Owner.Owner => {
  if (principal.isIsolated) return principal.user_id === undefined ? Owner.nobody : Owner.user(principal.user_id)
  return requested === undefined ? Owner.anyone : Owner.user(requested)
}

/** Who will own what a request makes: the caller, when the credential names one, else whom the request names. */
export const ownerOfNew = (principal: Principal, requested: UserId | null | undefined): UserId | null =>
  principal.user_id ?? (principal.isIsolated ? null : requested ?? null)
