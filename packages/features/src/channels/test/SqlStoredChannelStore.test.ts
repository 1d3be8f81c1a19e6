// Secrets and what belongs to a channel, in the database.
import { assert, layer } from "@effect/vitest"
import { keysOf, Secrets } from "@svc-runtime/http/calls/Secrets"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import * as SecretRows from "../../secrets/SecretRows.ts"
import { ChannelLinkStore } from "../ChannelLinkStore.ts"
import * as SqlChannelLinkStore from "../SqlChannelLinkStore.ts"
import * as SqlStoredChannelStore from "../SqlStoredChannelStore.ts"
import { rowOf } from "../StoredChannel.ts"
import { StoredChannelStore } from "../StoredChannelStore.ts"
import * as StoredChannelStoreSuite from "./StoredChannelStoreSuite.ts"

const stores = Layer.mergeAll(SqlStoredChannelStore.layer, SqlChannelLinkStore.layer).pipe(
  Layer.provide(Migrations.layer),
  Layer.provide(PgliteLayer.layer)
)

const keys = (...bytes: ReadonlyArray<number>) =>
  Secrets.layerOf(
    Result.getOrThrow(
      keysOf(Redacted.make(bytes.map((byte) => Buffer.alloc(32, byte).toString("base64")).join(",")))
    )
  )

layer(stores, { excludeTestServices: true })("The rows of a stored channel", (it) => {
  it.effect("the secrets of a channel are sealed again with a new key", () =>
    Effect.gen(function*() {
      const store = yield* StoredChannelStore
      const one = StoredChannelStoreSuite.channel()
      const secret = Redacted.make(`{"token":"xoxb"}`)
      const before = yield* Effect.provide(Secrets.use(({ seal }) => seal(rowOf(one.id), secret)), keys(1))
      yield* store.create({ ...one, secrets: before }, 10)
      yield* Effect.provide(SecretRows.reseal(store), Layer.fresh(keys(2, 1)))
      const after = Option.getOrThrow(yield* store.find(one.id))
      assert.notStrictEqual(after.secrets, before)
      assert.strictEqual(after.revision, one.revision)
      const opened = yield* Effect.provide(
        Secrets.use(({ open }) => open(rowOf(one.id), after.secrets)),
        Layer.fresh(keys(2))
      )
      assert.strictEqual(Redacted.value(opened), Redacted.value(secret))
    }))

  it.effect("the accounts that are linked there end with it, and when it can be another bot", () =>
    Effect.gen(function*() {
      const [store, links] = [yield* StoredChannelStore, yield* ChannelLinkStore]
      const made = Array.from({ length: 3 }, () => StoredChannelStoreSuite.channel())
      const [gone = made[0]!, other = made[0]!, kept = made[0]!] = made
      const user_id = userId()
      for (const stored of made) {
        const channel = stored.id
        yield* store.create(stored, 10)
        yield* links.putCode({ channel, sender: "U1", name: null, hash: channel, expires_at: 9 }, 1)
        yield* links.link(channel, { id: `link-${channel}`, user_id, scopes: [], created_at: 1 })
      }
      yield* store.remove(gone.id)
      yield* store.replace({ ...other, revision: "2" }, other.revision, true)
      yield* store.replace({ ...kept, revision: "2" }, kept.revision, false)
      // it is not replaced
      yield* store.replace({ ...kept, revision: "3" }, "0", true)
      const linked = yield* Effect.forEach(made, ({ id }) => Effect.map(links.find(id, "U1"), Option.isSome))
      assert.deepStrictEqual(linked, [false, false, true])
    }))
})
