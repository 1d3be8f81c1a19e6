// Stored channels as they are served: made once for each revision.
import { assert, it } from "@effect/vitest"
import { keysOf, Secrets } from "@svc-runtime/http/calls/Secrets"
import { Effect, Fiber, Layer, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStoredChannelStore from "../MemoryStoredChannelStore.ts"
import * as StoredChannels from "../StoredChannels.ts"
import { StoredChannelStore } from "../StoredChannelStore.ts"
import { channel } from "./StoredChannelStoreSuite.ts"

const keys = Result.getOrThrow(keysOf(Redacted.make(Buffer.alloc(32, 1).toString("base64"))))
const services = Layer.merge(MemoryStoredChannelStore.layer, Secrets.layerOf(keys))

const making = Effect.gen(function*() {
  const [store, secrets] = [yield* StoredChannelStore, yield* Secrets]
  const given = { token: Redacted.make("xoxb-0123456789"), signing_secret: Redacted.make("a".repeat(32)) }
  const one = channel({ settings: {} })
  const sealed = { ...one, secrets: yield* StoredChannels.sealed(secrets, one.id, given) }
  yield* store.create(sealed, 10)
  let made = 0
  const live = yield* StoredChannels.make((served, stored) => ({ ...served, stored, number: ++made }))
  return { live, sealed, store }
})

it.effect("A channel is made once, and again when it has changed.", () =>
  Effect.gen(function*() {
    const { live, sealed, store } = yield* making
    const numberOf = Effect.map(live.find(sealed.id), (found) => Option.getOrUndefined(found)?.number)
    assert.strictEqual(yield* numberOf, 1)
    assert.deepStrictEqual((yield* live.all).map(({ adapter, number }) => [adapter.platform, number]), [["slack", 1]])
    yield* store.replace({ ...sealed, revision: "2" }, "1", false)
    assert.strictEqual(yield* numberOf, 2)
    yield* store.remove(sealed.id)
    assert.isUndefined(yield* numberOf)
  }).pipe(Effect.provide(Layer.fresh(services))))

it.effect("What waits for a change of a channel learns of it within seconds, and of its end.", () =>
  Effect.gen(function*() {
    const { live, sealed, store } = yield* making
    const changes = [
      store.replace({ ...sealed, revision: "2" }, "1", false),
      store.remove(sealed.id)
    ]
    for (const change of changes) {
      const [one] = yield* live.all
      const waiting = yield* Effect.forkChild(live.changed(one!))
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(waiting.pollUnsafe())
      yield* change
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(waiting)
    }
  }).pipe(Effect.provide(Layer.fresh(services))))

it.effect("Secrets that were sealed for another channel make a channel that cannot be used, and no other one.", () =>
  Effect.gen(function*() {
    const { live, sealed, store } = yield* making
    yield* store.create(channel({ id: "copied", secrets: sealed.secrets, settings: {} }), 10)
    const all = yield* live.all
    const tested = yield* Effect.forEach(all, ({ adapter, id }) =>
      Effect.promise(async () => {
        const context = { signal: new AbortController().signal, fetch: () => Promise.reject(new Error("no network")) }
        const error: unknown = await adapter.test(context).catch((error: unknown) => error)
        return [id, String(error).includes("belongs to another row")]
      }))
    assert.deepStrictEqual(Object.fromEntries(tested), { copied: true, [sealed.id]: false })
  }).pipe(Effect.provide(Layer.fresh(services))))
