// What only several nodes on one database can show.
import { assert, it } from "@effect/vitest"
import { Roles, ServiceAccounts } from "@svc-runtime/auth"
import * as Principal from "@svc-runtime/domain/Principal"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Context, Effect, Layer, Logger, type Redacted } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as Postgres from "../src/Postgres.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"

const stores = SqlServiceAccountStore.layer.pipe(Layer.provide(Migrations.layer))

/** Everything of its own, connections too, but for the database. */
const node = Effect.fnUntraced(function*(url: Redacted.Redacted) {
  const layer = ServiceAccounts.layer({ adminScope: "platform:admin", cacheSeconds: 0 }).pipe(
    Layer.provide([stores, Roles.layer({ adminScope: "platform:admin" })]),
    Layer.provide(Postgres.layer({ url }))
  )
  return Context.get(yield* Layer.build(Layer.fresh(layer)), ServiceAccounts)
})

it.live(
  "a token that one node revokes is refused by the next request on another one",
  () =>
    Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const [here, there] = [yield* node(url), yield* node(url)]
      const { account, token } = yield* here.mint(Principal.securityKey, { name: "bot" })
      for (const one of [here, there]) {
        assert.strictEqual((yield* one.authenticate(token, undefined)).user_id, "sa:bot")
      }
      yield* here.revoke(Principal.securityKey, account.id)
      for (const one of [there, here]) {
        assert.strictEqual((yield* Effect.flip(one.authenticate(token, undefined)))._tag, "InvalidAccountToken")
      }
    }).pipe(Effect.provide(Logger.layer([])))
)
