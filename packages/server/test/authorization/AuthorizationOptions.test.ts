// What makes a service open or closed, and what stops it from starting.
import { assert, describe, it } from "@effect/vitest"
import { problemOfRoles } from "@svc-runtime/http/authorization/Authentication"
import { type AuthorizationOptions, combine, resolve } from "@svc-runtime/http/authorization/AuthorizationOptions"
import { standardRoles } from "@svc-runtime/http/authorization/standardRoles"
import { ConfigProvider, Effect, Redacted, Result } from "effect"
import { openRefusal } from "../../src/application/ApplicationParts.ts"
import { Config } from "../../src/Config.ts"
import { everything } from "./Closed.ts"

const pem = "-----BEGIN PUBLIC KEY-----"

const resolved = (options: AuthorizationOptions) => Result.getOrThrow(resolve(options, "my-service"))
const refusal = (options: AuthorizationOptions) => {
  const result = resolve(options, "my-service")
  return Result.isFailure(result) ? result.failure : "accepted"
}

const configured = (env: Readonly<Record<string, string>>) =>
  Config.pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env))))

describe("the mode", () => {
  it.each<readonly [rule: string, AuthorizationOptions, string]>([
    ["none, when nothing is set", {}, "none"],
    ["a security key", { securityKey: "k" }, "security_key"],
    ["a key for tokens", { verificationKeys: [pem] }, "jwt"],
    ["a key set", { jwksFile: "jwks.json" }, "jwt"],
    ["tokens count for more than the security key", { securityKey: "k", verificationKeys: [pem] }, "jwt"],
    ["the token that the service sends to itself closes nothing", { internalToken: "t" }, "none"]
  ])("the mode is derived from the settings: %s", (_, options, mode) => {
    assert.strictEqual(resolved(options).settings.mode, mode)
  })

  it("users are isolated wherever tokens authenticate them, unless that is turned off", () => {
    assert.isTrue(resolved({ verificationKeys: [pem], enabled: true }).settings.userIsolation)
    assert.isTrue(resolved({ verificationKeys: [pem] }).settings.userIsolation)
    assert.isFalse(resolved({ verificationKeys: [pem], userIsolation: false }).settings.userIsolation)
    assert.isFalse(resolved({}).settings.userIsolation)
  })

  it("the audience is checked when there is one, and is the id of the service when only the check is required", () => {
    const audience = (options: AuthorizationOptions) => resolved(options).settings.jwt.audience
    assert.isUndefined(audience({}))
    assert.deepStrictEqual(audience({ audience: "a" }), ["a"])
    assert.deepStrictEqual(audience({ audience: ["a", "b"] }), ["a", "b"])
    assert.deepStrictEqual(audience({ verifyAudience: true }), ["my-service"])
    assert.isUndefined(audience({ audience: "a", verifyAudience: false }))
  })
})

describe("what stops the start, with what to set", () => {
  it.each<readonly [rule: string, AuthorizationOptions, RegExp]>([
    [
      "authorization without a key",
      { enabled: true },
      /AUTHORIZATION is on, but .* Set JWT_VERIFICATION_KEY .* or JWT_JWKS_FILE/
    ],
    ["a security key is none", { enabled: true, securityKey: "k" }, /AUTHORIZATION is on, but/],
    [
      "an algorithm that is none",
      { verificationKeys: [pem], algorithm: "none" },
      /JWT_ALGORITHM=none is none that can be checked/
    ],
    ["an algorithm in lower case", { verificationKeys: [pem], algorithm: "rs256" }, /JWT_ALGORITHM=rs256/],
    [
      "a tenant without scopes that are enforced",
      { verificationKeys: [pem], tenantClaim: "org" },
      /TENANT_CLAIM is set, but AUTHORIZATION is not on/
    ],
    ["roles of groups that are not read", { groupRoles: { desk: "support" } }, /Set GROUPS_CLAIM/],
    [
      "a role that names another one",
      { roles: { lead: ["role:support"] } },
      /The role 'lead' cannot be used: it names the role 'support'/
    ],
    ["a role whose name is none", { roles: { "a b": [] } }, /The role 'a b' cannot be used: its name has to be/],
    ["a mapping that cannot be meant", { scopeMappings: { "GET agents": [] } }, /The scope mapping "GET agents"/]
  ])("the start stops for invalid settings: %s", (_, options, expected) => {
    assert.match(refusal(options), expected)
  })

  it.effect("an open service that other machines can reach stops the start", () =>
    Effect.gen(function*() {
      for (const host of ["0.0.0.0", "::", "10.0.0.1", "example.test", "127.0.0.1.example.test"]) {
        assert.match(
          openRefusal(yield* configured({ HOST: host })) ?? "",
          /HOST=.* would let everybody .* ALLOW_OPEN=true/
        )
      }
      for (const host of ["127.0.0.1", "::1", "localhost", "127.1.2.3"]) {
        assert.isUndefined(openRefusal(yield* configured({ HOST: host })))
      }
      assert.isUndefined(openRefusal(yield* configured({ HOST: "0.0.0.0", ALLOW_OPEN: "true" })))
    }))
})

