// Service accounts on the wire.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { mint, serveClosed, token } from "../authorization/Closed.ts"
import { at, badRequest, column, failed, hasKeys, invalid, second, serve, uuid } from "../Wire.ts"
import { admin, get, keys, post, revoke } from "./MintedAccounts.ts"

Tier.oneIn(6)

const day = 86_400

describe("the name of a revoked account, which still owns its data", () => {
  const minter = (user: string) => token(user, "service_accounts:write", "service_accounts:delete", "sessions:read")
  const body = { name: "nightly", scopes: ["sessions:read"] }

  it.effect("the name is given again to an admin and to the caller who created the account, and to no other", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ops = yield* minter("ops")
      const mallory = yield* minter("mallory")
      const first = yield* post(server, body, ops)
      assert.strictEqual(first.status, 201)
      failed(yield* post(server, body, mallory), 409, "CONFLICT", /^An active service account named 'nightly'/)
      yield* revoke(server, String(at(first.json, "id")))
      const retired = /^A service account named 'nightly' was revoked, .* Only an admin, or the caller who made/
      failed(yield* post(server, body, mallory), 403, "FORBIDDEN", retired)
      const second = yield* post(server, body, ops)
      assert.strictEqual(second.status, 201)
      yield* revoke(server, String(at(second.json, "id")))
      const third = yield* post(server, body)
      assert.strictEqual(third.status, 201, "an admin may")
      yield* revoke(server, String(at(third.json, "id")))
      failed(yield* post(server, body, ops), 403, "FORBIDDEN", retired)
    }))

  it.effect("the name is not given to a token without a subject, which is no user", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const withoutSubject = yield* token(undefined, "service_accounts:write", "sessions:read")
      const first = yield* post(server, body, withoutSubject)
      assert.strictEqual(first.status, 201)
      yield* revoke(server, String(at(first.json, "id")))
      assert.strictEqual((yield* post(server, body, withoutSubject)).status, 403)
    }))
})

