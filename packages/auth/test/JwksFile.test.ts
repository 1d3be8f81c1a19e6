// Keys in a file: which key checks which token, and what happens when the file changes, vanishes or is
// half written while the service runs.
import { assert, describe, it } from "@effect/vitest"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Jwt from "../src/Jwt.ts"
import { jwt } from "./Settings.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-jwks-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const setOf = (...issuers: ReadonlyArray<Tokens.Issuer>) =>
  JSON.stringify({ keys: issuers.map((one) => one.publicJwk) })

const fits = "Invalid token: its signature does not fit"
const unknown = "Invalid token: No verification keys configured"

/** A service with this key set, and how it judges tokens. */
const serve = Effect.fnUntraced(function*(content: string, fields: Parameters<typeof jwt>[0] = {}) {
  const file = join(yield* directory, "jwks.json")
  writeFileSync(file, content)
  const verify = yield* Jwt.make(jwt({ jwksFiles: [file], ...fields }))
  const check = (token: string) =>
    Effect.match(verify(Redacted.make(token)), { onFailure: ({ message }) => message, onSuccess: () => "accepted" })
  return { file, check }
})

describe("a key set", () => {
  it.effect("a token is checked with the key that it names, and with no other", () =>
    Effect.gen(function*() {
      const [a, b] = [yield* Tokens.issuer("RS256", "a"), yield* Tokens.issuer("RS256", "b")]
      const { check } = yield* serve(setOf(a, b))
      assert.strictEqual(yield* check(yield* a.sign({})), "accepted")
      assert.strictEqual(yield* check(yield* b.sign({})), "accepted")
      assert.strictEqual(yield* check(yield* a.sign({}, { kid: "b" })), fits)
      assert.strictEqual(yield* check(yield* a.sign({}, { kid: "c" })), unknown)
      assert.strictEqual(yield* check(yield* a.sign({}, { kid: undefined })), unknown)
      assert.strictEqual(yield* check(yield* a.sign({}, { kid: "__proto__" })), unknown)
    }))

  it.effect("a key file is used together with the other keys, whatever their ids are", () =>
    Effect.gen(function*() {
      const [a, b, same] = [
        yield* Tokens.issuer("RS256", "a"),
        yield* Tokens.issuer("RS256", "b"),
        yield* Tokens.issuer("RS256", "a")
      ]
      const other = join(yield* directory, "other.json")
      writeFileSync(other, setOf(b, same))
      const first = join(yield* directory, "first.json")
      writeFileSync(first, setOf(a))
      const { check } = yield* serve("{\"keys\":[]}", { jwksFiles: [first, other] })
      for (const issuer of [a, b, same]) assert.strictEqual(yield* check(yield* issuer.sign({})), "accepted")
      assert.strictEqual(yield* check(yield* a.sign({}, { kid: "c" })), unknown)
    }))

  it.effect("a key without a name checks tokens that name no key, or an unknown one", () =>
    Effect.gen(function*() {
      const [named, unnamed] = [yield* Tokens.issuer("RS256", "a"), yield* Tokens.issuer()]
      const { check } = yield* serve(setOf(named, unnamed))
      assert.strictEqual(yield* check(yield* unnamed.sign({})), "accepted")
      assert.strictEqual(yield* check(yield* unnamed.sign({}, { kid: "z" })), "accepted")
      assert.strictEqual(yield* check(yield* unnamed.sign({}, { kid: "a" })), fits)
    }))

  it.effect("keys of the file are tried before the configured ones", () =>
    Effect.gen(function*() {
      const [listed, single] = [yield* Tokens.issuer("RS256", "a"), yield* Tokens.issuer("RS256", "z")]
      const { check } = yield* serve(setOf(listed), { keys: [single.publicPem] })
      assert.strictEqual(yield* check(yield* listed.sign({})), "accepted")
      assert.strictEqual(yield* check(yield* single.sign({})), "accepted")
      assert.strictEqual(yield* check(yield* single.sign({}, { kid: "a" })), "accepted")
      const now = 1_000_000
      yield* TestClock.setTime(now * 1000)
      assert.strictEqual(yield* check(yield* listed.sign({ exp: now - 60 })), "Token has expired")
    }))

  it.effect("a key set uses the keys for signatures and ignores all others", () =>
    Effect.gen(function*() {
      const [good, curve] = [yield* Tokens.issuer("RS256", "good"), yield* Tokens.issuer("ES256", "curve")]
      const odd = [
        { kty: "RSA", kid: "broken", n: "!", e: "AQAB" },
        { ...good.publicJwk, kid: "enc", use: "enc" },
        { ...good.publicJwk, kid: "other", alg: "RS512" },
        { kty: "oct", kid: "secret", k: "c2VjcmV0" },
        { kid: "nothing" },
        curve.publicJwk
      ]
      const { check } = yield* serve(JSON.stringify({ keys: [...odd, good.publicJwk] }))
      assert.strictEqual(yield* check(yield* good.sign({})), "accepted")
      for (const { kid } of odd) assert.strictEqual(yield* check(yield* good.sign({}, { kid })), unknown, kid)
    }))

  it.effect.each<readonly [string, string, RegExp]>([
    ["no JSON", "{\"keys\":[", /is not a JSON Web Key Set/],
    ["JSON of another kind", "[]", /is not a JSON Web Key Set/],
    ["no keys in it", "{\"keys\":[]}", /No key to check tokens with/],
    ["no usable key in it", "{\"keys\":[{\"kty\":\"RSA\"}]}", /No key to check tokens with/],
    ["nothing", "", /is not a JSON Web Key Set/]
  ])("a key set with %s stops the start", ([_, content, expected]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(serve(content))
      assert.strictEqual(error._tag, "KeysUnusable")
      assert.match(error.message, expected)
    }))

  it.effect("a missing key file stops the start", () =>
    Effect.gen(function*() {
      const file = join(yield* directory, "none.json")
      const error = yield* Effect.flip(Jwt.make(jwt({ jwksFiles: [file] })))
      assert.match(error.message, /^JWT_JWKS_FILE .*none\.json: it cannot be read\. It names a file .*, for example /)
    }))
})

