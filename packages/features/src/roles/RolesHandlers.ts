// The endpoints of roles. A caller writes only roles whose scopes the caller has: before the change, and after it. So
// a change of a role gives no rights to its author, and takes none that the author could not give.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import { Roles as GrantedRoles, ServiceAccounts, StoredRoles } from "@svc-runtime/auth"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Role from "@svc-runtime/domain/Role"
import * as Scope from "@svc-runtime/domain/Scope"
import { now } from "@svc-runtime/engine/now"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import { Roles as Endpoints } from "./RolesApi.ts"
import { RoleStore } from "./RoleStore.ts"
import * as StoredRole from "./StoredRole.ts"

const notFound = Effect.fail(Errors.notFound("Role not found"))

const taken = Effect.fail(Errors.conflict("Another role has this name. Choose another one, or change that one"))

/** What was checked is no longer what the role is. */
const changedMeanwhile = Effect.fail(Errors.conflict("The role was changed at the same time. Read it, and try again"))

/** Fails unless the caller has each scope. A credential without scopes of its own allows everything. */
const held = Effect.fnUntraced(function*(scopes: ReadonlyArray<string>, what: string) {
  const { grants } = yield* CurrentPrincipal
  const missing = grants === undefined ? [] : scopes.filter((scope) => !Scope.covers(grants, scope))
  if (missing.length > 0) {
    return yield* Errors.forbidden(`Cannot ${what} a role with scope(s) you do not hold: ${missing.join(", ")}`)
  }
})

export const handlers = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const [store, stored, roles, accounts] = [
      yield* RoleStore,
      yield* StoredRoles,
      yield* GrantedRoles,
      yield* ServiceAccounts
    ]

    const refuseDeclared = (name: string) =>
      roles.declared.has(name)
        ? Effect.fail(Errors.conflict(`The code of the service declares the role '${name}'. Change it there`))
        : Effect.void

    const valid = Effect.fnUntraced(function*(name: string, scopes: ReadonlyArray<string>) {
      const ofOne = scopes.map((scope) => accounts.declared.problemOf(scope)).find((each) => each !== undefined)
      const problem = Role.problemOf(name, scopes) ?? ofOne
      if (problem !== undefined) {
        return yield* Errors.invalidValue(["body", "scopes"], `The role '${name}' cannot be used: ${problem}`)
      }
    })

    const found = Effect.fnUntraced(function*(name: string) {
      const one = yield* store.find(name)
      return Option.isSome(one) ? one.value : yield* notFound
    })

    return handlers.handleAll({
      list: Effect.fn("Roles.list")(function*({ query }) {
        const ofRequests = (yield* store.all).filter(({ name }) => !roles.declared.has(name)).map(StoredRole.shown)
        const all = [...[...roles.declared].map(StoredRole.ofCode), ...ofRequests]
          .toSorted((one, other) => one.name < other.name ? -1 : 1)
        return JsonResponse.of(Pagination.response(query, Pagination.slice(query, all), all.length))
      }, orUnavailable),
      create: Effect.fn("Roles.create")(function*({ payload }) {
        const { description = "", name, scopes } = payload
        yield* refuseDeclared(name)
        yield* valid(name, scopes)
        yield* held(scopes, "create")
        const { user_id = null } = yield* CurrentPrincipal
        const role = { name, description, scopes, created_at: yield* now, updated_at: null, created_by: user_id }
        const isCreated = yield* Effect.catchTag(store.create(role, StoredRole.most), "RoleNameTaken", () => taken)
        if (!isCreated) {
          return yield* Errors.conflict(`There are ${StoredRole.most} roles already. Delete one first`)
        }
        yield* stored.changed
        return StoredRole.shown(role)
      }, orUnavailable),
      get: Effect.fn("Roles.get")(function*({ params: { role_name } }) {
        const scopes = roles.declared.get(role_name)
        return scopes === undefined ? StoredRole.shown(yield* found(role_name)) : StoredRole.ofCode([role_name, scopes])
      }, orUnavailable),
      update: Effect.fn("Roles.update")(function*({ params: { role_name }, payload }) {
        yield* refuseDeclared(role_name)
        const before = yield* found(role_name)
        const role = { ...before, ...payload, updated_at: yield* now }
        yield* valid(role_name, role.scopes)
        yield* held([...new Set([...before.scopes, ...role.scopes])], "change")
        if (!(yield* store.replace(role, before))) return yield* changedMeanwhile
        yield* stored.changed
        return StoredRole.shown(role)
      }, orUnavailable),
      remove: Effect.fn("Roles.remove")(function*({ params: { role_name } }) {
        yield* refuseDeclared(role_name)
        const before = yield* found(role_name)
        yield* held(before.scopes, "delete")
        const groups = [...roles.ofGroups].flatMap(([group, names]) => names.includes(role_name) ? [group] : [])
        if (groups.length > 0) {
          return yield* Errors.conflict(
            `The settings give the role '${role_name}' to the group '${groups[0]}' (GROUP_ROLES). Remove it there first`
          )
        }
        if (!(yield* store.remove(before))) return yield* changedMeanwhile
        yield* stored.changed
      }, orUnavailable)
    })
  })
)