describe("POST /service-accounts", () => {
  it.effect("the response is 201 with the account and its token, which is shown only once", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const made = yield* post(server, { name: "nightly" })
      assert.strictEqual(made.status, 201)
      hasKeys(made.json, ...keys, "token")
      const text = String(at(made.json, "token"))
      assert.match(text, /^svc_pat_[0-9A-Za-z]{40,43}$/)
      const { id, token: _, ...rest } = made.json as Record<string, unknown>
      assert.match(String(id), uuid)
      assert.deepStrictEqual<unknown>(rest, {
        name: "nightly",
        principal: "sa:nightly",
        user_id: "root",
        token_prefix: text.slice(0, 16),
        scopes: ["agents:run", "teams:run", "workflows:run", "sessions:read", "config:read"],
        created_at: second,
        expires_at: second + 90 * day,
        last_used_at: null,
        revoked_at: null,
        created_by: "root",
        declared: false
      })
      assert.notInclude((yield* get(server)).text, text)
    }))

  it.effect.each<readonly [string, object, number | null]>([
    ["90 days when left out", {}, second + 90 * day],
    ["90 days when null", { expires_in_days: null }, second + 90 * day],
    ["as many days as asked for", { expires_in_days: 1 }, second + day],
    ["ten years at most", { expires_in_days: 3650 }, second + 3650 * day],
    ["forever", { never_expires: true }, null],
    ["for ever, whatever else is asked for", { never_expires: true, expires_in_days: 1 }, null]
  ])("a new account is valid %s", ([_, body, expires_at]) =>
    Effect.gen(function*() {
      const made = yield* post(yield* serveClosed(), { name: "bot", ...body })
      assert.strictEqual(at(made.json, "expires_at"), expires_at)
    }))

  it.effect.each<readonly [string, unknown, ReadonlyArray<string>]>([
    ["texts", ["agents:run", "sessions:read"], ["agents:run", "sessions:read"]],
    ["objects", [{ scope: "agents:run", effect: "allow" }, { scope: "agents:x:read" }], [
      "agents:run",
      "agents:x:read"
    ]],
    ["both, each once", ["agents:run", { scope: "agents:run" }], ["agents:run"]],
    ["none: an account without power", [], []],
    ["null: the usual ones", null, ["agents:run", "teams:run", "workflows:run", "sessions:read", "config:read"]],
    ["any resource and action", ["reports:export"], ["reports:export"]]
  ])("scopes are accepted as %s", ([_, scopes, expected]) =>
    Effect.gen(function*() {
      const made = yield* post(yield* serveClosed(), { name: "bot", scopes })
      assert.deepStrictEqual<unknown>(at(made.json, "scopes"), expected)
    }))

  it.effect.each<readonly [string, unknown]>([
    ["upper case", "Bot"],
    ["a space", "my bot"],
    ["a dash in front", "-bot"],
    ["an underscore in front", "_bot"],
    ["a line break behind", "bot\n"],
    ["64 characters", "a".repeat(64)],
    ["nothing", ""],
    ["a dot", "a.b"],
    ["another alphabet", "бот"],
    ["a null character", "bot\u0000"]
  ])("a name with %s is refused", ([_, name]) =>
    Effect.gen(function*() {
      invalid(yield* post(yield* serveClosed(), { name }), [["body", "name"], "string_pattern_mismatch"])
    }))

  it.effect.each(["a", "0", "a-b_c", "9lives", "a".repeat(63)])(
    "the name %s is accepted",
    (name) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* post(yield* serveClosed(), { name })).status, 201)
      })
  )

  it.effect.each<readonly [string, unknown]>([
    ["no name", {}],
    ["a name that is no text", { name: 7 }],
    ["scopes that are no list", { name: "bot", scopes: "agents:run" }],
    ["a scope that is no text", { name: "bot", scopes: [7] }],
    ["a scope that is too long", { name: "bot", scopes: [`agents:${"x".repeat(250)}:run`] }],
    ["too many scopes", { name: "bot", scopes: Array.from({ length: 1001 }, (_, n) => `agents:a${n}:run`) }],
    ["a scope to deny", { name: "bot", scopes: [{ scope: "agents:run", effect: "deny" }] }],
    ["no days at all", { name: "bot", expires_in_days: 0 }],
    ["more than ten years", { name: "bot", expires_in_days: 3651 }],
    ["half a day", { name: "bot", expires_in_days: 0.5 }],
    ["days as text", { name: "bot", expires_in_days: "30" }],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["nothing", ""]
  ])("a body with %s is refused with 422", ([_, body]) =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      failed(yield* post(server, body), 422, "VALIDATION_ERROR")
      assert.strictEqual(at((yield* get(server)).json, "meta", "total_count"), 0)
    }))

  it.effect.each<readonly [number, string]>([
    [0, "greater_than_equal"],
    [3651, "less_than_equal"],
    [1.5, "int_from_float"],
    [1e15, "less_than_equal"]
  ])("a lifetime of %d days is refused with the reason", ([expires_in_days, type]) =>
    Effect.gen(function*() {
      const answer = yield* post(yield* serveClosed(), { name: "bot", expires_in_days })
      assert.deepStrictEqual(column(at(answer.json, "errors"), "type"), [type], answer.text)
    }))

  it.effect("the error of a number that is too large for an integer names the limit", () =>
    Effect.gen(function*() {
      const answer = yield* post(yield* serveClosed(), { name: "bot", expires_in_days: 1e300 })
      assert.match(answer.text, /with a fractional part or beyond ±9007199254740991/)
    }))

  it.effect("invalid scopes are refused, all of them at once", () =>
    Effect.gen(function*() {
      const scopes = ["agents:run", "agents", "a:b:c:d", "", "a::b", "platform:admin"]
      const answer = yield* post(yield* serveClosed(), { name: "bot", scopes })
      badRequest(answer, "Invalid scope(s): agents, a:b:c:d, , a::b")
    }))

  it.effect("a flag is required for privileged scopes", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const scopes = ["agents:run", "sessions:write", "agents:x:delete", "service_accounts:read", "platform:admin"]
      const refused = yield* post(server, { name: "bot", scopes })
      badRequest(
        refused,
        /^Privileged scope\(s\) require allow_privileged_scopes=true: sessions:write, agents:x:delete, service_accounts:read, platform:admin\. /
      )
      assert.strictEqual((yield* post(server, { name: "bot", scopes, allow_privileged_scopes: true })).status, 201)
    }))

  it.effect("a caller grants only the scopes that they hold", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bearer = yield* token("ann", "service_accounts:write", "agents:run", "teams:x:run")
      const ask = (scopes: ReadonlyArray<string>) =>
        post(server, { name: "bot", scopes, allow_privileged_scopes: true }, bearer)
      const beyond = yield* ask(["agents:run", "teams:run", "teams:y:run", "sessions:read", "platform:admin"])
      const detail = "Cannot grant scope(s) you do not hold: teams:run, teams:y:run, sessions:read, platform:admin"
      failed(beyond, 403, "FORBIDDEN", detail)
      failed(yield* post(server, { name: "bot" }, bearer), 403, "FORBIDDEN", /sessions:read/)
      const within = yield* ask(["agents:run", "agents:y:run", "agents:*:run", "teams:x:run", "service_accounts:write"])
      assert.strictEqual(within.status, 201)
      assert.strictEqual(at(within.json, "user_id"), "ann")
    }))

  it.effect("an account that may mint grants only its own scopes, too", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const scopes = ["service_accounts:write", "agents:read"]
      const bot = yield* mint(server, yield* admin, { name: "minter", scopes })
      const climbing = { name: "climber", scopes: ["platform:admin"], allow_privileged_scopes: true }
      failed(yield* post(server, climbing, bot.token), 403, "FORBIDDEN", /platform:admin/)
      const child = yield* post(server, { name: "child", scopes: ["agents:read"] }, bot.token)
      assert.strictEqual(at(child.json, "created_by"), "sa:minter")
    }))

  it.effect("a used name is refused with 409, until its account is revoked", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const first = yield* post(server, { name: "bot" })
      const detail = "An active service account named 'bot' already exists. Revoke it first to rotate."
      failed(yield* post(server, { name: "bot" }), 409, "CONFLICT", detail)
      assert.strictEqual((yield* revoke(server, String(at(first.json, "id")))).status, 204)
      const next = yield* post(server, { name: "bot" })
      assert.strictEqual(next.status, 201)
      assert.notStrictEqual(at(next.json, "token"), at(first.json, "token"))
    }))

  it.effect("the security key mints any scopes, without a creator", () =>
    Effect.gen(function*() {
      const server = yield* serve({ authorization: { securityKey: "the key of the service" } })
      const body = { name: "ops", scopes: ["platform:admin"], allow_privileged_scopes: true }
      const made = yield* post(server, body, "the key of the service")
      assert.strictEqual(made.status, 201)
      assert.isNull(at(made.json, "user_id"))
      assert.isNull(at(made.json, "created_by"))
    }))
})
