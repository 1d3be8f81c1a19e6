// The meaning of claims, without signatures.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Scope from "@svc-runtime/domain/Scope"
import * as JwtClaims from "../src/JwtClaims.ts"
import { closed, jwt } from "./Settings.ts"

const none = Scope.grants([], Scope.defaultAdmin)

const now = 1_795_223_413
const settings = jwt({})
const messageOf = (refusal: { readonly message: string } | undefined) => refusal?.message

describe("the times of a token", () => {
  it.each<readonly [rule: string, JwtClaims.Claims, string | undefined]>([
    ["a token without times is accepted", {}, undefined],
    ["a token expires when exp has passed", { exp: now - 10 }, "Token has expired"],
    ["exp is compared with a leeway", { exp: now - 9 }, undefined],
    ["a token is not valid before nbf", { nbf: now + 11 }, "Invalid token: it is not valid yet"],
    ["nbf is compared with a leeway", { nbf: now + 10 }, undefined],
    ["a token cannot be issued in the future", { iat: now + 11 }, "Invalid token: it was issued in the future"],
    ["iat is compared with a leeway", { iat: now + 10 }, undefined],
    ["the age of a token is not limited", { iat: 0 }, undefined],
    [
      "a time that is a text is refused",
      { exp: String(now + 60) },
      "Invalid token: its exp, nbf and iat have to be numbers"
    ],
    ["a time that is null is refused", { exp: null }, "Invalid token: its exp, nbf and iat have to be numbers"],
    ["a time that is a list is refused", { nbf: [now] }, "Invalid token: its exp, nbf and iat have to be numbers"]
  ])("the times of a token are checked: %s: %j", (_, claims, expected) => {
    assert.strictEqual(messageOf(JwtClaims.refusedAt(claims, settings, now)), expected)
  })
})

describe("the audience of a token", () => {
  const wrong = "Invalid token audience - token not valid for this Svc instance"
  const strict = jwt({ audience: ["svc", "other"] })
  it.each<readonly [rule: string, Json.Value | undefined, string | undefined]>([
    ["one of the expected values", "svc", undefined],
    ["any overlap will do", ["x", "other"], undefined],
    ["none of them is refused", "elsewhere", wrong],
    ["so is an empty list", [], wrong],
    ["and what is no text", [1, { svc: true }], wrong],
    ["and null", null, wrong],
    ["a part of the name is not the name", "sv", wrong]
  ])("the audience of a token is checked: %s: %j", (_, aud, expected) => {
    assert.strictEqual(messageOf(JwtClaims.refused({ aud: aud ?? null }, strict)), expected)
  })

  it("the audience is required when it is checked", () => {
    assert.match(messageOf(JwtClaims.refused({}, strict)) ?? "", /^Invalid token: Token is missing the "aud" claim\./)
  })

  it("an audience is not checked without a setting", () => {
    assert.isUndefined(JwtClaims.refused({ aud: "elsewhere" }, settings))
  })

  it("the audience can be in another claim", () => {
    assert.isUndefined(JwtClaims.refused({ client: "svc" }, jwt({ audience: ["svc"], audienceClaim: "client" })))
  })
})

describe("the issuer of a token", () => {
  it.each<readonly [Json.Value, boolean]>([["https://id.test", true], ["https://id.test/", false], [
    ["https://id.test"],
    false
  ]])(
    "the issuer %j is accepted or refused: %s",
    (iss, accepted) => {
      const refusal = JwtClaims.refused({ iss }, jwt({ issuer: "https://id.test" }))
      assert.strictEqual(refusal === undefined, accepted)
    }
  )
})

describe("the subject of a token", () => {
  it.each(["sa:bot", "__oauth__:client", "__scheduler__"])(
    "the subject %s is reserved for the service itself",
    (sub) => {
      assert.strictEqual(messageOf(JwtClaims.refused({ sub }, settings)), "Invalid token subject")
    }
  )

  it.each<Json.Value>([1, null, ["ann"], { id: "ann" }, true, "a".repeat(513), "a\u0000", "a\ud800"])(
    "a subject is text that can be stored unchanged, not %j",
    (sub) => {
      assert.strictEqual(
        messageOf(JwtClaims.refused({ sub }, settings)),
        "Invalid token: its subject is not a text of at most 512 characters that can be stored"
      )
    }
  )

  it("the subject can be in another claim, and is reserved there too", () => {
    const other = jwt({ userIdClaim: "uid" })
    assert.strictEqual(messageOf(JwtClaims.refused({ sub: "ann", uid: "sa:bot" }, other)), "Invalid token subject")
    assert.strictEqual(JwtClaims.toPrincipal({ sub: "ann", uid: "bob" }, closed({ jwt: other }), none).user_id, "bob")
  })
})