describe("keys", () => {
  it("the keys of the application and of the environment are all used", () => {
    const given = { verificationKeys: ["one"], jwksFile: "a.json", algorithm: "HS256" }
    const environment = { verificationKeys: ["two"], jwksFile: "b.json", algorithm: "RS256", issuer: "us" }
    const { jwt } = resolved(combine(given, environment)).settings
    assert.deepStrictEqual(jwt.verificationKeys.map((key) => Redacted.value(key)), ["one", "two"])
    assert.deepStrictEqual(jwt.jwksFiles, ["a.json", "b.json"])
    assert.deepStrictEqual([jwt.algorithm, jwt.issuer], ["HS256", "us"])
    assert.deepStrictEqual(resolved(combine({}, { jwksFile: "b.json" })).settings.jwt.jwksFiles, ["b.json"])
    assert.strictEqual(resolved(combine({}, {})).settings.mode, "none")
  })
})

describe("the roles of code and of groups", () => {
  const problem = (options: AuthorizationOptions, areStored = false) =>
    problemOfRoles({ ...resolved(options), resources: ["memories"] }, areStored)

  it("a role with a scope that does not exist stops the start, with the scope that is probably meant", () => {
    assert.strictEqual(
      problem({ roles: { support: ["memories:read", "sesions:read"] } }),
      "The role 'support' cannot be used: there is no scope 'sesions:read'. Did you mean 'sessions:read'?"
    )
    assert.strictEqual(
      problem({ roles: { support: ["memories:read sessions:read"] } }),
      "The role 'support' cannot be used: 'memories:read sessions:read' is several scopes in one text. " +
        "Write each of them as a text of its own."
    )
    const valid = [
      "memories:read",
      "agents:desk:run",
      "agents:*:run",
      "platform:admin",
      "system:read",
      "metrics:scrape"
    ]
    const ofOperator = ["orders:eu*:read", "reports:agents:read", "run:all"]
    assert.isUndefined(problem({ roles: { support: [...valid, ...ofOperator] } }))
  })

  const ofAgents = "There are agents:read, agents:write, agents:delete, agents:run"

  it.each([
    [
      "agents:des*:run",
      "'agents:des*:run' grants nothing: a '*' stands for a whole id. Write a scope for each id, or 'agents:run' for " +
      "all of them"
    ],
    ["sessions:s1:read", "there is no scope 'sessions:s1:read'. Did you mean 'sessions:read'?"],
    ["agents:desk:*", `there is no scope 'agents:desk:*'. ${ofAgents}`],
    ["agents:*", `there is no scope 'agents:*'. ${ofAgents}`],
    ["agents:admin", `there is no scope 'agents:admin'. ${ofAgents}`],
    ["agents:desk:admin", `there is no scope 'agents:desk:admin'. ${ofAgents}`],
    ["agents:execute", `there is no scope 'agents:execute'. ${ofAgents}`],
    ["run:agents", "there is no scope 'run:agents'. Did you mean 'agents:run'?"],
    ["run:agents:desk", "there is no scope 'run:agents:desk'. Did you mean 'agents:desk:run'?"],
    ["agents:run:desk", "there is no scope 'agents:run:desk'. Did you mean 'agents:desk:run'?"],
    ["agents.run", "there is no scope 'agents.run'. Did you mean 'agents:run'?"],
    ["agents", "there is no scope 'agents'. docs/operate/authorization.md has the scopes"],
    ["admin", "there is no scope 'admin'. Did you mean 'platform:admin'?"],
    ["*", "there is no scope '*'. Did you mean 'platform:admin'?"],
    ["*:*", "there is no scope '*:*'. Did you mean 'platform:admin'?"]
  ])("a role with the scope %s stops the start, with what to write in its place", (scope, sentence) => {
    const [message = ""] = (problem({ roles: { support: [scope] } }) ?? "accepted").split(/\.$/)
    assert.strictEqual(message, `The role 'support' cannot be used: ${sentence}`)
  })

  it("each standard role has scopes that exist", () => {
    const read = standardRoles.viewer.map((scope) => scope.split(":")[0] ?? "")
    assert.isUndefined(problemOfRoles({ ...resolved({ roles: standardRoles }), resources: read }, false))
    for (const scope of standardRoles.viewer) assert.include(everything, scope)
    for (const scope of [...standardRoles.operator, ...standardRoles.approver]) {
      assert.isTrue(everything.includes(scope) || scope.endsWith(":run"), scope)
    }
  })

  it("a group with an unknown role stops the start where no roles are stored", () => {
    const options = { groupsClaim: "groups", groupRoles: { desk: ["support", "lead"] }, roles: { support: [] } }
    const expected = "The group 'desk' has the role 'lead' (GROUP_ROLES), which does not exist. Declare it in " +
      "'authorization.roles'."
    assert.strictEqual(problem(options), expected)
    assert.isUndefined(problem(options, true))
  })
})

