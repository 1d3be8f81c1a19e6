// Which scopes are valid, what they grant, and which ones a caller can grant to others.
import { assert, describe, it } from "@effect/vitest"
import * as Scope from "../src/Scope.ts"

const admin = Scope.defaultAdmin
const held = (...scopes: ReadonlyArray<string>) => Scope.grants(scopes, admin)
const agent = (id: string): Scope.Target => ({ resource: "agents", id })

describe("Scope.allows", () => {
  it.each<readonly [rule: string, scopes: ReadonlyArray<string>, required: string, Scope.Target | undefined, boolean]>([
    ["a global scope allows all of its resource", ["agents:read"], "agents:read", undefined, true],
    ["a global scope allows each of its resources", ["agents:read"], "agents:read", agent("x"), true],
    ["a wildcard is a global scope", ["agents:*:read"], "agents:read", undefined, true],
    ["a wildcard allows each resource", ["agents:*:read"], "agents:read", agent("x"), true],
    ["a wildcard is a global scope for every resource", ["sessions:*:read"], "sessions:read", undefined, true],
    ["a scope of one allows that one", ["agents:x:run"], "agents:run", agent("x"), true],
    ["a scope of one allows no other", ["agents:x:run"], "agents:run", agent("y"), false],
    ["a scope of one does not allow all", ["agents:x:run"], "agents:run", undefined, false],
    ["ids compare by case", ["agents:X:run"], "agents:run", agent("x"), false],
    ["resources compare by case", ["Agents:run"], "agents:run", undefined, false],
    ["nothing is trimmed", [" agents:run"], "agents:run", undefined, false],
    ["the target's kind must be that of the scope", ["teams:x:run"], "teams:run", agent("x"), false],
    ["a scope of one session is none", ["sessions:s1:read"], "sessions:read", agent("s1"), false],
    ["running does not include reading", ["agents:run"], "agents:read", undefined, false],
    ["writing does not include reading", ["sessions:write"], "sessions:read", undefined, false],
    ["a wildcard does not stand for actions", ["agents:*"], "agents:read", undefined, false],
    ["a wildcard does not stand for resources", ["*:read"], "agents:read", undefined, false],
    ["a wildcard does not stand for both", ["*:*"], "agents:read", undefined, false],
    ["a lone star grants nothing", ["*"], "agents:read", undefined, false],
    ["one part is no scope", ["agents"], "agents", undefined, false],
    ["four parts are no scope", ["agents:a:b:run"], "agents:run", agent("a:b"), false],
    ["empty parts are no scope", ["agents::run"], "agents:run", agent(""), false],
    ["the admin scope allows everything", [admin], "agents:run", undefined, true],
    ["the admin scope allows even what needs an invalid scope", [admin], "nonsense", undefined, true],
    ["an invalid scope cannot be held", ["nonsense"], "nonsense", undefined, false],
    ["system is config, as held", ["system:read"], "config:read", undefined, true],
    ["system is config, as required", ["config:write"], "system:write", undefined, true],
    ["system is config with a wildcard", ["system:*:read"], "config:read", undefined, true],
    ["system:read is not config:write", ["system:read"], "config:write", undefined, false],
    ["a required scope of one is met by that", ["agents:x:run"], "agents:x:run", undefined, true],
    ["a required scope of one is met by that of all", ["agents:run"], "agents:x:run", undefined, true],
    ["a required scope of one is not met by another", ["agents:y:run"], "agents:x:run", agent("y"), false],
    ["nothing held allows nothing", [], "agents:read", undefined, false],
    ["keys of objects are no scopes", ["constructor"], "__proto__:toString", undefined, false]
  ])("a rule of scopes holds: %s", (_, scopes, required, target, expected) => {
    assert.strictEqual(Scope.allows(held(...scopes), required, target), expected)
  })

  it("a custom admin scope takes the place of the default one, whatever its form", () => {
    const custom = Scope.grants(["corp:ops:root:all"], "corp:ops:root:all")
    assert.isTrue(Scope.allows(custom, "agents:run"))
    const usual = Scope.grants([admin], "corp:ops:root:all")
    assert.isFalse(Scope.allows(usual, "agents:run"))
    assert.isFalse(usual.isAdmin)
  })
})

describe("Scope.visible", () => {
  it.each<readonly [ReadonlyArray<string>, "all" | ReadonlyArray<string> | undefined]>([
    [["agents:read"], "all"],
    [["agents:*:read"], "all"],
    [[admin], "all"],
    [["agents:a:read", "agents:b:read", "teams:c:read", "agents:d:run"], ["a", "b"]],
    [["agents:a:run"], undefined],
    [["agents:run"], undefined],
    [[], undefined]
  ])("a caller with %j sees %j", (scopes, expected) => {
    const seen = Scope.visible(held(...scopes), "agents")
    assert.deepStrictEqual(typeof seen === "object" ? [...seen] : seen, expected)
  })
})

describe("Scope.isPrivileged", () => {
  it.each<readonly [string, boolean]>([
    ["agents:run", false],
    ["sessions:read", false],
    ["agents:x:run", false],
    ["agents:write", true],
    ["agents:x:delete", true],
    ["system:write", true],
    ["service_accounts:read", true],
    ["service_accounts:*:read", true],
    [admin, true],
    ["corp:root", true],
    ["writers:read", false]
  ])("the scope %s is privileged or not: %s", (scope, expected) => {
    assert.strictEqual(Scope.isPrivileged(scope, "corp:root"), expected)
  })
})

describe("Scope.covers: a caller grants only scopes that they have", () => {
  it.each<readonly [string, string, boolean]>([
    ["agents:run", "agents:run", true],
    ["agents:run", "agents:x:run", true],
    ["agents:run", "agents:*:run", true],
    ["agents:*:run", "agents:run", true],
    ["agents:*:run", "agents:x:run", true],
    ["agents:x:run", "agents:x:run", true],
    ["agents:x:run", "agents:run", false],
    ["agents:x:run", "agents:*:run", false],
    ["agents:x:run", "agents:y:run", false],
    ["agents:run", "agents:read", false],
    ["system:read", "config:read", true],
    ["agents:run", admin, false],
    [admin, admin, true],
    [admin, "anything:at:all", true]
  ])("a caller with %s grants %s: %s", (holds, wanted, expected) => {
    assert.strictEqual(Scope.covers(held(holds), wanted), expected)
  })
})
