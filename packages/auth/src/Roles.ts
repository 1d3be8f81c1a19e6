// What the scopes of a credential grant, with the scopes of the roles that they name. Every credential becomes a
// principal here, so a role means the same for each transport.
import type * as Principal from "@svc-runtime/domain/Principal"
import * as Role from "@svc-runtime/domain/Role"
import * as Scope from "@svc-runtime/domain/Scope"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Layer, Option } from "effect"

/** Roles that are stored. A service without the feature has none. */
export class StoredRoles extends Context.Service<StoredRoles, {
  /** The same object while no role has changed. A change on another node counts after some seconds. */
  readonly current: Effect.Effect<Role.Roles, StorageUnavailable>
  /** After a change on this node: it counts at once. */
  readonly changed: Effect.Effect<void>
}>()("@svc-runtime/auth/Roles/StoredRoles") {}

export interface RoleOptions {
  readonly adminScope: string
  /** Roles of the code of the application. */
  readonly declared?: Role.Roles | undefined
  /** The roles of groups. */
  readonly ofGroups?: ReadonlyMap<string, ReadonlyArray<string>> | undefined
}

/** Names of unknown roles of which each is logged once. */
const maxWarned = 1000

const none: Role.Roles = new Map()

export class Roles extends Context.Service<Roles, {
  readonly declared: Role.Roles
  /** The roles that groups have. */
  readonly ofGroups: ReadonlyMap<string, ReadonlyArray<string>>
  /** Declared and stored ones. */
  readonly current: Effect.Effect<Role.Roles, StorageUnavailable>
  /**
   * The principal of a credential with these scopes, for as long as the credential is cached. It is made again after a
   * role has changed. Scopes that name no role are never looked up.
   */
  readonly derive: (
    scopes: ReadonlyArray<string>,
    make: (grants: Scope.Grants) => Principal.Principal
  ) => Effect.Effect<Principal.Principal, StorageUnavailable>
}>()("@svc-runtime/auth/Roles") {
  static readonly layer = (options: RoleOptions): Layer.Layer<Roles> => Layer.effect(Roles, make(options))
}

const make = Effect.fnUntraced(function*({ adminScope, declared = none, ofGroups = new Map() }: RoleOptions) {
  const stored = Option.getOrUndefined(yield* Effect.serviceOption(StoredRoles))
  const warned = new Set<string>()

  /** One object for the same stored roles. A declared role is used in place of a stored one with its name. */
  let merged: { readonly from: Role.Roles; readonly roles: Role.Roles } = { from: none, roles: declared }
  const merge = (from: Role.Roles) => {
    if (merged.from !== from) merged = { from, roles: from.size === 0 ? declared : new Map([...from, ...declared]) }
    return merged.roles
  }
  const current = stored === undefined ? Effect.succeed(declared) : Effect.map(stored.current, merge)

  const warn = (names: ReadonlyArray<string>) =>
    Effect.forEach(names, (name) => {
      if (warned.has(name) || warned.size >= maxWarned) return Effect.void
      warned.add(name)
      return Effect.annotateLogs(
        Effect.logWarning(`A credential has the role '${name.slice(0, 100)}', which does not exist: it grants nothing`),
        { role: name.slice(0, 100) }
      )
    }, { discard: true })

  return Roles.of({
    declared,
    ofGroups,
    current,
    derive: (scopes, make) => {
      const names = scopes.flatMap((scope) => Role.nameOf(scope) ?? [])
      if (names.length === 0) return Effect.succeed(make(Scope.grants(scopes, adminScope)))
      let last: { readonly roles: Role.Roles; readonly principal: Principal.Principal } | undefined
      return Effect.flatMap(current, (roles) => {
        if (last?.roles === roles) return Effect.succeed(last.principal)
        const principal = make({ ...Scope.grants(Role.expand(scopes, roles), adminScope), named: scopes })
        last = { roles, principal }
        return Effect.as(warn(names.filter((name) => !roles.has(name))), principal)
      })
    }
  })
})
