// What every `DeclarationStore` has to do.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import type { Stored } from "../Declaration.ts"
import { DeclarationStore, enoughLooks } from "../DeclarationStore.ts"

const nightly: Stored = { kind: "schedule", name: "nightly", id: "s-1", hash: "a" }

/** Each test has a store of its own: there is one set of declarations in a database. */
export const suite = <E>(name: string, stores: Layer.Layer<DeclarationStore, E>) => {
  const own = (title: string, test: Effect.Effect<void, unknown, DeclarationStore>) =>
    layer(stores, { excludeTestServices: true })(`DeclarationStore, ${name}`, (it) => {
      it.effect(title, () => test)
    })

  own(
    "what is declared is stored by its kind and name, and only what is declared now has an id that handlers see",
    Effect.gen(function*() {
      const store = yield* DeclarationStore
      yield* store.put(nightly)
      yield* store.put({ ...nightly, kind: "webhook", id: "w-1" })
      yield* store.put({ ...nightly, hash: "b", id: "s-2" })
      assert.deepStrictEqual(yield* store.all, [
        { ...nightly, hash: "b", id: "s-2" },
        { ...nightly, kind: "webhook", id: "w-1" }
      ])
      assert.deepStrictEqual([...yield* store.ids("schedule")], ["s-2"])
      yield* store.put({ ...nightly, id: "s-2", hash: null })
      assert.strictEqual((yield* store.ids("schedule")).size, 0)
      yield* store.remove(nightly)
      assert.deepStrictEqual((yield* store.all).map(({ kind }) => kind), ["webhook"])
    })
  )

  own(
    "the newest declarations of the nodes that live are in force, and they are as new as their first node",
    Effect.gen(function*() {
      const { applied, declare, isUsed, leave } = yield* DeclarationStore
      const says = (node: string, hash: string) => declare({ node, hash, isAlone: false })
      assert.isFalse(yield* isUsed)
      assert.deepStrictEqual(yield* says("one", "v1"), { isNewest: true, isApplied: false })
      assert.isTrue(yield* isUsed)
      yield* applied("v1")
      assert.deepStrictEqual(yield* says("one", "v1"), { isNewest: true, isApplied: true })
      assert.deepStrictEqual(yield* says("two", "v2"), { isNewest: true, isApplied: false })
      yield* applied("v2")
      // a node of the former version starts again during the deployment
      assert.deepStrictEqual(yield* says("three", "v1"), { isNewest: false, isApplied: false })
      assert.deepStrictEqual(yield* says("two", "v2"), { isNewest: true, isApplied: true })
      // the new version is taken back
      yield* leave("two")
      assert.deepStrictEqual(yield* says("three", "v1"), { isNewest: true, isApplied: false })
    })
  )

  own(
    "a silent node counts, until a node that has started since has looked for it several times",
    Effect.gen(function*() {
      const { declare } = yield* DeclarationStore
      const looks = (node: string, hash: string, times: number) =>
        Effect.map(
          Effect.replicateEffect(declare({ node, hash, isAlone: false }), times),
          (all) => all.map(({ isNewest }) => isNewest)
        )
      yield* looks("old", "v1", 1)
      yield* looks("new", "v2", 1)
      assert.notInclude(yield* looks("old", "v1", 20), true)
      const later = yield* looks("later", "v1", enoughLooks)
      assert.deepStrictEqual(later, [...Array.from({ length: enoughLooks - 1 }, () => false), true])
      assert.deepStrictEqual(yield* looks("new", "v2", 1), [true])
    })
  )

  own(
    "what is put and removed exclusively is as before if it fails",
    Effect.gen(function*() {
      const { all, applied, declare, exclusively, put, remove } = yield* DeclarationStore
      yield* put(nightly)
      yield* declare({ node: "one", hash: "v1", isAlone: true })
      const failing = Effect.gen(function*() {
        yield* put({ ...nightly, kind: "webhook" })
        yield* remove(nightly)
        yield* applied("v1")
        return yield* Effect.fail("No")
      })
      yield* Effect.flip(exclusively(failing))
      assert.deepStrictEqual(yield* all, [nightly])
      assert.isFalse((yield* declare({ node: "one", hash: "v1", isAlone: true })).isApplied)
    })
  )

  own(
    "for a node that is alone, no other node counts",
    Effect.gen(function*() {
      const { declare } = yield* DeclarationStore
      yield* declare({ node: "one", hash: "v1", isAlone: true })
      yield* declare({ node: "two", hash: "v2", isAlone: true })
      assert.deepStrictEqual(yield* declare({ node: "one", hash: "v1", isAlone: true }), {
        isNewest: true,
        isApplied: false
      })
    })
  )

  own(
    "what is executed exclusively waits for what was begun before",
    Effect.gen(function*() {
      const { exclusively } = yield* DeclarationStore
      const order: Array<string> = []
      const [isBegun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* Effect.forkChild(exclusively(Effect.gen(function*() {
        yield* Deferred.succeed(isBegun, undefined)
        yield* Deferred.await(mayEnd)
        order.push("first")
      })))
      yield* Deferred.await(isBegun)
      const second = yield* Effect.forkChild(exclusively(Effect.sync(() => order.push("second"))))
      yield* Effect.yieldNow
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(order, ["first", "second"])
    })
  )
}
