// What every `ChannelLinkStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import { ChannelLinkStore } from "../ChannelLinkStore.ts"

const made = Effect.gen(function*() {
  const store = yield* ChannelLinkStore
  const channel = newId("channel")
  const [ann, bob] = [Ids.UserId.make(newId("ann")), Ids.UserId.make(newId("bob"))]
  const give = Effect.fnUntraced(function*(sender: string, expires_at = 1600) {
    const hash = newId("hash")
    yield* store.putCode({ channel, sender, name: `Name of ${sender}`, hash, expires_at }, 1000)
    return hash
  })
  const link = (hash: string, user_id: Ids.UserId, created_at = 1100) =>
    store.link(hash, { id: newId("link"), user_id, scopes: ["role:support"], created_at })
  const linked = Effect.fnUntraced(function*(sender: string, user_id: Ids.UserId) {
    return Option.getOrThrow(yield* link(yield* give(sender), user_id))
  })
  return { ann, bob, channel, give, link, linked, store }
})

const page = { page: 1, limit: 10 }

export const suite = <E>(name: string, stores: Layer.Layer<ChannelLinkStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ChannelLinkStore, ${name}`, (it) => {
    it.effect("a code says whose it is until it expires, and is used once", () =>
      Effect.gen(function*() {
        const { ann, channel, give, link, store } = yield* made
        const hash = yield* give("U1")
        const of = { channel, sender: "U1", name: "Name of U1" }
        assert.deepStrictEqual(yield* store.whose(hash, 1599), Option.some(of))
        assert.isTrue(Option.isNone(yield* store.whose(hash, 1600)))
        assert.isTrue(Option.isNone(yield* link(hash, ann, 1600)))
        const linked = Option.getOrThrow(yield* link(hash, ann))
        assert.deepInclude(linked, { ...of, user_id: ann, scopes: ["role:support"], created_at: 1100 })
        assert.isTrue(Option.isNone(yield* link(hash, ann)))
        assert.isTrue(Option.isNone(yield* store.whose(hash, 1100)))
        assert.deepStrictEqual(yield* store.find(channel, "U1"), Option.some(linked))
      }))

    it.effect("a new code of a person replaces the one before", () =>
      Effect.gen(function*() {
        const { give, store } = yield* made
        const [first, second] = [yield* give("U1"), yield* give("U1")]
        assert.isTrue(Option.isNone(yield* store.whose(first, 1100)))
        assert.isTrue(Option.isSome(yield* store.whose(second, 1100)))
      }))

    it.effect("a person has one link on a channel, and a user can have several", () =>
      Effect.gen(function*() {
        const { ann, bob, channel, linked, store } = yield* made
        yield* linked("U1", bob)
        const first = yield* linked("U1", ann)
        const second = yield* linked("U2", ann)
        assert.deepStrictEqual(yield* store.find(channel, "U1"), Option.some(first))
        assert.deepStrictEqual(yield* store.list(Owner.user(ann), page), { links: [second, first], total: 2 })
        assert.deepStrictEqual(yield* store.list(Owner.user(ann), { page: 2, limit: 1 }), { links: [first], total: 2 })
        assert.deepStrictEqual(yield* store.list(Owner.user(bob), page), { links: [], total: 0 })
        assert.deepStrictEqual(yield* store.ofUser(channel, ann), Option.some(second))
        assert.isTrue(Option.isNone(yield* store.ofUser(channel, bob)))
        assert.isTrue(Option.isNone(yield* store.ofUser(newId("channel"), ann)))
      }))

    it.effect("a link is removed by who owns it, and all of a user together", () =>
      Effect.gen(function*() {
        const { ann, bob, channel, linked, store } = yield* made
        const [first, second] = [yield* linked("U1", ann), yield* linked("U2", ann)]
        const other = yield* linked("U3", bob)
        assert.isFalse(yield* store.remove(first.id, Owner.user(bob)))
        assert.isTrue(yield* store.remove(first.id, Owner.user(ann)))
        assert.isTrue(Option.isNone(yield* store.find(channel, "U1")))
        assert.strictEqual(yield* store.removeOf(ann), 1)
        assert.isTrue(Option.isNone(yield* store.find(channel, second.sender)))
        assert.isTrue(yield* store.remove(other.id, Owner.anyone))
      }))
  })
