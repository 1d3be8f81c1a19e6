// The authenticated caller. It is created once per credential. A request uses it for two checks: is this allowed, and
// whose data may it touch.
import { UserId } from "./Ids.ts"
import type * as Json from "./Json.ts"
import * as Owner from "./Owner.ts"
import * as Scope from "./Scope.ts"
import * as Tenant from "./Tenant.ts"

/**
 * The kind of credential. `open` means none, on an open service or route. `oauth` is accepted over MCP only. `channel`
 * is a person on a platform, such as Slack, whom the platform has authenticated.
 */
export type Credential = "open" | "security_key" | "jwt" | "service_account" | "internal" | "oauth" | "channel"

export interface Principal {
  readonly credential: Credential
  /** A token's subject, or `sa:<name>` of a service account; undefined if the credential names no user. */
  readonly user_id: UserId | undefined
  /** The tenant of the caller: all data of the caller is of it. `user_id` begins with it. */
  readonly tenant?: string | undefined
  /** Whether the caller sees the data of all users of the tenant. */
  readonly seesTenant?: boolean
  /** The session that the token is limited to: it starts runs in this one, and sees and changes no other one. */
  readonly session_id: string | undefined
  /** The grants of the credential. An open service and the security key have none. */
  readonly grants: Scope.Grants | undefined
  /** Whether scopes are enforced for this caller. */
  readonly isScoped: boolean
  /** Whether this caller sees only their own data. */
  readonly isIsolated: boolean
  /** All claims of the token; empty for other credentials. */
  readonly claims: Json.Object
  /** Claims that are passed to runs and win over `dependencies` of the request. */
  readonly dependencies: Json.Object
  readonly session_state: Json.Object
}

const withoutClaims = { session_id: undefined, claims: {}, dependencies: {}, session_state: {} }

/** The caller on an open service and on open routes. */
export const open: Principal = {
  ...withoutClaims,
  credential: "open",
  user_id: undefined,
  grants: undefined,
  isScoped: false,
  isIsolated: false
}

/** The caller with the security key. */
export const securityKey: Principal = { ...open, credential: "security_key" }

export const serviceAccount = (user_id: UserId, grants: Scope.Grants): Principal => ({
  ...withoutClaims,
  credential: "service_account",
  user_id,
  grants,
  isScoped: true,
  isIsolated: !grants.isAdmin
})

/**
 * The caller as one of the tenant. Everything is isolated from other tenants, also for callers who see the data of
 * other users: those see all data of the tenant, and rights for the service as a whole are withheld from them.
 */
export const inTenant = (principal: Principal, tenant: string | undefined): Principal =>
  tenant === undefined ? principal : {
    ...principal,
    tenant,
    user_id: principal.user_id === undefined ? undefined : Tenant.userIn(tenant, principal.user_id),
    grants: principal.grants && Scope.withinTenant(principal.grants),
    isIsolated: true,
    seesTenant: !principal.isIsolated
  }

/** A caller over MCP with an access token of an authorization server. */
export const oauth = (user_id: UserId, grants: Scope.Grants): Principal => ({
  ...serviceAccount(user_id, grants),
  credential: "oauth"
})

const ofChannel = "__channel__:"

/** A person on a platform who is no user of the service, as a user of the channel. */
export const channelUser = (channel: string, sender: string, tenant?: string): UserId => {
  const user = `${ofChannel}${channel}:${sender}`
  return tenant === undefined ? UserId.make(user) : Tenant.userIn(tenant, user)
}

/** A person who writes on a platform, as the user that the channel knows. */
export const person = (user_id: UserId, grants: Scope.Grants): Principal => {
  const tenant = Tenant.of(user_id)
  return {
    ...withoutClaims,
    credential: "channel",
    user_id,
    tenant,
    grants: tenant === undefined ? grants : Scope.withinTenant(grants),
    isScoped: true,
    isIsolated: true
  }
}

