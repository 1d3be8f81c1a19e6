// Who owns data, and who can access it.
import { assert, describe, it } from "@effect/vitest"
import { Ids, Owner, Principal, Scope } from "../src/index.ts"

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
    ["an open service serves everybody's", Principal.open, undefined, Owner.anyone],
    ["or those that are asked for", Principal.open, bob, Owner.user(bob)],
    ["so does the security key", Principal.securityKey, bob, Owner.user(bob)],
    ["a user gets their own", token, undefined, Owner.user(ann)],
    ["whatever they ask for", token, bob, Owner.user(ann)],
    ["a token without a subject gets nothing", { ...token, user_id: undefined }, bob, Owner.nobody],
    ["without isolation a user asks for anybody's", { ...token, isIsolated: false }, bob, Owner.user(bob)],
    ["a service account gets its own", Principal.serviceAccount(ann, grants("sessions:read")), bob, Owner.user(ann)],
    ["unless it is an admin", Principal.serviceAccount(ann, grants("platform:admin")), bob, Owner.user(bob)]
  ])("%s", (_, principal, asked, expected) => {
    assert.deepStrictEqual(Principal.owner(principal, asked), expected)
  })
})

describe("Principal.ownerOfNew", () => {
  it.each<readonly [rule: string, Principal.Principal, Ids.UserId | undefined, Ids.UserId | null]>([
    ["the caller, whoever is named", token, bob, ann],
    ["even without isolation", { ...token, isIsolated: false }, bob, ann],
    ["nobody, for a token without a subject", { ...token, user_id: undefined }, bob, null],
    ["who is named, where the credential names nobody", Principal.securityKey, bob, bob],
    ["nobody, where nobody is named", Principal.open, undefined, null]
  ])("%s", (_, principal, asked, expected) => {
    assert.strictEqual(Principal.ownerOfNew(principal, asked), expected)
  })
})

describe("Owner.covers", () => {
  it.each<readonly [Owner.Owner, Ids.UserId | null, boolean]>([
    [Owner.anyone, ann, true],
    [Owner.anyone, null, true],
    [Owner.user(ann), ann, true],
    [Owner.user(ann), bob, false],
    [Owner.user(ann), null, false],
    [Owner.nobody, ann, false],
    [Owner.nobody, null, false]
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
  ])("%s", (_, principal, expected) => {
    assert.strictEqual(Principal.may(principal, "sessions:write"), expected)
  })

  it.each(["sa:bot", "sa:", "__oauth__:client", "__scheduler__"])("%s is a reserved name", (name) => {
    assert.isTrue(Principal.isReserved(name))
  })

  it.each(["sally", "SA:bot", "scheduler", "__scheduler__2", "user|sa:bot"])("%s is not", (name) => {
    assert.isFalse(Principal.isReserved(name))
  })
})
