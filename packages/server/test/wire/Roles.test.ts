// Roles: who has the scopes of one, when a change counts, and who may write it.
import { assert, describe, it } from "@effect/vitest"
import type { Database } from "@svc-runtime/engine/database/Database"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Cause, Clock, Effect, Exit } from "effect"
import { call, claims, closed, mint, serveClosed, theIssuer, token } from "../authorization/Closed.ts"
import { at, column, failed, list, skippingClock } from "../Wire.ts"

const json = { "content-type": "application/json" }

const send = (server: TestServer.TestServer, method: string, path: string, bearer: string, body?: object) =>
  call(server, {
    path,
    init: { method, headers: json, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  }, bearer)

const create = (server: TestServer.TestServer, bearer: string, name: string, scopes: ReadonlyArray<string>) =>
  send(server, "POST", "/roles", bearer, { name, scopes })

const read = (server: TestServer.TestServer, path: string, bearer: string) =>
  Effect.map(call(server, { path }, bearer), ({ status }) => status)

const admin = token("root", "platform:admin")

const signed = (more: object) => Effect.flatMap(theIssuer, (issuer) => issuer.sign({ ...claims("ann", []), ...more }))

/** Services with the same stored roles, as nodes of one service. */
const sharing = () => {
  let roles: Database["roles"] | undefined
  return { database: (database: Database): Database => ({ ...database, roles: roles ??= database.roles }) }
}

describe("roles of requests", () => {
  it.effect("a token with a role has its scopes until the role is changed, and nothing after it is deleted", () =>
    Effect.gen(function*() {
      const [server, root] = [yield* serveClosed(), yield* admin]
      const bearer = yield* token("ann", "role:support")
      assert.strictEqual(yield* read(server, "/sessions", bearer), 403)
      assert.strictEqual((yield* create(server, root, "support", ["sessions:read"])).status, 201)
      assert.strictEqual(yield* read(server, "/sessions", bearer), 200)
      assert.strictEqual(yield* read(server, "/agents", bearer), 403)
      const changed = yield* send(server, "PATCH", "/roles/support", root, { scopes: ["agents:assistant:read"] })
      assert.deepStrictEqual(at(changed.json, "scopes"), ["agents:assistant:read"])
      assert.strictEqual(yield* read(server, "/sessions", bearer), 403)
      const { json: agents } = yield* call(server, { path: "/agents" }, bearer)
      assert.deepStrictEqual(column(agents as ReadonlyArray<object>, "id"), ["assistant"])
      assert.strictEqual((yield* send(server, "DELETE", "/roles/support", root)).status, 204)
      assert.strictEqual(yield* read(server, "/agents", bearer), 403)
      assert.strictEqual((yield* send(server, "GET", "/roles/support", root)).status, 404)
    }))

  it.effect("a role that another node changes counts after two seconds", () =>
    Effect.gen(function*() {
      const { clock, skip } = yield* skippingClock
      yield* Effect.gen(function*() {
        const shared = sharing()
        const [one, other, root] = [yield* serveClosed(shared), yield* serveClosed(shared), yield* admin]
        const bearer = yield* token("ann", "role:support")
        yield* create(one, root, "support", ["sessions:read"])
        assert.strictEqual(yield* read(other, "/sessions", bearer), 200)
        yield* send(one, "PATCH", "/roles/support", root, { scopes: [] })
        assert.strictEqual(yield* read(one, "/sessions", bearer), 403)
        yield* skip(2)
        assert.strictEqual(yield* read(other, "/sessions", bearer), 403)
      }).pipe(Effect.provideService(Clock.Clock, clock))
    }))

  it.effect("a service account has a role, and loses it with the role", () =>
    Effect.gen(function*() {
      const [server, root] = [yield* serveClosed(), yield* admin]
      yield* create(server, root, "support", ["sessions:read"])
      const account = yield* mint(server, root, { name: "ci", scopes: ["role:support"] })
      assert.strictEqual(yield* read(server, "/sessions", account.token), 200)
      yield* send(server, "DELETE", "/roles/support", root)
      assert.strictEqual(yield* read(server, "/sessions", account.token), 403)
    }))

  it.effect("a caller gets no rights by writing a role, and changes or deletes none that they could not give", () =>
    Effect.gen(function*() {
      const [server, root] = [yield* serveClosed(), yield* admin]
      yield* create(server, root, "lead", ["roles:write", "roles:delete", "sessions:read"])
      yield* create(server, root, "boss", ["platform:admin"])
      const bearer = yield* token("ann", "role:lead")
      const refused = (what: string, scopes: string) => `Cannot ${what} a role with scope(s) you do not hold: ${scopes}`
      failed(
        yield* create(server, bearer, "mine", ["sessions:read", "sessions:delete"]),
        403,
        "FORBIDDEN",
        refused("create", "sessions:delete")
      )
      failed(
        yield* send(server, "PATCH", "/roles/lead", bearer, { scopes: ["roles:write", "sessions:write"] }),
        403,
        "FORBIDDEN",
        refused("change", "sessions:write")
      )
      failed(
        yield* send(server, "PATCH", "/roles/boss", bearer, { scopes: [] }),
        403,
        "FORBIDDEN",
        refused("change", "platform:admin")
      )
      failed(
        yield* send(server, "DELETE", "/roles/boss", bearer),
        403,
        "FORBIDDEN",
        refused("delete", "platform:admin")
      )
      const { json: roles } = yield* call(server, { path: "/roles" }, root)
      assert.deepStrictEqual(list(roles, "data").map((role) => [at(role, "name"), at(role, "scopes")]), [
        ["boss", ["platform:admin"]],
        ["lead", ["roles:write", "roles:delete", "sessions:read"]]
      ])
      assert.strictEqual((yield* create(server, bearer, "mine", ["sessions:read"])).status, 201)
    }))

  it.effect("an account gets a role only from a caller who has it, or all of its scopes", () =>
    Effect.gen(function*() {
      const [server, root] = [yield* serveClosed(), yield* admin]
      yield* create(server, root, "support", ["sessions:read", "agents:run"])
      const minting = Effect.fnUntraced(function*(scopes: ReadonlyArray<string>, wanted: string) {
        const bearer = yield* token("ann", "service_accounts:write", ...scopes)
        const body = { name: "ci", scopes: [wanted], allow_privileged_scopes: true }
        const { json, status } = yield* send(server, "POST", "/service-accounts", bearer, body)
        if (status === 200 || status === 201) {
          yield* send(server, "DELETE", `/service-accounts/${String(at(json, "id"))}`, root)
          return "minted"
        }
        return at(json, "detail")
      })
      const notHeld = "Cannot grant scope(s) you do not hold: role:support"
      assert.strictEqual(yield* minting(["sessions:read"], "role:support"), notHeld)
      assert.strictEqual(yield* minting(["role:*:support"], "role:support"), notHeld)
      assert.strictEqual(
        yield* minting(["platform:admin"], "role:suport"),
        "Invalid scope(s): role:suport. Known: role:support"
      )
      assert.strictEqual(yield* minting(["role:support"], "role:support"), "minted")
      assert.strictEqual(yield* minting(["sessions:read", "agents:run"], "role:support"), "minted")
    }))

  it.effect("what can be no role is refused with a sentence, and nothing is stored", () =>
    Effect.gen(function*() {
      const [server, root] = [yield* serveClosed(), yield* admin]
      for (
        const [scopes, problem] of [
          [["sesions:read"], "there is no scope 'sesions:read'. Did you mean 'sessions:read'?"],
          [["sessions"], "there is no scope 'sessions'."],
          [["role:other"], "it names the role 'other'. List the scopes of that role instead"]
        ] as const
      ) {
        const refused = yield* create(server, root, "support", scopes)
        assert.strictEqual(refused.status, 422)
        assert.include(String(at(refused.json, "detail")), `The role 'support' cannot be used: ${problem}`)
      }
      assert.strictEqual((yield* create(server, root, "not a name", [])).status, 422)
      assert.deepStrictEqual(list((yield* call(server, { path: "/roles" }, root)).json, "data"), [])
      yield* create(server, root, "support", [])
      failed(
        yield* create(server, root, "support", []),
        409,
        "CONFLICT",
        "Another role has this name. Choose another one, or change that one"
      )
    }))

  it.effect("roles are read for credentials that have one, once in two seconds for all of their requests", () =>
    Effect.gen(function*() {
      const { clock, skip } = yield* skippingClock
      let reads = 0
      const database = (database: Database): Database => ({
        ...database,
        roles: { ...database.roles, all: Effect.andThen(Effect.sync(() => void reads++), database.roles.all) }
      })
      const server = yield* Effect.provideService(serveClosed({ database }), Clock.Clock, clock)
      for (let count = 0; count < 3; count++) yield* read(server, "/sessions", yield* token("ann", "sessions:read"))
      assert.strictEqual(reads, 0)
      for (let count = 0; count < 3; count++) yield* read(server, "/sessions", yield* token("bob", "role:none"))
      assert.strictEqual(reads, 1)
      yield* skip(2)
      yield* read(server, "/sessions", yield* token("bob", "role:none"))
      assert.strictEqual(reads, 2)
    }))

  it.effect("a role that does not exist grants nothing, and is logged once", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      for (const user of ["ann", "bob"]) {
        assert.strictEqual(yield* read(server, "/sessions", yield* token(user, "role:ghost")), 403)
      }
      const warnings = server.logs.filter(({ message }) => message.includes("'ghost'"))
      assert.deepStrictEqual(warnings.map(({ message }) => message), [
        "A credential has the role 'ghost', which does not exist: it grants nothing"
      ])
    }))
})