describe("the groups of a token", () => {
  const groupRoles = new Map([["Support Team", ["desk"]], ["Support", ["lead"]], ["ops", ["desk", "lead"]]])
  it.each<readonly [Json.Value, ReadonlyArray<string>]>([
    ["Support Team", ["role:desk"]],
    ["Support other", ["role:lead"]],
    [["Support Team", "ops", 5], ["role:desk", "role:lead"]],
    [["ops ", "OPS", "role:admin", "__proto__"], []],
    [{ ops: true }, []],
    [null, []]
  ])("the groups %j have the roles %j", (groups, expected) => {
    const settings = jwt({ groupsClaim: "groups", groupRoles })
    assert.deepStrictEqual(JwtClaims.allScopesOf({ groups }, settings), expected)
    assert.deepStrictEqual(JwtClaims.allScopesOf({ groups, scopes: ["a:b"] }, jwt({ groupRoles })), ["a:b"])
  })
})

describe("the session of a token", () => {
  it.each<Json.Value>(["", 1, null, ["s"]])(
    "a token whose session is %j is refused, and is not without a limit",
    (id) => {
      const expected = "Invalid token: its session id is not a text of at most 512 characters that can be stored"
      assert.include(messageOf(JwtClaims.refused({ session_id: id }, settings)), expected)
    }
  )
})

describe("the principal of a token", () => {
  const principal = (claims: JwtClaims.Claims, fields = {}) => {
    const settings = closed(fields)
    const grants = Scope.grants(JwtClaims.allScopesOf(claims, settings.jwt), settings.adminScope)
    return JwtClaims.toPrincipal(claims, settings, grants)
  }

  it.each<readonly [Json.Value | undefined, ReadonlyArray<string>]>([
    [["a:read", "b:read"], ["a:read", "b:read"]],
    ["a:read", ["a:read"]],
    ["a:read  b:read", ["a:read", "b:read"]],
    ["", []],
    [["a:read", 1, null, ["b:read"]], ["a:read"]],
    [{ "a:read": true }, []],
    [7, []],
    [null, []]
  ])("scopes of %j are read as %j", (scopes, expected) => {
    assert.deepStrictEqual(principal({ scopes: scopes ?? null }).grants?.scopes, expected)
  })

  it("a principal has no scopes when the claim is absent", () => {
    assert.deepStrictEqual(principal({}).grants?.scopes, [])
  })

  it("a user is isolated, unless it is an admin or isolation is off", () => {
    assert.isTrue(principal({ sub: "ann" }).isIsolated)
    assert.isTrue(principal({}).isIsolated)
    assert.isFalse(principal({ sub: "ann", scopes: ["platform:admin"] }).isIsolated)
    assert.isFalse(principal({ sub: "ann" }, { userIsolation: false }).isIsolated)
    assert.isTrue(principal({ sub: "ann", scopes: ["platform:admin"] }, { adminScope: "corp:root" }).isIsolated)
    assert.isFalse(principal({ sub: "ann", scopes: ["corp:root"] }, { adminScope: "corp:root" }).isIsolated)
  })

  it("an empty subject identifies no user", () => {
    assert.isUndefined(principal({ sub: "" }).user_id)
  })

  it("a principal carries the session of the token, and the claims that runs can see", () => {
    const settings = jwt({ dependenciesClaims: ["tenant", "absent"], sessionStateClaims: ["plan"] })
    const found = principal({ sub: "ann", session_id: "s1", tenant: { id: 7 }, plan: "gold" }, { jwt: settings })
    assert.strictEqual(found.session_id, "s1")
    assert.deepStrictEqual(found.dependencies, { tenant: { id: 7 } })
    assert.deepStrictEqual(found.session_state, { plan: "gold" })
    assert.deepStrictEqual(found.claims, { sub: "ann", session_id: "s1", tenant: { id: 7 }, plan: "gold" })
  })

  it("claims are not looked for in the prototype of objects", () => {
    const settings = jwt({ dependenciesClaims: ["constructor", "toString"] })
    assert.deepStrictEqual(principal({ sub: "ann" }, { jwt: settings }).dependencies, {})
  })
})
