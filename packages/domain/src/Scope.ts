// Scopes: what a caller may do, as `resource:action`, `resource:id:action`, or the one scope that allows everything.
// They are compared as they are written, case and all, and a form that is not known grants nothing. There are no
// wildcards but `*` for an id; writing does not include reading, and running does not either.

/** The resources whose scopes may name one of them. Of everything else a scope means all there is. */
export const perResource = ["agents", "teams", "workflows"] as const
export type PerResource = (typeof perResource)[number]

export const isPerResource = (text: string | undefined): text is PerResource =>
  (perResource as ReadonlyArray<string | undefined>).includes(text)

export const defaultAdmin = "platform:admin"

export interface Scope {
  /** `system`, as older tokens have it, is `config`. */
  readonly resource: string
  /** `*` stands for all of them, and is the same as leaving it out. */
  readonly id: string | undefined
  readonly action: string
}

/** Undefined for what is no scope. The admin scope is not looked at here: it may have any form. */
export const parse = (text: string): Scope | undefined => {
  const parts = text.split(":")
  const [resource = "", second = "", third] = parts
  if (parts.length < 2 || parts.length > 3 || parts.includes("")) return undefined
  const named = resource === "system" ? "config" : resource
  return third === undefined
    ? { resource: named, id: undefined, action: second }
    : { resource: named, id: second, action: third }
}

const textOf = ({ action, id, resource }: Scope): string =>
  id === undefined || id === "*" ? `${resource}:${action}` : `${resource}:${id}:${action}`

/** What a caller holds, made once for each credential and looked at for each request. */
export interface Grants {
  readonly isAdmin: boolean
  /** As they were given. */
  readonly scopes: ReadonlyArray<string>
  /** In the shortest spelling; without those that are no scopes. */
  readonly granted: ReadonlySet<string>
}

export const grants = (scopes: ReadonlyArray<string>, admin: string): Grants => ({
  isAdmin: scopes.includes(admin),
  scopes,
  granted: new Set(scopes.flatMap((text) => {
    const scope = text === admin ? undefined : parse(text)
    return scope === undefined ? [] : [textOf(scope)]
  }))
})

/** What a route is about, where it is about one thing. */
export interface Target {
  readonly resource: PerResource
  readonly id: string
}

/**
 * Whether `required` is held. The target counts only if it is of the resource that the scope is about. A required scope
 * that is none is held by nobody but the admin.
 */
export const allows = ({ granted, isAdmin }: Grants, required: string, target?: Target): boolean => {
  if (isAdmin) return true
  const scope = parse(required)
  if (scope === undefined) return false
  if (granted.has(`${scope.resource}:${scope.action}`)) return true
  const id = scope.id !== undefined && scope.id !== "*"
    ? scope.id
    : target?.resource === scope.resource
    ? target.id
    : undefined
  return id !== undefined && granted.has(`${scope.resource}:${id}:${scope.action}`)
}

/** The ids that a caller may see in a list: all of them, or these; undefined when there is no such scope at all. */
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

/** Those that let their holder change, remove, or hand out: nobody gets them by accident. */
export const isPrivileged = (text: string, admin: string): boolean => {
  if (text === admin || text === defaultAdmin) return true
  const scope = parse(text)
  return scope !== undefined &&
    (scope.resource === "service_accounts" || scope.action === "write" || scope.action === "delete")
}

export const isScope = (text: string, admin: string): boolean => text === admin || parse(text) !== undefined

/** Whether a holder may hand `wanted` on: a scope of one thing is covered by that of all of them, not the other way. */
export const covers = (held: Grants, wanted: string): boolean => allows(held, wanted)