describe("a key set that changes while the service runs", () => {
  const replace = (file: string, content: string) => {
    writeFileSync(`${file}.new`, content)
    renameSync(`${file}.new`, file)
  }

  it.effect("a key set has a new key at once when a token names it, and no longer has the old one", () =>
    Effect.gen(function*() {
      const [old, next] = [yield* Tokens.issuer("RS256", "old"), yield* Tokens.issuer("RS256", "next")]
      const { check, file } = yield* serve(setOf(old))
      const cached = yield* old.sign({ sub: "ann" })
      assert.strictEqual(yield* check(cached), "accepted")
      replace(file, setOf(next))
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(yield* check(yield* next.sign({})), "accepted")
      assert.strictEqual(yield* check(cached), unknown, "even when it was seen before")
    }))

  it.effect("the service forgets a removed key within a second, without a token with an unknown key", () =>
    Effect.gen(function*() {
      const [old, next] = [yield* Tokens.issuer("RS256", "old"), yield* Tokens.issuer("RS256", "next")]
      const { check, file } = yield* serve(setOf(old))
      const cached = yield* old.sign({ sub: "ann" })
      assert.strictEqual(yield* check(cached), "accepted")
      replace(file, setOf(next))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* check(cached), unknown)
    }))

  it.effect("the service keeps its keys while the file is missing or half written", () =>
    Effect.gen(function*() {
      const [old, next] = [yield* Tokens.issuer("RS256", "old"), yield* Tokens.issuer("RS256", "next")]
      const { check, file } = yield* serve(setOf(old))
      rmSync(file)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* check(yield* old.sign({ sub: "1" })), "accepted")
      assert.strictEqual(yield* check(yield* next.sign({ sub: "1" })), unknown)
      writeFileSync(file, setOf(next).slice(0, 100))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* check(yield* old.sign({ sub: "2" })), "accepted")
      assert.strictEqual(yield* check(yield* next.sign({ sub: "2" })), unknown)
      replace(file, setOf(next))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* check(yield* next.sign({ sub: "3" })), "accepted")
      assert.strictEqual(yield* check(yield* old.sign({ sub: "3" })), unknown)
    }))

  it.effect("an empty key set accepts no token", () =>
    Effect.gen(function*() {
      const old = yield* Tokens.issuer("RS256", "old")
      const { check, file } = yield* serve(setOf(old))
      replace(file, "{\"keys\":[]}")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* check(yield* old.sign({})), unknown)
    }))
})
