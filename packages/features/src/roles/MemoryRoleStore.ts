// `RoleStore` in memory, for services of tests.
import { storableText } from "@svc-runtime/domain/storableText"
import { Effect, Layer, Option } from "effect"
import { RoleNameTaken, RoleStore } from "./RoleStore.ts"
import type { StoredRole } from "./StoredRole.ts"

const storable = (role: StoredRole): StoredRole => ({
  ...role,
  description: storableText(role.description),
  scopes: role.scopes.map(storableText)
})

export const layer: Layer.Layer<RoleStore> = Layer.sync(RoleStore, () => {
  const roles = new Map<string, StoredRole>()
  const asRead = (read: StoredRole) => {
    const { description, name, scopes } = storable(read)
    const found = roles.get(name)
    const isSame = found?.description === description && JSON.stringify(found.scopes) === JSON.stringify(scopes)
    return isSame ? found : undefined
  }
  return RoleStore.of({
    all: Effect.sync(() => [...roles.values()].toSorted((one, other) => one.name < other.name ? -1 : 1)),
    find: (name) => Effect.sync(() => Option.fromUndefinedOr(roles.get(name))),
    create: (role, limit) =>
      Effect.suspend(() => {
        if (roles.has(role.name)) return Effect.fail(new RoleNameTaken())
        if (roles.size >= limit) return Effect.succeed(false)
        roles.set(role.name, storable(role))
        return Effect.succeed(true)
      }),
    replace: (role, read) =>
      Effect.sync(() => {
        const before = asRead(read)
        if (before === undefined) return false
        const { description, scopes, updated_at } = storable(role)
        roles.set(before.name, { ...before, description, scopes, updated_at })
        return true
      }),
    remove: (read) => Effect.sync(() => asRead(read) !== undefined && roles.delete(read.name))
  })
})
