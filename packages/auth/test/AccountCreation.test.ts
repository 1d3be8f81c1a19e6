// Who can create an account, with which scopes and until when, and what is logged.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Context, Effect, Layer, Logger, Redacted, References } from "effect"
import { TestClock } from "effect/testing"
import * as AccountToken from "../src/AccountToken.ts"
import { Roles } from "../src/Roles.ts"
import { ServiceAccounts } from "../src/ServiceAccounts.ts"
import { ServiceAccountStore } from "../src/ServiceAccountStore.ts"

const adminScope = "root"

const services = Layer.fresh(
  ServiceAccounts.layer({ adminScope, cacheSeconds: 0 }).pipe(
    Layer.provideMerge(InMemory.ServiceAccountStore),
    Layer.provide(Roles.layer({ adminScope }))
  )
)

const build = Effect.map(Layer.build(services), (context) => ({
  accounts: Context.get(context, ServiceAccounts),
  store: Context.get(context, ServiceAccountStore)
}))

const bearer = (...scopes: ReadonlyArray<string>): Principal.Principal => ({
  ...Principal.serviceAccount(Ids.UserId.make("ann"), Scope.grants(scopes, adminScope)),
  credential: "jwt"
})

/** The scopes of the account that the caller gets, or why there is none. */
const mintedScopes = Effect.fnUntraced(function*(caller: Principal.Principal, request: Partial<ServiceAccount.Create>) {
  const { accounts } = yield* build
  return yield* accounts.mint(caller, { name: "bot", ...request }).pipe(
    Effect.match({ onFailure: ({ message }) => message, onSuccess: ({ account }) => account.scopes })
  )
})

const open = "JWT authentication is required to mint a service account."
const invalid = "Invalid scope(s): "
const privileged = "Privileged scope(s) require allow_privileged_scopes=true: "
const notHeld = "Cannot grant scope(s) you do not hold: "

const check = (
  ...[what, caller, request, expected]: readonly [
    string,
    Principal.Principal,
    Partial<ServiceAccount.Create>,
    string | ReadonlyArray<string>
  ]
) =>
  it.effect(what, () =>
    Effect.gen(function*() {
      const answer = yield* mintedScopes(caller, request)
      if (typeof expected === "string" && typeof answer === "string") {
        assert.isTrue(answer.startsWith(expected), `${answer} begins with ${expected}`)
      } else assert.deepStrictEqual(answer, expected)
    }))

const { securityKey } = Principal
const flag = { allow_privileged_scopes: true }

describe("The scopes of a new account", () => {
  check("the default scopes are given when the request names none", securityKey, {}, [...ServiceAccount.defaultScopes])
  check("the default scopes are given when the request says null", securityKey, { scopes: null }, [
    ...ServiceAccount.defaultScopes
  ])
  check("an account can have no scopes", securityKey, { scopes: [] }, [])
  check(
    "scopes are stored once each, in order, from text or an object",
    securityKey,
    { scopes: ["teams:run", { scope: "agents:run" }, { scope: "teams:run", effect: "allow" }, "agents:*:run"] },
    ["teams:run", "agents:run", "agents:*:run"]
  )
  check("a scope can be of any resource and action", securityKey, { scopes: ["x:y", "x:y:z"] }, ["x:y", "x:y:z"])
  check(
    "scopes of older services, of the control plane and of single components are valid",
    securityKey,
    { scopes: ["system:read", "org:members:read", "agents:a b:run", "agents:Bot:run", "sessions:*:read"] },
    ["system:read", "org:members:read", "agents:a b:run", "agents:Bot:run", "sessions:*:read"]
  )
})

describe("The scopes of the operator's routes and mappings", () => {
  it.effect("a scope that the operator declares is valid, whatever its action is", () =>
    Effect.gen(function*() {
      const declared = ServiceAccounts.layer({ adminScope, cacheSeconds: 0, declaredScopes: ["sessions:export"] })
      const context = yield* Layer.build(
        Layer.provide(declared, [InMemory.ServiceAccountStore, Roles.layer({ adminScope })])
      )
      const { account } = yield* Context.get(context, ServiceAccounts).mint(securityKey, {
        name: "bot",
        scopes: ["sessions:export"]
      })
      assert.deepStrictEqual(account.scopes, ["sessions:export"])
    }))
})

describe("The resources of features", () => {
  it.effect("a scope of another action, and one with the singular, are refused with the valid ones", () =>
    Effect.gen(function*() {
      const served = ServiceAccounts.layer({ adminScope, cacheSeconds: 0, resources: ["notes"] })
      const context = yield* Layer.build(
        Layer.provide(served, [InMemory.ServiceAccountStore, Roles.layer({ adminScope })])
      )
      const { mint } = Context.get(context, ServiceAccounts)
      for (const scope of ["notes:reed", "note:read", "NOTES:read"]) {
        const error = yield* Effect.flip(mint(securityKey, { name: "bot", scopes: [scope] }))
        assert.deepInclude(
          error,
          { _tag: "InvalidScopes", known: ["notes:read", "notes:write", "notes:delete"] },
          scope
        )
      }
      const { account } = yield* mint(securityKey, { name: "bot", scopes: ["notes:read"] })
      assert.deepStrictEqual(account.scopes, ["notes:read"])
    }))
})

