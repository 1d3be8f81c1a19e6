// What every `IdempotencyStore` has to do. Tests share the database: each uses keys of its own.
import { assert, layer } from "@effect/vitest"
import { type Claim, IdempotencyStore } from "@svc/runtime"
import { Effect, type Layer } from "effect"
import { newId } from "./Samples.ts"

const start = 1_700_000_000

const claim = (fields: Partial<Claim> = {}): Claim => ({
  key: newId("key"),
  claim_id: newId("claim"),
  fingerprint: "print",
  subject: { run_id: newId("run"), odd: ["\u0000", "ü", { a: null }] },
  created_at: start,
  expires_at: start + 60,
  ...fields
})

const release = (held: Claim) => IdempotencyStore.use((store) => store.release(held))
const make = (wanted: Claim) => IdempotencyStore.use((store) => store.claim(wanted))

export const suite = <E>(name: string, stores: Layer.Layer<IdempotencyStore, E>) =>
  layer(stores, { excludeTestServices: true, timeout: 60_000 })(`IdempotencyStore, ${name}`, (it) => {
    it.effect("gives a claim to the first who makes it, and that one to all who come after", () =>
      Effect.gen(function*() {
        const first = claim()
        assert.deepStrictEqual(yield* make(first), first)
        assert.deepStrictEqual(yield* make(claim({ key: first.key })), first)
        assert.deepStrictEqual(yield* make(claim({ key: first.key, fingerprint: "another" })), first)
        const other = claim()
        assert.deepStrictEqual(yield* make(other), other)
      }))

    it.effect("decides among many who come at once", () =>
      Effect.gen(function*() {
        const { key } = claim()
        const wanted = Array.from({ length: 8 }, () => claim({ key }))
        const held = yield* Effect.forEach(wanted, make, { concurrency: "unbounded" })
        assert.strictEqual(new Set(held.map(({ claim_id }) => claim_id)).size, 1)
        assert.include(wanted.map(({ claim_id }) => claim_id), held[0]?.claim_id)
      }))

    it.effect("gives a key away again when its time is over, and not before", () =>
      Effect.gen(function*() {
        const first = claim()
        yield* make(first)
        const early = claim({ key: first.key, created_at: start + 59, expires_at: start + 119 })
        assert.deepStrictEqual(yield* make(early), first)
        const late = claim({ key: first.key, created_at: start + 60, expires_at: start + 120 })
        assert.deepStrictEqual(yield* make(late), late)
        assert.deepStrictEqual(yield* make({ ...early, created_at: start + 61 }), late)
      }))

    it.effect("gives a key away again when its claim is released, by whoever holds it and nobody else", () =>
      Effect.gen(function*() {
        const first = claim()
        yield* make(first)
        yield* release(claim({ key: first.key }))
        assert.deepStrictEqual(yield* make(claim({ key: first.key })), first)
        yield* release(first)
        yield* release(first)
        const second = claim({ key: first.key })
        assert.deepStrictEqual(yield* make(second), second)
        yield* release(first)
        assert.deepStrictEqual(yield* make(first), second)
      }))
  })
