// Any text as a token gives a principal or a refusal without key details: never a defect, and never a principal without
// a valid signature.
import { assert, describe, it } from "@effect/vitest"
import type * as Principal from "@svc-runtime/domain/Principal"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Context, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Authenticator } from "../src/Authenticator.ts"
import { Roles } from "../src/Roles.ts"
import { ServiceAccounts } from "../src/ServiceAccounts.ts"
import { TokenVerifier } from "../src/TokenVerifier.ts"
import { closed, jwt } from "./Settings.ts"

const now = 1_795_223_413
const secret = "a secret that is long enough for HS256"

const build = Effect.fnUntraced(function*(fields: Parameters<typeof jwt>[0]) {
  yield* TestClock.setTime(now * 1000)
  const settings = closed({ jwt: jwt(fields) })
  const layer = Authenticator.layer(settings).pipe(
    Layer.provide(TokenVerifier.layerJwt(settings.jwt)),
    Layer.provide(ServiceAccounts.layer({ adminScope: settings.adminScope, cacheSeconds: 0 })),
    Layer.provide(Roles.layer(settings)),
    Layer.provide(Layer.fresh(InMemory.ServiceAccountStore))
  )
  const { authenticate } = Context.get(yield* Layer.build(layer), Authenticator)
  return (token: string) => Effect.result(authenticate(Redacted.make(token), "10.0.0.1"))
})

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.= \u0000é💥{}[]\",:"

const mutations = (random: () => number) => {
  const below = (n: number) => Math.floor(random() * n)
  const letter = () => [...alphabet][below([...alphabet].length)] ?? ""
  const word = (length: number) => Array.from({ length }, letter).join("")
  const part = (token: string, change: (part: string) => string) => {
    const parts = token.split(".")
    const at = below(parts.length)
    return parts.map((text, index) => index === at ? change(text) : text).join(".")
  }
  const recode = (text: string) => {
    const bytes = Buffer.from(text, "base64url")
    if (bytes.length > 0) bytes[below(bytes.length)]! ^= 1 << below(8)
    return bytes.toString("base64url")
  }
  const changes: ReadonlyArray<(token: string) => string> = [
    () => word(below(200)),
    (token) => token.slice(0, below(token.length)),
    (token) => token.slice(below(token.length)),
    (token) => part(token, recode),
    (token) => part(token, () => ""),
    (token) => part(token, () => word(below(40))),
    (token) => part(token, (text) => text + word(1 + below(3))),
    (token) => token.split(".").toReversed().join("."),
    (token) => `${token}.${word(3)}`,
    (token) => `svc_pat_${token}`,
    (token) => token.replace(/^[^.]*/, Buffer.from(JSON.stringify({ alg: word(5) })).toString("base64url")),
    (token) =>
      token.replace(/^[^.]*/, Buffer.from(`{"alg":"RS256","kid":${JSON.stringify(word(9))}}`).toString("base64url")),
    (token) =>
      token.replace(/^[^.]*/, Buffer.from("{\"alg\":\"RS256\",\"crit\":[\"b64\"],\"b64\":false}").toString("base64url"))
  ]
  return (token: string) => (changes[below(changes.length)] as (token: string) => string)(token)
}

describe("random and mutated tokens", () => {
  it.effect.each(["RS256", "ES256"] as const)(
    "%s: a mutated token is never accepted with other claims",
    (algorithm) =>
      Effect.gen(function*() {
        const issuer = yield* Tokens.issuer(algorithm)
        const check = yield* build({ keys: [issuer.publicPem], algorithm })
        const good = yield* issuer.sign({ sub: "ann", scopes: ["agents:run"], exp: now + 3600 })
        assert.strictEqual((yield* check(good))._tag, "Success")
        const mutate = mutations(Seed.random(algorithm))
        const key = issuer.publicPem.replace(/-----[^-]*-----|\s/g, "")
        let accepted = 0
        for (let n = 0; n < Tier.size(500, 5_000); n++) {
          const token = mutate(good)
          const result = yield* check(token)
          if (result._tag === "Success") {
            // the last letters of base64 may say the same in other words: then the bytes are the same, and so is the
            // token
            const bytes = (text: string) =>
              text.split(".").map((part) => Buffer.from(part, "base64url").toString("hex"))
            assert.deepStrictEqual(bytes(token), bytes(good), token)
            accepted++
            continue
          }
          assert.oneOf(result.failure._tag, ["TokenRejected", "InvalidAccountToken", "TooManyAttempts"], token)
          assert.isBelow(result.failure.message.length, 120)
          assert.notInclude(result.failure.message, key.slice(0, 20))
        }
        assert.isBelow(accepted, 50)
      })
  )

  it.effect("claims of any kind are refused, or give a principal that holds no more than texts", () =>
    Effect.gen(function*() {
      const check = yield* build({ keys: [secret], algorithm: "HS256" })
      const values = [
        "null",
        "0",
        "-1",
        "1e999",
        "\"\"",
        "\"sa:x\"",
        "[]",
        "{}",
        "[[[]]]",
        "true",
        "\"\\u0000\"",
        `"${"x".repeat(2000)}"`
      ]
      const claims = ["sub", "scopes", "exp", "nbf", "iat", "aud", "session_id", "iss", "jti", "__proto__"]
      for (const claim of claims) {
        for (const value of values) {
          const result = yield* check(yield* Tokens.signRaw(`{"${claim}":${value}}`, secret))
          if (result._tag === "Failure") {
            assert.strictEqual(result.failure._tag, "TokenRejected")
            continue
          }
          const principal: Principal.Principal = result.success
          assert.isFalse(principal.grants?.isAdmin)
          assert.isTrue(principal.isIsolated)
          assert.isTrue(principal.user_id === undefined || typeof principal.user_id === "string")
        }
      }
    }))
})

describe("any other verifier", () => {
  it.effect.each(
    [
      ["the one for tests", TokenVerifier.layerTest({ t1: { sub: "ann", scopes: ["agents:run"] } }), "ann"],
      ["none at all", TokenVerifier.layerDisabled, undefined]
    ] as const
  )("another verifier replaces JWTs: %s", ([_, verifier, expected]) =>
    Effect.gen(function*() {
      const settings = closed({})
      const layer = Authenticator.layer(settings).pipe(
        Layer.provide(verifier),
        Layer.provide(ServiceAccounts.layer({ adminScope: settings.adminScope, cacheSeconds: 0 })),
        Layer.provide(Roles.layer(settings)),
        Layer.provide(Layer.fresh(InMemory.ServiceAccountStore))
      )
      const { authenticate } = Context.get(yield* Layer.build(layer), Authenticator)
      const who = (token: string) =>
        Effect.match(authenticate(Redacted.make(token), undefined), {
          onFailure: () => undefined,
          onSuccess: ({ user_id }) => user_id as string | undefined
        })
      assert.strictEqual(yield* who("t1"), expected)
      assert.isUndefined(yield* who("t2"))
      assert.isUndefined(yield* who("constructor"))
    }))
})
