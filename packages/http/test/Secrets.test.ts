// Secrets at rest are sealed with a key from the environment.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { isSealed, keysOf, Secrets } from "../src/calls/Secrets.ts"

const textOf = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const layerOf = (text: string) => Secrets.layerOf(Result.getOrThrow(keysOf(Redacted.make(text))))
const withKeys = <A, E>(text: string, effect: Effect.Effect<A, E, Secrets>) =>
  Effect.provide(effect, Layer.fresh(layerOf(text)))

const secret = Redacted.make("whsec_a secret")
const seal = Secrets.use((secrets) => secrets.seal("webhook:a", secret))
const open = (row: string, text: string) => Secrets.use((secrets) => secrets.open(row, text))

describe("Secrets at rest", () => {
  it.effect("A sealed secret shows nothing of it, and opens in its row only.", () =>
    Effect.gen(function*() {
      const sealed = yield* withKeys(textOf(1), seal)
      assert.isTrue(isSealed(sealed))
      assert.notInclude(Buffer.from(sealed.split(":").at(-1) ?? "", "base64url").toString("latin1"), "whsec")
      assert.notStrictEqual(yield* withKeys(textOf(1), seal), sealed)
      const opened = yield* withKeys(textOf(1), open("webhook:a", sealed))
      assert.strictEqual(Redacted.value(opened), Redacted.value(secret))
      const other = yield* Effect.flip(withKeys(textOf(1), open("webhook:b", sealed)))
      assert.match(other.message, /belongs to another row/)
    }))

  it.effect("A changed or cut secret does not open.", () =>
    Effect.gen(function*() {
      const sealed = yield* withKeys(textOf(1), seal)
      const last = sealed.endsWith("A") ? "B" : "A"
      const changed = [
        `${sealed.slice(0, -2)}${last}${sealed.at(-1)}`,
        sealed.slice(0, 60),
        "sealed:1:",
        "sealed:2:a:b"
      ]
      for (const text of changed) {
        const error = yield* Effect.flip(withKeys(textOf(1), open("webhook:a", text)))
        assert.strictEqual(error._tag, "SecretUnreadable", text)
      }
    }))

  it.effect("The first key seals and all keys open, so that a key can be replaced.", () =>
    Effect.gen(function*() {
      const before = yield* withKeys(textOf(1), seal)
      const both = `${textOf(2)}, ${textOf(1)}`
      assert.strictEqual(Redacted.value(yield* withKeys(both, open("webhook:a", before))), Redacted.value(secret))
      const after = yield* withKeys(both, seal)
      assert.strictEqual(Redacted.value(yield* withKeys(textOf(2), open("webhook:a", after))), Redacted.value(secret))
      assert.isTrue(yield* withKeys(both, Secrets.use((secrets) => Effect.succeed(secrets.isOld(before)))))
      assert.isFalse(yield* withKeys(both, Secrets.use((secrets) => Effect.succeed(secrets.isOld(after)))))
      const error = yield* Effect.flip(withKeys(textOf(2), open("webhook:a", before)))
      assert.match(error.message, /which SECRETS_KEY does not have/)
    }))

  it.effect("Without a key, secrets are stored as they are, and sealed ones do not open.", () =>
    Effect.gen(function*() {
      const sealed = yield* withKeys(textOf(1), seal)
      const secrets = yield* Secrets
      assert.strictEqual(yield* secrets.seal("webhook:a", secret), Redacted.value(secret))
      assert.strictEqual(Redacted.value(yield* secrets.open("webhook:a", "whsec_a secret")), Redacted.value(secret))
      assert.isFalse(secrets.isOld("whsec_a secret"))
      assert.match((yield* Effect.flip(secrets.open("webhook:a", sealed))).message, /SECRETS_KEY does not have/)
    }).pipe(Effect.provide(Secrets.layerNone)))

  it.effect("A text of a caller that looks like a sealed one is kept as it is, with and without a key.", () =>
    Effect.gen(function*() {
      for (const text of ["sealed:1:AAAAAAAAAAA:", "plain:a", "sealed:"]) {
        const kept = Redacted.make(text)
        const stored = Secrets.use(({ seal }) => seal("task-push:a", kept))
        const without = yield* Effect.provide(stored, Secrets.layerNone)
        assert.isFalse(isSealed(without))
        for (
          const [keys, at] of [["", without], [textOf(1), without], [textOf(1), yield* withKeys(textOf(1), stored)]]
        ) {
          const opened = Secrets.use(({ open }) => open("task-push:a", String(at)))
          const read = keys === ""
            ? Effect.provide(opened, Layer.fresh(Secrets.layerNone))
            : withKeys(String(keys), opened)
          assert.strictEqual(Redacted.value(yield* read), text)
        }
      }
    }))

  it("The message about a mistake in the keys does not have the keys.", () => {
    for (const text of ["", "abc", `${textOf(1)},`, `${textOf(1)},x${textOf(2)}`, textOf(1).slice(4)]) {
      const keys = keysOf(Redacted.make(text))
      assert.isTrue(Result.isFailure(keys), text)
      if (Result.isFailure(keys)) {
        assert.match(keys.failure, /^Key \d of SECRETS_KEY is not 32 bytes in base64\. Make one/)
      }
    }
    assert.deepStrictEqual(
      keysOf(Redacted.make(`${textOf(1)},${textOf(1)}`)),
      Result.fail("Key 2 of SECRETS_KEY is there twice.")
    )
  })
})
