// On PostgreSQL the suite, and what only several nodes on one database can show.
import { assert, it } from "@effect/vitest"
import { ServiceAccounts } from "@svc/auth"
import { Principal } from "@svc/domain"
import * as Migrations from "@svc/storage/Migrations"
import * as SqlServiceAccountStore from "@svc/storage/SqlServiceAccountStore"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as ServiceAccountStoreSuite from "@svc/testing/suites/ServiceAccountStoreSuite"
import { Context, Effect, Layer } from "effect"

const stores = SqlServiceAccountStore.layer.pipe(Layer.provide(Migrations.layer))

ServiceAccountStoreSuite.suite("on PostgreSQL", stores.pipe(Layer.provide(PostgresLayer.layer)))

/** Its own store, its own memory; the database is the other's too. */
const node = Layer.build(
  Layer.fresh(ServiceAccounts.layer({ adminScope: "platform:admin", cacheSeconds: 0 })).pipe(
    Layer.provide(Layer.fresh(stores))
  )
).pipe(Effect.map((context) => Context.get(context, ServiceAccounts)))

it.effect(
  "A token that one node revokes is refused by the next request on another one",
  () =>
    Effect.gen(function*() {
      const [here, there] = [yield* node, yield* node]
      const { account, token } = yield* here.mint(Principal.securityKey, { name: "bot" })
      assert.strictEqual((yield* there.authenticate(token, undefined)).user_id, "sa:bot")
      yield* here.revoke(Principal.securityKey, account.id)
      assert.strictEqual((yield* Effect.flip(there.authenticate(token, undefined)))._tag, "InvalidAccountToken")
      assert.strictEqual((yield* Effect.flip(here.authenticate(token, undefined)))._tag, "InvalidAccountToken")
    }).pipe(Effect.provide(PostgresLayer.layer)),
  60_000
)