describe("the environment", () => {
  it.effect("every setting without code has a variable", () =>
    Effect.gen(function*() {
      const { authorization } = yield* configured({
        AUTHORIZATION: "true",
        USER_ISOLATION: "false",
        ADMIN_SCOPE: "corp:root",
        OS_SECURITY_KEY: "key",
        INTERNAL_SERVICE_TOKEN: "internal",
        JWT_VERIFICATION_KEY: pem,
        JWT_JWKS_FILE: "jwks.json",
        JWT_ALGORITHM: "ES256",
        JWT_AUDIENCE: "a, b",
        JWT_ISSUER: "https://id.test/",
        JWT_SCOPES_CLAIM: "scope",
        JWT_USER_ID_CLAIM: "uid",
        GROUPS_CLAIM: "groups",
        GROUP_ROLES: `{"desk": ["support"]}`,
        TENANT_CLAIM: "org",
        TOKEN_SOURCE: "both",
        TOKEN_COOKIE: "sid",
        SERVICE_ACCOUNT_CACHE_TTL_SECONDS: "30"
      })
      const { serviceAccountCacheSeconds, settings } = resolved(authorization)
      assert.strictEqual(serviceAccountCacheSeconds, 30)
      const { internalToken, jwt, securityKey, ...rest } = settings
      assert.deepStrictEqual<unknown>(rest, {
        mode: "jwt",
        enforceScopes: true,
        userIsolation: false,
        adminScope: "corp:root",
        tokenSource: "both",
        tokenHeader: "authorization",
        cookieName: "sid"
      })
      assert.strictEqual(securityKey === undefined ? "" : Redacted.value(securityKey), "key")
      assert.strictEqual(internalToken === undefined ? "" : Redacted.value(internalToken), "internal")
      const { verificationKeys, ...tokens } = jwt
      assert.deepStrictEqual(verificationKeys.map(Redacted.value), [pem])
      assert.deepStrictEqual<unknown>(tokens, {
        jwksFiles: ["jwks.json"],
        algorithm: "ES256",
        audience: ["a", "b"],
        issuer: "https://id.test/",
        clockToleranceSeconds: 10,
        groupsClaim: "groups",
        groupRoles: new Map([["desk", ["support"]]]),
        tenantClaim: "org",
        scopesClaim: "scope",
        userIdClaim: "uid",
        sessionIdClaim: "session_id",
        audienceClaim: "aud",
        dependenciesClaims: [],
        sessionStateClaims: []
      })
      assert.notInclude(JSON.stringify(settings), pem)
    }))

  it.effect.each([
    ["AUTHORIZATION", "maybe"],
    ["USER_ISOLATION", "2"],
    ["TOKEN_SOURCE", "body"],
    ["SERVICE_ACCOUNT_CACHE_TTL_SECONDS", "soon"],
    ["SERVICE_ACCOUNT_CACHE_TTL_SECONDS", "-1"]
  ])("the variable %s=%s is refused by name", ([name, value]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(configured({ [name!]: value! }))
      assert.include(error.message, name!)
    }))

  it.effect("empty variables count as not set", () =>
    Effect.gen(function*() {
      const { authorization } = yield* configured({ JWT_VERIFICATION_KEY: "", JWT_AUDIENCE: "," })
      assert.strictEqual(resolved(authorization).settings.mode, "none")
      assert.isUndefined(resolved(authorization).settings.jwt.audience)
    }))

  it.effect.each(["", " "])(
    "a security key that is set and empty ('%s') is refused, and does not open the service",
    (key) =>
      Effect.gen(function*() {
        const env = { OS_SECURITY_KEY: key, PORT: "1" }
        for (const provider of [ConfigProvider.fromUnknown(env), ConfigProvider.fromEnv({ env })]) {
          const { message } = yield* Effect.flip(Effect.provide(Config, ConfigProvider.layer(provider)))
          assert.strictEqual(message, "OS_SECURITY_KEY is set and empty. Give it a value, or unset it")
        }
        const other = ConfigProvider.fromEnv({ env: { OS_SECURITY_KEY_FILE: "a", SECURITY_KEY: "" } })
        yield* Effect.provide(Config, ConfigProvider.layer(other))
      })
  )
})
