// Verification of tokens with real keys and real signatures.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { generateKeyPairSync } from "node:crypto"
import * as Jwt from "../src/Jwt.ts"
import { jwt } from "./Settings.ts"

Tier.oneIn(2)

const now = 1_795_223_413
const secret = "a secret that is long enough for HS256"

const verdict = (verify: (token: Redacted.Redacted) => Effect.Effect<unknown, { readonly message: string }>) =>
(
  token: string
) =>
  verify(Redacted.make(token)).pipe(
    Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "accepted" })
  )

const atNow = TestClock.setTime(now * 1000)

describe("a signature", () => {
  it.effect.each(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"] as const)(
    "a signature of %s is checked with the public key of its algorithm, and with no other",
    (algorithm) =>
      Effect.gen(function*() {
        yield* atNow
        const [mine, other] = [yield* Tokens.issuer(algorithm), yield* Tokens.issuer(algorithm)]
        const check = verdict(yield* Jwt.make(jwt({ keys: [mine.publicPem], algorithm })))
        assert.strictEqual(yield* check(yield* mine.sign({ sub: "ann" })), "accepted")
        assert.strictEqual(yield* check(yield* other.sign({ sub: "ann" })), "Invalid token: its signature does not fit")
      })
  )

  it.effect.each([["HS256", 32], ["HS384", 48], ["HS512", 64]] as const)(
    "a signature of %s is checked with the shared secret",
    ([algorithm, bytes]) =>
      Effect.gen(function*() {
        yield* atNow
        const shared = "s".repeat(bytes)
        const check = verdict(yield* Jwt.make(jwt({ keys: [shared], algorithm })))
        assert.strictEqual(yield* check(yield* Tokens.signWithSecret({ sub: "ann" }, shared, algorithm)), "accepted")
        assert.strictEqual(
          yield* check(yield* Tokens.signWithSecret({ sub: "ann" }, "x".repeat(bytes), algorithm)),
          "Invalid token: its signature does not fit"
        )
      })
  )

  it.effect("several keys are tried in their order, and any of them accepts", () =>
    Effect.gen(function*() {
      yield* atNow
      const [first, second, third] = [yield* Tokens.issuer(), yield* Tokens.issuer(), yield* Tokens.issuer()]
      const check = verdict(yield* Jwt.make(jwt({ keys: [first.publicPem, second.publicPem] })))
      assert.strictEqual(yield* check(yield* first.sign({})), "accepted")
      assert.strictEqual(yield* check(yield* second.sign({})), "accepted")
      assert.strictEqual(yield* check(yield* third.sign({})), "Invalid token: its signature does not fit")
      assert.strictEqual(yield* check(yield* second.sign({ exp: now - 60 })), "Token has expired")
    }))
})

describe("the algorithm is the service's choice, never the token's", () => {
  const wrong = "Invalid token: it is not signed with RS256"

  it.effect("the algorithm none is refused, in any spelling, with or without a signature", () =>
    Effect.gen(function*() {
      yield* atNow
      const mine = yield* Tokens.issuer()
      const check = verdict(yield* Jwt.make(jwt({ keys: [mine.publicPem] })))
      for (const alg of ["none", "None", "NONE", "nOnE", ""]) {
        assert.strictEqual(yield* check(Tokens.forge({ alg }, { sub: "ann" })), wrong, alg)
        assert.strictEqual(yield* check(Tokens.forge({ alg }, { sub: "ann" }, "c2ln")), wrong, alg)
      }
    }))

  it.effect("HS256 with the public key as the secret is refused", () =>
    Effect.gen(function*() {
      yield* atNow
      const mine = yield* Tokens.issuer()
      const check = verdict(yield* Jwt.make(jwt({ keys: [mine.publicPem] })))
      for (const text of [mine.publicPem, mine.publicPem.trim(), JSON.stringify(mine.publicJwk)]) {
        assert.strictEqual(yield* check(yield* Tokens.signWithSecret({ sub: "ann" }, text)), wrong)
      }
    }))

  it.effect("another algorithm of the same key is refused", () =>
    Effect.gen(function*() {
      yield* atNow
      const other = yield* Tokens.issuer("RS512")
      const check = verdict(yield* Jwt.make(jwt({ keys: [other.publicPem] })))
      assert.strictEqual(yield* check(yield* other.sign({ sub: "ann" })), wrong)
    }))

  it.effect("a key inside a token is ignored", () =>
    Effect.gen(function*() {
      yield* atNow
      const [mine, thief] = [yield* Tokens.issuer(), yield* Tokens.issuer()]
      const check = verdict(yield* Jwt.make(jwt({ keys: [mine.publicPem] })))
      const headers = [{ jwk: thief.publicJwk }, { jku: "http://127.0.0.1:9/keys" }, { x5u: "http://127.0.0.1:9/cert" }]
      for (const header of headers) {
        assert.strictEqual(
          yield* check(yield* thief.sign({ sub: "ann" }, header)),
          "Invalid token: its signature does not fit"
        )
      }
    }))
})

