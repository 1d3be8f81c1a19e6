// The methods of all stores of a database, for tests that have to call each of them.
import { assert } from "@effect/vitest"
import { OAuthStore, ServiceAccountStore } from "@svc-runtime/auth"
import * as Stores from "@svc-runtime/engine/database/Stores"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { Effect, Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlOAuthStore from "../src/SqlOAuthStore.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"

export const layer = Layer.mergeAll(
  SqlStores.layer,
  Layer.merge(SqlServiceAccountStore.layer, SqlOAuthStore.layer).pipe(Layer.provide(Migrations.layer))
)

/** It executes no statement. */
const withoutStatement = "memories.follow"

/** The methods with statements that `calls` leave out. The name of a call may say more behind a comma. */
export const missing = Effect.fnUntraced(function*(calls: Readonly<Record<string, unknown>>) {
  const context = yield* Effect.context<OAuthStore | ServiceAccountStore | Stores.StoreServices>()
  const services = { ...Stores.servicesIn(context), accounts: ServiceAccountStore, oauth: OAuthStore }
  const listed = new Set<string>(Object.values(services).map(({ key }) => key))
  const isStore = (key: string) => /^@svc-runtime\/.*Store$/.test(key)
  // a pattern that matches no key would find nothing
  assert.deepStrictEqual([...listed].filter((key) => !isStore(key)), [])
  const unlisted = [...context.mapUnsafe.keys()].filter((key) => isStore(key) && !listed.has(key))
  assert.deepStrictEqual(unlisted, [], "name these stores in stores.services of the record of their feature")
  const called = new Set(Object.keys(calls).map((name) => name.split(",")[0]))
  return Object.entries(services)
    .flatMap(([name, { key }]) => Object.keys(context.mapUnsafe.get(key)).map((method) => `${name}.${method}`))
    .filter((name) => !called.has(name) && name !== withoutStatement)
})
