// Rows of service accounts and idempotency keys that were damaged: each fails its own caller only.
import { assert, layer } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { account, find, insert } from "@svc-runtime/test-support/suites/accounts/Accounts"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Exit, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "../src/Migrations.ts"
import * as SqlIdempotencyStore from "../src/SqlIdempotencyStore.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"

const stores = Layer.mergeAll(SqlServiceAccountStore.layer, SqlIdempotencyStore.layer).pipe(
  Layer.provide(Migrations.layer),
  Layer.provideMerge(PgliteLayer.layer)
)

const claim = () => ({
  key: newId("key"),
  claim_id: newId("claim"),
  fingerprint: "fingerprint",
  subject: { run_id: "run" },
  created_at: 1_700_000_000,
  expires_at: 1_700_086_400
})

const damages = ["scopes = '3'", "scopes = '{}'", "scopes = 'null'", "created_at = -1", "id = ''", "name = ''"]

layer(stores, { excludeTestServices: true })("A damaged row", (it) => {
  it.effect.each(damages)(
    "a damaged row of a service account (%s) fails neither the look-up of others nor the list",
    (damage) =>
      Effect.gen(function*() {
        const store = yield* ServiceAccountStore
        const sql = yield* SqlClient.SqlClient
        const [damaged, ...others] = [account(), account(), account(), account()]
        yield* Effect.forEach([damaged, ...others], insert)
        yield* sql.unsafe(`update svc_service_accounts set ${damage} where token_hash = $1`, [damaged.token_hash])
        const found = yield* Effect.forEach([damaged, ...others], (one) => Effect.exit(find(one)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(found.slice(1), others.map((one) => Exit.succeed(one)))
        const page = { page: 1, limit: 1000 }
        const { accounts } = yield* store.list({ includeRevoked: true }, page, { by: "created_at", order: "asc" })
        assert.includeDeepMembers([...accounts], [...others])
        yield* sql`delete from svc_service_accounts`
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  )

  it.effect.each(["subject = '3'", "created_at = -1", "fingerprint = ''", "free_from = 'infinity'"])(
    "a damaged row of an idempotency key (%s) is never taken for a free key, and other keys can be claimed",
    (damage) =>
      Effect.gen(function*() {
        const keys = yield* IdempotencyStore
        const sql = yield* SqlClient.SqlClient
        const [damaged, other] = [claim(), claim()]
        yield* keys.claim(damaged)
        yield* sql.unsafe(`update svc_idempotency set ${damage} where key = $1`, [damaged.key])
        const again = yield* Effect.exit(keys.claim({ ...damaged, claim_id: newId("claim") }))
        if (Exit.isSuccess(again)) assert.strictEqual(again.value.claim_id, damaged.claim_id)
        assert.strictEqual((yield* keys.claim(other)).claim_id, other.claim_id)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  )
})