describe("what is no token", () => {
  it.effect("an invalid token is refused as invalid, whatever its bytes", () =>
    Effect.gen(function*() {
      yield* atNow
      const mine = yield* Tokens.issuer()
      const check = verdict(yield* Jwt.make(jwt({ keys: [mine.publicPem] })))
      const good = yield* mine.sign({ sub: "ann" })
      const [header, payload, signature] = good.split(".")
      const malformed = [
        "x",
        ".",
        "..",
        "...",
        "a.b.c",
        `${header}.${payload}`,
        `${good}.x`,
        `${good}.x.y`,
        `${header}..${signature}`,
        `${header}.${payload}.`,
        `{}.${payload}.${signature}`,
        `${Buffer.from("[]").toString("base64url")}.${payload}.${signature}`,
        `${Buffer.from("null").toString("base64url")}.${payload}.${signature}`,
        "\u0000",
        "💥.💥.💥",
        "A".repeat(100_000)
      ]
      for (const token of malformed) {
        const refusal = yield* check(token)
        assert.match(
          refusal,
          /^Invalid token: (it is not a JSON Web Token|it is not signed with RS256|its signature does not fit)$/
        )
      }
    }))

  it.effect("a payload that is no object is refused although it is signed", () =>
    Effect.gen(function*() {
      yield* atNow
      const check = verdict(yield* Jwt.make(jwt({ keys: [secret], algorithm: "HS256" })))
      for (const payload of ["[]", "null", "1", "\"ann\"", "{", ""]) {
        const token = yield* Tokens.signRaw(payload, secret)
        assert.strictEqual(yield* check(token), "Invalid token: it is not a JSON Web Token", payload)
      }
    }))

  it.effect("claims that are nested to break their readers are refused", () =>
    Effect.gen(function*() {
      yield* atNow
      const check = verdict(yield* Jwt.make(jwt({ keys: [secret], algorithm: "HS256" })))
      const deep = `{"sub":"ann","x":${"[".repeat(5000)}${"]".repeat(5000)}}`
      assert.strictEqual(
        yield* check(yield* Tokens.signRaw(deep, secret)),
        "Invalid token: its claims are nested too deep"
      )
    }))
})

describe("a token that was seen before", () => {
  it.effect("a token that was seen before gives the same claims, and expires at its time", () =>
    Effect.gen(function*() {
      yield* atNow
      const mine = yield* Tokens.issuer()
      const verify = yield* Jwt.make(jwt({ keys: [mine.publicPem] }))
      const token = Redacted.make(yield* mine.sign({ sub: "ann", exp: now + 60 }))
      const first = yield* verify(token)
      assert.strictEqual(yield* verify(token), first)
      yield* TestClock.adjust("69 seconds")
      assert.strictEqual(yield* verify(token), first)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* verdict(verify)(Redacted.value(token)), "Token has expired")
    }))

  it.effect("a cached token is not mistaken for another one with the same prefix", () =>
    Effect.gen(function*() {
      yield* atNow
      const mine = yield* Tokens.issuer()
      const check = verdict(yield* Jwt.make(jwt({ keys: [mine.publicPem] })))
      const token = yield* mine.sign({ sub: "ann" })
      assert.strictEqual(yield* check(token), "accepted")
      const flipped = token.slice(0, -10) + (token.at(-10) === "A" ? "B" : "A") + token.slice(-9)
      assert.strictEqual(yield* check(flipped), "Invalid token: its signature does not fit")
    }))
})

describe("a key that cannot be used stops the start and is not shown", () => {
  const problem = (settings: Parameters<typeof jwt>[0]) =>
    Jwt.make(jwt(settings)).pipe(Effect.flip, Effect.map(({ message }) => message))

  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ type: "spki", format: "pem" })
  const curve = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey.export({ type: "spki", format: "pem" })

  it.effect.each<readonly [rule: string, Parameters<typeof jwt>[0], RegExp]>([
    ["no key at all", {}, /No key to check tokens with: set JWT_VERIFICATION_KEY/],
    [
      "text that is no key",
      { keys: ["hunter2"] },
      /JWT_VERIFICATION_KEY cannot be used: RS256 takes a public key in PEM/
    ],
    ["a key cut short", { keys: [String(weak).slice(0, 80)] }, /does not parse/],
    ["a key of another kind", { keys: [String(curve)] }, /takes a key of type rsa, and this one is ec/],
    ["a key on another curve", { keys: [String(curve)], algorithm: "ES256" }, /on the curve prime256v1/],
    ["a key that is too short", { keys: [String(weak)] }, /1024 bits/],
    ["a secret that is too short", { keys: ["hunter2"], algorithm: "HS256" }, /at least 32 bytes, and this one has 7/],
    ["a public key for a secret", { keys: [String(curve)], algorithm: "HS256" }, /takes a shared secret/]
  ])("an unusable key stops the start: %s", ([, settings, expected]) =>
    Effect.gen(function*() {
      const message = yield* problem(settings)
      assert.match(message, expected)
      for (const key of settings.keys ?? []) assert.notInclude(message, key.slice(0, 60))
    }))

  it.effect("a key whose line breaks were escaped is read", () =>
    Effect.gen(function*() {
      yield* atNow
      const mine = yield* Tokens.issuer()
      const check = verdict(yield* Jwt.make(jwt({ keys: [mine.publicPem.trim().replaceAll("\n", "\\n")] })))
      assert.strictEqual(yield* check(yield* mine.sign({})), "accepted")
    }))
})
