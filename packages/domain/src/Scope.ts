// Scopes: rights of a caller, written `resource:action`, `resource:id:action`, or the one admin scope. They are
// compared case-sensitively, and an unknown form grants nothing. The only wildcard is `*` as an id. No action includes
// another.
import { type ComponentKind, descriptions } from "./ComponentKind.ts"
import * as Misspelling from "./Misspelling.ts"
import * as Role from "./Role.ts"

/** Resources whose scopes can name an id. Other scopes cover the whole resource. */
export type PerResource = (typeof descriptions)[ComponentKind]["resource"]
export const perResource: ReadonlyArray<PerResource> = Object.values(descriptions).map(({ resource }) => resource)

export const isPerResource = (text: string | undefined): text is PerResource =>
  (perResource as ReadonlyArray<string | undefined>).includes(text)

export const defaultAdmin = "platform:admin"

const actions: ReadonlyArray<string> = ["read", "write", "delete"]

/** It has no other scope. */
const adminResource = "platform"

export interface Scope {
  /** Older tokens have `system` for `config`. */
  readonly resource: string
  /** `*` means all ids, like a missing id. */
  readonly id: string | undefined
  readonly action: string
}

/** Parses a scope. An invalid one has no result. The admin scope, which can have any form, is not checked here. */
export const parse = (text: string): Scope | undefined => {
  const parts = text.split(":")
  const [resource = "", second = "", third] = parts
  if (parts.length < 2 || parts.length > 3 || parts.includes("")) return undefined
  const named = resource === "system" ? "config" : resource
  return third === undefined
    ? { resource: named, id: undefined, action: second }
    : { resource: named, id: second, action: third }
}

/** The name of a role is no action, so no scope is for all of them. */
const textOf = ({ action, id, resource }: Scope): string =>
  id === undefined || (id === "*" && resource !== "role") ? `${resource}:${action}` : `${resource}:${id}:${action}`

/** The scopes of a caller, parsed once per credential and checked for each request. */
export interface Grants {
  readonly isAdmin: boolean
  /** The scopes as they were granted. */
  readonly scopes: ReadonlyArray<string>
  /** In the shortest form, without invalid ones. */
  readonly granted: ReadonlySet<string>
  /** As the credential has them: it names roles, whose scopes are among `scopes`. Undefined: it names none. */
  readonly named?: ReadonlyArray<string>
  /** They are of a caller of a tenant: what is of the service as a whole is not granted, whatever the scopes are. */
  readonly isOfTenant?: true
}

export const grants = (scopes: ReadonlyArray<string>, admin: string): Grants => ({
  isAdmin: scopes.includes(admin),
  scopes,
  granted: new Set(scopes.flatMap((text) => {
    const scope = text === admin ? undefined : parse(text)
    return scope === undefined ? [] : [textOf(scope)]
  }))
})

/** For a caller of a tenant. */
export const withinTenant = (held: Grants): Grants => ({ ...held, isOfTenant: true })

/** Resources of the service as a whole. Callers of a tenant have no scopes of them. */
export const ofService: ReadonlySet<string> = new Set([
  "components",
  "evals",
  "registry",
  "roles",
  "schedules",
  "service_accounts",
  adminResource
])

/** Resources that tenants share. Callers of a tenant read them, and do not change them. */
export const sharedByTenants: ReadonlySet<string> = new Set([
  ...perResource,
  "budgets",
  "config",
  "metrics",
  "prompts",
  "skills"
])

/** Resources whose data has the tenant of its user. */
export const ofTenants: ReadonlySet<string> = new Set([
  "approvals",
  "audit",
  "channels",
  "knowledge",
  "learnings",
  "media",
  "memories",
  "sessions",
  "traces",
  "webhooks"
])

/** Resources of the application's own routes are up to them. */
const isForTenants = ({ action, resource }: Scope): boolean =>
  !ofService.has(resource) && (!sharedByTenants.has(resource) || action === "read" || action === "run")

/** Whether a scope is withheld from the caller, because it is of the service as a whole and the caller of a tenant. */
export const isWithheld = (held: Grants | undefined, required: string): boolean => {
  const scope = held?.isOfTenant === true ? parse(required) : undefined
  return scope !== undefined && !isForTenants(scope)
}

/** Says to a refused caller what is missing. Asking for another scope does not help callers of a tenant. */
export const refusal = (held: Grants | undefined, required: ReadonlyArray<string>): string =>
  required.some((scope) => isWithheld(held, scope))
    ? "This is of the service as a whole, and callers of a tenant may not use it, whatever their scopes are"
    : `Insufficient permissions. Required scope(s): ${required.join(", ")}`

/** The scopes of the caller as people read them. An admin of a tenant has those of its data. */
export const listed = ({ granted, isAdmin, isOfTenant }: Grants): ReadonlyArray<string> =>
  isAdmin && isOfTenant
    ? [
      ...[...ofTenants].flatMap((resource) => actions.map((action) => `${resource}:${action}`)),
      ...[...sharedByTenants].map((resource) => `${resource}:read`),
      ...perResource.map((resource) => `${resource}:run`)
    ]
    : [...granted]

/** The resource and id that a route is about. */
export interface Target {
  readonly resource: PerResource
  readonly id: string
}

/**
 * Whether `required` is granted. The target counts only if its resource is that of the scope. Only the admin scope
 * grants an invalid required scope.
 */