/** The name of the service when it executes schedules. */
export const { scheduler } = Tenant

const ofAuthor = `${scheduler}:`

/** The name of the service when it executes schedules of this author. */
export const schedulerFor = (author: UserId | null): UserId =>
  UserId.make(author === null ? scheduler : `${ofAuthor}${author}`)

/** The user for whom a name of the service acts: the author of a schedule. Others act for themselves. */
export const actedFor = (user_id: UserId): UserId =>
  user_id.startsWith(ofAuthor) ? UserId.make(user_id.slice(ofAuthor.length)) : user_id

/**
 * The user for whom the schedules of a caller act. Null: they act as the service, since the caller is not isolated, or
 * is a schedule that does.
 */
export const scheduleAuthor = ({ isIsolated, tenant, user_id }: Principal): UserId | null => {
  if (tenant !== undefined && user_id === undefined) return Tenant.itself(tenant)
  if (!isIsolated || user_id === undefined || user_id === scheduler) return null
  return actedFor(user_id)
}

/** Names that only the service gives out. A token's subject or a form that uses one is refused. */
export const isReserved = (user: string): boolean =>
  Tenant.isReserved(user) || user.startsWith("sa:") || user.startsWith("__oauth__:") || user === scheduler ||
  user.startsWith(ofAuthor) || user.startsWith(ofChannel)

/** Whether the caller can do what requires this scope. */
export const may = (principal: Principal, scope: string, target?: Scope.Target): boolean =>
  !principal.isScoped || (principal.grants !== undefined && Scope.allows(principal.grants, scope, target))

/** The ids of a list that the caller can access with this action: all, or these. */
export const visible = (
  principal: Principal,
  resource: Scope.PerResource,
  action = "read"
): "all" | ReadonlySet<string> =>
  !principal.isScoped
    ? "all"
    : (principal.grants === undefined ? undefined : Scope.visible(principal.grants, resource, action)) ?? new Set()

const userOf = ({ isIsolated, seesTenant, tenant, user_id }: Principal, requested: UserId | undefined): Owner.Owner => {
  if (tenant !== undefined && seesTenant === true) {
    return requested === undefined ? Owner.tenant(tenant) : Owner.user(Tenant.userIn(tenant, requested))
  }
  if (isIsolated) return user_id === undefined ? Owner.none : Owner.user(user_id)
  if (requested === undefined) return Owner.anyone
  const named = Tenant.named(requested)
  return named === undefined ? Owner.user(requested) : Owner.tenant(named)
}

/**
 * The owner filter of a request. Isolated callers get their own data. Others get the requested user's data, or all
 * data. A token that is limited to a session gets only data of that session.
 */
export const owner = (principal: Principal, requested?: UserId): Owner.Owner =>
  Owner.within(userOf(principal, requested), principal.session_id)

/** The user that a request names, if the caller may act for that user. Callers of a tenant name those of it. */
export const userNamed = (principal: Principal, requested: UserId): UserId | undefined => {
  const { isIsolated, seesTenant, tenant, user_id } = principal
  const named = tenant === undefined ? requested : Tenant.userIn(tenant, requested)
  return named === user_id || !isIsolated || seesTenant === true ? named : undefined
}

/** The owner of new data: the caller, if the credential names one, else the user that the request names. */
export const ownerOfNew = (principal: Principal, requested: UserId | null | undefined): UserId | null =>
  principal.user_id ?? (principal.tenant === undefined
    ? principal.isIsolated ? null : requested ?? null
    : ownerInTenant(principal, principal.tenant, requested))

/** A caller who sees the data of all users can name one of them. What has no user is the tenant's. */
const ownerInTenant = ({ seesTenant }: Principal, tenant: string, requested: UserId | null | undefined) => {
  if (seesTenant !== true) return null
  return requested === undefined || requested === null ? Tenant.itself(tenant) : Tenant.userIn(tenant, requested)
}
