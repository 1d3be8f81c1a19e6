// The stored roles as each node keeps them. They are read when a credential names a role, and not again for some
// seconds, whatever the number of requests: so a service without roles reads none.
import { StoredRoles } from "@svc-runtime/auth"
import type * as Role from "@svc-runtime/domain/Role"
import { Clock, Effect, Layer } from "effect"
import { RoleStore } from "./RoleStore.ts"

/** After it a change on another node counts on this one. */
const every = "2 seconds"

/** While the database does not reply, roles that were read before count for this time. */
const outageMillis = 3_600_000

interface Kept {
  readonly roles: Role.Roles
  readonly text: string
  readonly at: number
}

const make = Effect.gen(function*() {
  const store = yield* RoleStore
  let kept: Kept | undefined

  const read = Effect.gen(function*() {
    const at = yield* Clock.currentTimeMillis
    const entries = (yield* store.all).map(({ name, scopes }) => [name, scopes] as const)
    const text = JSON.stringify(entries)
    kept = { roles: kept?.text === text ? kept.roles : new Map(entries), text, at }
    return kept.roles
  }).pipe(
    Effect.catchTag(
      "StorageUnavailable",
      (failure) =>
        Effect.flatMap(
          Clock.currentTimeMillis,
          (now) =>
            kept !== undefined && now < kept.at + outageMillis ? Effect.succeed(kept.roles) : Effect.fail(failure)
        )
    )
  )

  const [current, changed] = yield* Effect.cachedInvalidateWithTTL(read, (exit) => exit._tag === "Success" ? every : 0)
  return StoredRoles.of({ current, changed })
})

export const layer = Layer.effect(StoredRoles, make)