describe("Scopes that grant nothing", () => {
  const refused = (...scopes: ReadonlyArray<string>) =>
    check(
      `minting is refused for ${scopes.join(" and ")}`,
      securityKey,
      { scopes, ...flag },
      invalid + scopes.join(", ")
    )
  refused("agents:RUN", "agents:rnu", "agents:x:RUN")
  refused("sessions:run")
  refused("agents:run ", " agents:run", "custom: read", "agents:*:run\n", "a b:read")
  refused("Agents:run", "SESSIONS:read", "PLATFORM:ADMIN", "ROOT")
  refused("*:*", "agents:*", "*:run", "*:x:run")
  refused("agent:run", "session:read", "platform:*", "platform:read")
  refused("agents:run,sessions:read", "a:read,b:read")
  refused("agents:des*:run", "sessions:s1:read")
  it.effect("the refusal names the actions of the resource", () =>
    Effect.gen(function*() {
      const answer = yield* mintedScopes(securityKey, { scopes: ["agents:rnu", "*:*"] })
      assert.strictEqual(
        answer,
        `${invalid}agents:rnu, *:*. Known: agents:read, agents:write, agents:delete, agents:run`
      )
    }))
})

describe("Minting is refused, in this order,", () => {
  check(
    "minting is refused for invalid scopes, all of which are named",
    Principal.open,
    { scopes: ["agents:run", "agents", "a:b:c:d", ":", "agents:write", ""] },
    `${invalid}agents, a:b:c:d, :, `
  )
  check(
    "minting is refused for privileged scopes without the flag",
    Principal.open,
    {
      scopes: ["x:write", "x:y:delete", "agents:run", "service_accounts:read", adminScope, Scope.defaultAdmin]
    },
    `${privileged}x:write, x:y:delete, service_accounts:read, root, platform:admin. `
  )
  check("minting is refused where callers are not authenticated", Principal.open, {}, open)
  check(
    "minting is refused where callers are not authenticated, even without scopes",
    Principal.open,
    { scopes: [] },
    open
  )
  check(
    "minting is refused for scopes that the caller does not hold",
    bearer("agents:run"),
    { scopes: ["agents:run", "teams:run", "agents:x:run", "agents:read"] },
    `${notHeld}teams:run, agents:read`
  )
})

describe("A caller", () => {
  check("the security key can grant any scope", securityKey, { scopes: [adminScope], ...flag }, [adminScope])
  check("an admin can grant any scope", bearer(adminScope), { scopes: ["x:write", adminScope], ...flag }, [
    "x:write",
    adminScope
  ])
  check(
    "the flag does not make a caller an admin",
    bearer("agents:run"),
    { scopes: [adminScope], ...flag },
    `${notHeld}root`
  )
  check(
    "the admin scope of another service does not make a caller an admin",
    bearer(Scope.defaultAdmin),
    { scopes: ["agents:run"] },
    `${notHeld}agents:run`
  )
  check("a caller with a scope of all resources can grant it for one", bearer("agents:*:run"), {
    scopes: ["agents:x:run", "agents:run"]
  }, [
    "agents:x:run",
    "agents:run"
  ])
  check("a caller with a scope of one resource can grant that one", bearer("agents:x:run"), {
    scopes: ["agents:x:run"]
  }, ["agents:x:run"])
  check(
    "a caller with a scope of one resource cannot grant it for another, nor for all",
    bearer("agents:x:run"),
    { scopes: ["agents:y:run", "agents:run", "agents:*:run"] },
    `${notHeld}agents:y:run, agents:run, agents:*:run`
  )
  check("a caller without scopes can grant none", bearer(), { scopes: ["agents:run"] }, `${notHeld}agents:run`)
  check("a caller without scopes can mint an account without scopes", bearer(), { scopes: [] }, [])
  check(
    "a caller grants only its own scopes also where scopes are not enforced",
    { ...bearer("agents:run"), isScoped: false },
    { scopes: ["teams:run"] },
    `${notHeld}teams:run`
  )
})