export const allows = ({ granted, isAdmin, isOfTenant }: Grants, required: string, target?: Target): boolean => {
  if (isAdmin && isOfTenant === undefined) return true
  const scope = parse(required)
  if (scope === undefined || (isOfTenant && !isForTenants(scope))) return false
  if (isAdmin) return true
  if (granted.has(`${scope.resource}:${scope.action}`)) return true
  const id = scope.id !== undefined && scope.id !== "*"
    ? scope.id
    : target?.resource === scope.resource
    ? target.id
    : undefined
  return id !== undefined && granted.has(`${scope.resource}:${id}:${scope.action}`)
}

/** The ids that a caller can see in a list: all, or these; undefined without any such scope. */
export const visible = (
  held: Grants,
  resource: PerResource,
  action = "read"
): "all" | ReadonlySet<string> | undefined => {
  if (allows(held, `${resource}:${action}`)) return "all"
  const ids = [...held.granted].flatMap((text) => {
    const scope = parse(text)
    return scope?.resource === resource && scope.action === action && scope.id !== undefined ? [scope.id] : []
  })
  return ids.length === 0 ? undefined : new Set(ids)
}

/** Scopes that allow changing, deleting or granting: they are never granted by default. */
export const isPrivileged = (text: string, admin: string): boolean => {
  if (text === admin || text === defaultAdmin) return true
  const scope = parse(text)
  return scope !== undefined &&
    (scope.resource === "service_accounts" || scope.action === "write" || scope.action === "delete")
}

export const isScope = (text: string, admin: string): boolean => text === admin || parse(text) !== undefined

/** The resources of every service and their actions. Scopes of unknown resources are for mappings and for factories. */
const known: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ...["approvals", "config", "service_accounts", "sessions"].map((resource) => [resource, actions] as const),
  ...perResource.map((resource) => [resource, [...actions, "run"]] as const),
  ["metrics", [...actions, "scrape"]]
])

/** A `*` that is a part of an id. No scope with one grants anything. */
export const hasPartOfId = (text: string): boolean => {
  const id = parse(text)?.id
  return id !== undefined && id !== "*" && id.includes("*")
}

const actionsIn = (resources: ReadonlySet<string>) => (name: string): ReadonlyArray<string> | undefined =>
  known.get(name) ?? (resources.has(name) ? actions : undefined)

/**
 * For a scope that grants nothing: the valid ones that can be meant, if any. Undefined for a valid one. `declared` are
 * scopes of the operator's routes, which can have actions of their own. `resources` are those of features.
 */
export const mistaken = (
  text: string,
  admin: string,
  declared: ReadonlySet<string>,
  resources: ReadonlySet<string>
): ReadonlyArray<string> | undefined => {
  if (text === admin || text === defaultAdmin || Role.nameOf(text) !== undefined) return undefined
  const lower = text.trim().toLowerCase()
  if (lower === admin.toLowerCase() || lower === defaultAdmin) return [admin]
  const scope = parse(text)
  // a list in one text, of which the parser would see an id
  const isList = text.includes(",") && text.split(",").every((each) => parse(each) !== undefined)
  if (scope === undefined || isList) return []
  const { action, resource } = scope
  if (resource === adminResource) return [admin]
  const actionsOf = actionsIn(resources)
  if (declared.has(text) || declared.has(`${resource}:${action}`)) return undefined
  if (actionsOf(resource)?.includes(action) === true) {
    const hasNoSuchId = scope.id !== undefined && scope.id !== "*" && !isPerResource(resource)
    return hasNoSuchId || hasPartOfId(text) ? [`${resource}:${action}`] : undefined
  }
  const written = resource.trim().toLowerCase()
  const meant = actionsOf(`${written}s`) === undefined ? written : `${written}s`
  const possible = actionsOf(meant)
  if (possible !== undefined) return possible.map((each) => `${meant}:${each}`)
  return resource === "*" || /\s/.test(`${resource}${action}`) ? [] : undefined
}

/** What other systems call the right to do everything. */
const everything: ReadonlyArray<string> = ["*", "*:*", "*:*:*", "admin", "admin:*", "all", "root"]

/** The parts of a scope that is written in another order, or with other signs between its parts. */
const reordered = (text: string, actionsOf: ReturnType<typeof actionsIn>): string | undefined => {
  const parts = text.split(/[:./]/)
  const resource = parts.find((part) => actionsOf(part) !== undefined)
  const action = parts.find((part) => resource !== undefined && actionsOf(resource)?.includes(part))
  const [id, ...others] = parts.filter((part) => part !== resource && part !== action)
  if (resource === undefined || action === undefined || others.length > 0 || id === "") return undefined
  // a resource of the operator's own can have the name of one of the service as its id
  if (parts[0] !== resource && parts[0] !== action) return undefined
  if (id !== undefined && !isPerResource(resource)) return undefined
  return textOf({ resource, id, action })
}

/** The valid scope that a scope of an unknown resource, or of another form, probably means. */
export const meant = (
  text: string,
  admin: string,
  declared: ReadonlySet<string>,
  resources: ReadonlySet<string>
): string | undefined => {
  if (everything.includes(text)) return admin
  const [scope, actionsOf] = [parse(text), actionsIn(resources)]
  if (Role.nameOf(text) !== undefined) return undefined
  if (scope !== undefined && declared.has(`${scope.resource}:${scope.action}`)) return undefined
  if (scope !== undefined && actionsOf(scope.resource)?.includes(scope.action) === true) return undefined
  const written = reordered(text, actionsOf)
  if (written !== undefined) return written
  const resource = scope === undefined
    ? undefined
    : Misspelling.meant(scope.resource, new Set([...known.keys(), ...resources]))
  return scope === undefined || resource === undefined ? undefined : textOf({ ...scope, resource })
}

/** Whether a holder can grant `wanted` to others: a scope for all ids covers one id, not the reverse. */
export const covers = (held: Grants, wanted: string): boolean => allows(held, wanted)
