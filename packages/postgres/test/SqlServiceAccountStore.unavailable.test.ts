// The errors of the store of service accounts when its database does not reply.
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import { account, entry } from "@svc-runtime/test-support/suites/accounts/Accounts"
import { Effect } from "effect"
import * as ShortStatements from "../src/ShortStatements.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"

it.effect("every method fails with StorageUnavailable when no database listens", () =>
  Effect.gen(function*() {
    const store = yield* ServiceAccountStore
    const one = account()
    const methods: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
      store.insert(one, entry(one, "minted")),
      store.findByHash(one.token_hash),
      store.nameOfOthers(one.name, null),
      store.isActive(one.name, null, 1),
      store.list({ includeRevoked: true }, { page: 1, limit: 1 }, { by: "name", order: "asc" }),
      store.revoke(one.id, 1, entry(one, "revoked")),
      store.touch(one.id, 2, 1),
      store.audit(one.id)
    ]
    for (const method of methods) assert.strictEqual((yield* Effect.flip(method))._tag, "StorageUnavailable")
  }).pipe(
    Effect.provide(SqlServiceAccountStore.layer),
    Effect.provide(ShortStatements.layerNone),
    // no server has this port
    Effect.provide(PgClient.layer({ host: "127.0.0.1", port: 1, username: "unknown" }))
  ))
