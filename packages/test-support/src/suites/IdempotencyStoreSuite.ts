// What every `IdempotencyStore` has to do. Tests share the database: each uses keys of its own.
import { assert, layer } from "@effect/vitest"
import { type Claim, IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
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
  layer(stores, { excludeTestServices: true })(`IdempotencyStore, ${name}`, (it) => {
    it.effect("a key is claimed by the first caller, and later callers get that claim", () =>
      Effect.gen(function*() {
        const first = claim()
        assert.deepStrictEqual(yield* make(first), first)
        assert.deepStrictEqual(yield* make(claim({ key: first.key })), first)
        assert.deepStrictEqual(yield* make(claim({ key: first.key, fingerprint: "another" })), first)
        const other = claim()
        assert.deepStrictEqual(yield* make(other), other)
      }))

    it.effect("exactly one of many claims at the same moment wins", () =>
      Effect.gen(function*() {
        const { key } = claim()
        const wanted = Array.from({ length: 8 }, () => claim({ key }))
        const held = yield* Effect.forEach(wanted, make, { concurrency: "unbounded" })
        assert.strictEqual(new Set(held.map(({ claim_id }) => claim_id)).size, 1)
        assert.include(wanted.map(({ claim_id }) => claim_id), held[0]?.claim_id)
      }))

    it.effect("a key is free again when its time is over, and not before", () =>
      Effect.gen(function*() {
        const over = claim({ expires_at: start })
        yield* make(over)
        const next = claim({ key: over.key })
        assert.deepStrictEqual(yield* make(next), next)
        assert.deepStrictEqual(yield* make(claim({ key: over.key })), next)
      }))

    it.effect("a node whose clock is a day ahead or behind does not get a claimed key", () =>
      Effect.gen(function*() {
        const first = claim()
        yield* make(first)
        for (const day of [86_400, -86_400]) {
          const [created_at, expires_at] = [start + day, start + day + 60]
          assert.deepStrictEqual(yield* make(claim({ key: first.key, created_at, expires_at })), first)
          // each claim also removes what has expired
          yield* make(claim({ created_at, expires_at }))
        }
        assert.deepStrictEqual(yield* make(claim({ key: first.key })), first)
      }))

    it.effect("a key is free again when its owner releases the claim, and no other caller can release it", () =>
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
