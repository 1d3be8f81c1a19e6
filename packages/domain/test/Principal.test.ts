// Who owns data, and who can access it.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "../src/Ids.ts"
import * as Owner from "../src/Owner.ts"
import * as Principal from "../src/Principal.ts"
import * as Scope from "../src/Scope.ts"

const ann = Ids.UserId.make("ann")
const bob = Ids.UserId.make("bob")
const grants = (...scopes: ReadonlyArray<string>) => Scope.grants(scopes, Scope.defaultAdmin)
const token: Principal.Principal = {
  ...Principal.open,
  credential: "jwt",
  user_id: ann,
  grants: grants("sessions:read"),
  isScoped: true,
  isIsolated: true
}

describe("Principal.owner", () => {
  it.each<readonly [rule: string, Principal.Principal, Ids.UserId | undefined, Owner.Owner]>([
    ["an open service serves the data of every user", Principal.open, undefined, Owner.anyone],
    ["an open service serves the user of the request", Principal.open, bob, Owner.user(bob)],
    ["the security key serves the user of the request", Principal.securityKey, bob, Owner.user(bob)],
    ["a user gets their own data", token, undefined, Owner.user(ann)],
    ["a user gets their own data, whatever the request names", token, bob, Owner.user(ann)],
    ["a token without a subject gets nothing", { ...token, user_id: undefined }, bob, Owner.none],
    ["without isolation a user gets the data of any user", { ...token, isIsolated: false }, bob, Owner.user(bob)],
    [
      "a service account gets its own data",
      Principal.serviceAccount(ann, grants("sessions:read")),
      bob,
      Owner.user(ann)
    ],
    [
      "a service account that is an admin gets the data of any user",
      Principal.serviceAccount(ann, grants("platform:admin")),
      bob,
      Owner.user(bob)
    ]
  ])("the owner of a read is derived from the caller: %s", (_, principal, requested, expected) => {
    assert.deepStrictEqual(Principal.owner(principal, requested), expected)
  })
})

describe("Principal.ownerOfNew", () => {
  it.each<readonly [rule: string, Principal.Principal, Ids.UserId | undefined, Ids.UserId | null]>([
    ["it is the caller, whatever user the request names", token, bob, ann],
    ["it is the caller even without isolation", { ...token, isIsolated: false }, bob, ann],
    ["it is no user for a token without a subject", { ...token, user_id: undefined }, bob, null],
    ["it is the user of the request where the credential names none", Principal.securityKey, bob, bob],
    ["it is no user where neither names one", Principal.open, undefined, null]
  ])("the owner of new data is derived from the caller: %s", (_, principal, requested, expected) => {
    assert.strictEqual(Principal.ownerOfNew(principal, requested), expected)
  })
})

describe("Owner.covers", () => {
  it.each<readonly [Owner.Owner, Ids.UserId | null, boolean]>([
    [Owner.anyone, ann, true],
    [Owner.anyone, null, true],
    [Owner.user(ann), ann, true],
    [Owner.user(ann), bob, false],
    [Owner.user(ann), null, false],
    [Owner.none, ann, false],
    [Owner.none, null, false]
  ])("%j and what belongs to %s: %s", (owner, user, expected) => {
    assert.strictEqual(Owner.covers(owner, user), expected)
  })
})

describe("Principal.may", () => {
  it.each<readonly [rule: string, Principal.Principal, boolean]>([
    ["asks no scope of an open service's callers", Principal.open, true],
    ["nor of the security key", Principal.securityKey, true],
    ["asks one of tokens", token, false],
    ["unless scopes are not enforced", { ...token, isScoped: false }, true],
    ["always asks service accounts", Principal.serviceAccount(ann, grants("agents:read")), false],
    ["refuses who should have scopes and has none", { ...token, grants: undefined }, false]
  ])("a scope is checked for the caller: %s", (_, principal, expected) => {
    assert.strictEqual(Principal.may(principal, "sessions:write"), expected)
  })

  it.each(["sa:bot", "sa:", "__oauth__:client", "__scheduler__", "__scheduler__:ann", "__scheduler__:"])(
    "the name %s is reserved",
    (name) => {
      assert.isTrue(Principal.isReserved(name))
    }
  )

  it.each(["sally", "SA:bot", "scheduler", "__scheduler__2", "user|sa:bot"])("the name %s is not reserved", (name) => {
    assert.isFalse(Principal.isReserved(name))
  })
})

describe("Principal.scheduleAuthor", () => {
  const scheduled = (author: Ids.UserId | null) => ({ ...token, user_id: Principal.schedulerFor(author) })

  it.each<readonly [rule: string, Principal.Principal, string | null]>([
    ["an isolated caller acts for its user", token, "ann"],
    ["so does a service account", Principal.serviceAccount(Ids.UserId.make("sa:bot"), grants("agents:run")), "sa:bot"],
    ["an admin acts for the service", { ...token, isIsolated: false }, null],
    ["a schedule has the author of what it makes", scheduled(ann), "ann"],
    ["a schedule of the service makes others of the service", scheduled(null), null],
    ["the security key acts for the service", Principal.securityKey, null]
  ])("for whom the schedules of a caller act: %s", (_, principal, expected) => {
    assert.strictEqual(Principal.scheduleAuthor(principal), expected)
  })
})