describe("roles of code", () => {
  const authorization = (more: object) => Effect.map(closed, (options) => ({ ...options, ...more }))

  it.effect("a role of code works without the feature, and requests do not change it", () =>
    Effect.gen(function*() {
      const roles = { support: ["sessions:read"] }
      const options = { authorization: yield* authorization({ roles }) }
      const [server, without] = [yield* serveClosed(options), yield* serveClosed({ ...options, without: ["roles"] })]
      const [root, bearer] = [yield* admin, yield* token("ann", "role:support")]
      for (const each of [server, without]) assert.strictEqual(yield* read(each, "/sessions", bearer), 200)
      assert.strictEqual(yield* read(without, "/roles", root), 404)
      const { json: shown } = yield* call(server, { path: "/roles/support" }, root)
      assert.deepInclude(shown, { name: "support", scopes: ["sessions:read"], declared: true, created_at: null })
      const declared = "The code of the service declares the role 'support'. Change it there"
      failed(yield* create(server, root, "support", []), 409, "CONFLICT", declared)
      failed(yield* send(server, "PATCH", "/roles/support", root, { scopes: [] }), 409, "CONFLICT", declared)
      failed(yield* send(server, "DELETE", "/roles/support", root), 409, "CONFLICT", declared)
    }))

  it.effect("a group of the identity provider has its roles, in each form in which providers send groups", () =>
    Effect.gen(function*() {
      const roles = { support: ["sessions:read"] }
      const groupRoles = { "b4c1-guid": "support", "Support Team": ["support"], desk: ["support"] }
      const forms: ReadonlyArray<readonly [string, string, object]> = [
        ["Entra", "groups", { groups: ["11", "b4c1-guid"] }],
        ["Okta", "groups", { groups: ["Everyone", "Support Team"] }],
        ["Keycloak", "realm_access.roles", { realm_access: { roles: ["offline_access", "desk"] } }],
        ["Auth0", "https://example.com/groups", { "https://example.com/groups": ["desk"] }],
        ["one text", "groups", { groups: "Support Team" }],
        ["a text with spaces", "groups", { groups: "other desk" }]
      ]
      for (const [name, groupsClaim, more] of forms) {
        const server = yield* serveClosed({ authorization: yield* authorization({ roles, groupRoles, groupsClaim }) })
        assert.strictEqual(yield* read(server, "/sessions", yield* signed(more)), 200, name)
        assert.strictEqual(yield* read(server, "/sessions", yield* signed({ groups: ["none"] })), 403, name)
        assert.strictEqual(yield* read(server, "/sessions", yield* signed({ groups: 5, realm_access: "x" })), 403, name)
      }
    }))

  it.effect("a role of a group is not deleted while the settings name it", () =>
    Effect.gen(function*() {
      const shared = sharing()
      const [first, root] = [yield* serveClosed(shared), yield* admin]
      yield* create(first, root, "support", ["sessions:read"])
      const mapping = { groupRoles: { desk: "support" }, groupsClaim: "groups" }
      const server = yield* serveClosed({ ...shared, authorization: yield* authorization(mapping) })
      assert.strictEqual(yield* read(server, "/sessions", yield* signed({ groups: ["desk"] })), 200)
      failed(
        yield* send(server, "DELETE", "/roles/support", root),
        409,
        "CONFLICT",
        "The settings give the role 'support' to the group 'desk' (GROUP_ROLES). Remove it there first"
      )
    }))

  it.effect("a group with a role that exists nowhere prevents the start", () =>
    Effect.gen(function*() {
      const mapping = { groupRoles: { desk: "suport" }, groupsClaim: "groups" }
      const options = { authorization: yield* authorization(mapping) }
      const exit = yield* Effect.exit(
        Effect.flatMap(serveClosed(options), (server) => call(server, { path: "/health" }))
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.include(
        Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
        "The group 'desk' has the role 'suport' (GROUP_ROLES), which does not exist. Declare it in"
      )
    }))
})
