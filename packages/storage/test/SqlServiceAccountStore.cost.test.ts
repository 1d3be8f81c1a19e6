// What service accounts cost the database: how many statements each method is.
import { assert, layer } from "@effect/vitest"
import { ServiceAccountStore } from "@svc/auth"
import { ServiceAccount } from "@svc/domain"
import * as Migrations from "@svc/storage/Migrations"
import * as SqlServiceAccountStore from "@svc/storage/SqlServiceAccountStore"
import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { Effect, Layer, Ref } from "effect"
import { Statement } from "effect/sql"

const statementsOf = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const count = yield* Ref.make(0)
  const counting: Statement.Transformer = (statement) => Effect.as(Ref.update(count, (n) => n + 1), statement)
  yield* Effect.provideService(effect, Statement.CurrentTransformer, counting)
  return yield* Ref.get(count)
})

const account: ServiceAccount.ServiceAccount = {
  id: ServiceAccount.Id.make("id"),
  name: "bot",
  user_id: null,
  token_hash: "hash",
  token_prefix: "svc_pat_12345678",
  scopes: [],
  created_at: 1,
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  created_by: null
}

const entry = (action: ServiceAccount.AuditEntry["action"]): ServiceAccount.AuditEntry => ({
  account_id: account.id,
  action,
  actor: null,
  credential: "jwt",
  at: 1
})

layer(SqlServiceAccountStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer)))(
  "What service accounts cost",
  (it) => {
    it.effect("is one statement for each method, and one more for the total past the last page", () =>
      Effect.gen(function*() {
        const store = yield* ServiceAccountStore
        const sort = { by: "created_at", order: "desc" } as const
        const counts: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>, number]> = [
          ["insert", store.insert(account, entry("minted")), 1],
          ["insert, name taken", Effect.flip(store.insert(account, entry("minted"))), 1],
          ["findByHash", store.findByHash("hash"), 1],
          ["findByHash, unknown", store.findByHash("other"), 1],
          ["touch", store.touch(account.id, 2, 1), 1],
          ["list", store.list({ includeRevoked: true }, { page: 1, limit: 1 }, sort), 1],
          ["list, past the last page", store.list({ includeRevoked: true }, { page: 9, limit: 9 }, sort), 2],
          ["revoke", store.revoke(account.id, 3, entry("revoked")), 1],
          ["revoke, again", store.revoke(account.id, 4, entry("revoked")), 1],
          ["audit", store.audit(account.id), 1]
        ]
        for (const [name, method, expected] of counts) assert.strictEqual(yield* statementsOf(method), expected, name)
      }))
  }
)
