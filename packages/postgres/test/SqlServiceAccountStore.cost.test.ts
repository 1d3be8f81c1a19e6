// What service accounts cost the database: how many statements each method is.
import { assert, layer } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { account, entry } from "@svc-runtime/test-support/suites/accounts/Accounts"
import { Effect, Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"
import { statementsOf } from "./statementsOf.ts"

const one = account()

layer(SqlServiceAccountStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layerCopied)))(
  "What service accounts cost",
  (it) => {
    it.effect("each method is one statement, and one more for the total past the last page", () =>
      Effect.gen(function*() {
        const store = yield* ServiceAccountStore
        const sort = { by: "created_at", order: "desc" } as const
        const counts: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>, number]> = [
          ["insert", store.insert(one, entry(one, "minted")), 1],
          ["insert, name taken", Effect.flip(store.insert(one, entry(one, "minted"))), 1],
          ["findByHash", store.findByHash(one.token_hash), 1],
          ["findByHash, unknown", store.findByHash("other"), 1],
          ["nameOfOthers", store.nameOfOthers(one.name, null), 1],
          ["isActive", store.isActive(one.name, null, 2), 1],
          ["touch", store.touch(one.id, 2, 1), 1],
          ["list", store.list({ includeRevoked: true }, { page: 1, limit: 1 }, sort), 1],
          ["list, past the last page", store.list({ includeRevoked: true }, { page: 9, limit: 9 }, sort), 2],
          ["revoke", store.revoke(one.id, 3, entry(one, "revoked")), 1],
          ["revoke, again", store.revoke(one.id, 4, entry(one, "revoked")), 1],
          ["audit", store.audit(one.id), 1]
        ]
        for (const [name, method, expected] of counts) assert.strictEqual(yield* statementsOf(method), expected, name)
      }))
  }
)