describe("A new account", () => {
  const day = 86_400

  it.effect.each<readonly [string, Partial<ServiceAccount.Create>, number | null]>([
    ["for 90 days", {}, 90 * day],
    ["for 90 days when the request says null", { expires_in_days: null }, 90 * day],
    ["for as many days as requested", { expires_in_days: 1 }, day],
    ["for ever when requested", { never_expires: true }, null],
    ["for ever when requested, whatever else is requested", { never_expires: true, expires_in_days: 1 }, null],
    ["for 90 days when the request is not for ever", { never_expires: false }, 90 * day]
  ])("a new account is valid %s", ([_, request, lifetime]) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(5_999)
      const { accounts } = yield* build
      const { account } = yield* accounts.mint(securityKey, { name: "bot", ...request })
      assert.strictEqual(account.created_at, 5)
      assert.strictEqual(account.expires_at, lifetime === null ? null : 5 + lifetime)
    }))

  it.effect("an account is stored with its creator and without its token, and its changes are audited", () =>
    Effect.gen(function*() {
      const { accounts, store } = yield* build
      const { account, token } = yield* accounts.mint(bearer("agents:run"), { name: "bot", scopes: ["agents:run"] })
      const { created_by, last_used_at, revoked_at, token_hash, token_prefix, user_id } = account
      assert.deepStrictEqual<unknown>(
        { created_by, last_used_at, revoked_at, token_hash, token_prefix, user_id },
        {
          created_by: "ann",
          last_used_at: null,
          revoked_at: null,
          token_hash: AccountToken.hash(token),
          token_prefix: Redacted.value(token).slice(0, 16),
          user_id: "ann"
        }
      )
      yield* TestClock.adjust("1 minute")
      yield* accounts.revoke(securityKey, account.id)
      const minted = { account_id: account.id, action: "minted", actor: "ann", credential: "jwt", at: 0 }
      const revoked = { account_id: account.id, action: "revoked", actor: null, credential: "security_key", at: 60 }
      assert.deepStrictEqual<unknown>(yield* store.audit(account.id), [minted, revoked])
    }))

  it.effect("a new account needs a free name, and the name is free again when the account is revoked", () =>
    Effect.gen(function*() {
      const { accounts } = yield* build
      const { account } = yield* accounts.mint(securityKey, { name: "bot" })
      const taken = yield* Effect.flip(accounts.mint(securityKey, { name: "bot" }))
      const message = "An active service account named 'bot' already exists. Revoke it first to rotate."
      assert.strictEqual(taken.message, message)
      // a missing scope is reported before a name that is taken
      assert.strictEqual((yield* Effect.flip(accounts.mint(bearer(), { name: "bot" })))._tag, "ScopesNotHeld")
      yield* accounts.revoke(securityKey, account.id)
      yield* accounts.mint(securityKey, { name: "bot" })
      const unknown = ServiceAccount.Id.make("unknown")
      const absent = yield* Effect.flip(accounts.revoke(securityKey, unknown))
      assert.strictEqual(absent.message, "Service account 'unknown' not found")
    }))

  it.effect("what acts for an account ends when it is revoked, or before another one has its name", () =>
    Effect.gen(function*() {
      const { accounts } = yield* build
      const [ended, away]: [Array<unknown>, { is: boolean }] = [[], { is: false }]
      yield* accounts.endWithAccounts({
        what: "webhook(s) disabled",
        end: ({ at, user_id }) =>
          Effect.suspend(() =>
            away.is
              ? Effect.fail(new StorageUnavailable({ cause: "away" }))
              : Effect.succeed(ended.push([user_id, at]))
          )
      })
      const { account } = yield* accounts.mint(securityKey, { name: "bot" })
      ended.length = 0
      yield* Effect.flip(accounts.mint(securityKey, { name: "bot" }))
      assert.deepStrictEqual(ended, [])
      away.is = true
      assert.strictEqual((yield* Effect.flip(accounts.revoke(securityKey, account.id)))._tag, "StorageUnavailable")
      assert.strictEqual((yield* Effect.flip(accounts.mint(securityKey, { name: "bot" })))._tag, "StorageUnavailable")
      away.is = false
      yield* accounts.mint(securityKey, { name: "bot" })
      assert.deepStrictEqual(ended, [["sa:bot", 0]])
    }))

  it.effect("what acts for an account in code ends when its declaration is removed, and not when it changes", () =>
    Effect.gen(function*() {
      const { accounts } = yield* build
      const ended: Array<unknown> = []
      yield* accounts.endWithAccounts({
        what: "schedule(s)",
        end: ({ user_id }) => Effect.sync(() => ended.push(user_id))
      })
      const declared = { name: "bot", token: Redacted.make("svc_pat_one"), scopes: [] }
      const id = yield* accounts.declared.put(declared)
      ended.length = 0
      yield* accounts.declared.put({ ...declared, scopes: ["agents:run"] }, id)
      assert.deepStrictEqual(ended, [])
      yield* accounts.declared.remove(id)
      assert.deepStrictEqual(ended, ["sa:bot"])
    }))

  it.effect("an account is logged once when it is created and once when it is revoked, never with its token", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ fiber, logLevel, message }) => {
        lines.push([logLevel, message, fiber.getRef(References.CurrentLogAnnotations)])
      })
      const { accounts } = yield* build
      const token = yield* Effect.gen(function*() {
        const { account, token } = yield* accounts.mint(bearer("agents:run"), { name: "bot", scopes: [] })
        yield* Effect.ignore(accounts.mint(securityKey, { name: "bot" }))
        yield* accounts.revoke(securityKey, account.id)
        yield* accounts.revoke(securityKey, account.id)
        const about = { account_id: account.id, name: "bot" }
        assert.deepStrictEqual(lines, [
          ["Info", ["The service account bot was made"], { ...about, actor: "ann", credential: "jwt" }],
          ["Info", ["The service account bot was revoked"], { ...about, actor: null, credential: "security_key" }]
        ])
        return token
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.notInclude(JSON.stringify(lines), Redacted.value(token).slice(ServiceAccount.shownLength))
    }))
})
