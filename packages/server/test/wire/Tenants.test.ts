// Tenants: what callers of one see and change, and that nothing of another one is among it.
import { assert, describe, it } from "@effect/vitest"
import * as Knowledge from "@svc-runtime/features/knowledge/KnowledgeBase"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { call, claims, closed, serveClosed, theIssuer } from "../authorization/Closed.ts"
import { at, column, list } from "../Wire.ts"

const json = { "content-type": "application/json" }

const send = (server: TestServer.TestServer, method: string, path: string, bearer: string, body?: object) =>
  call(server, {
    path,
    init: { method, headers: json, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  }, bearer)

const read = (server: TestServer.TestServer, path: string, bearer: string) => call(server, { path }, bearer)

const rights = ["agents:run", "agents:read", "sessions:read", "sessions:write", "sessions:delete", "memories:read"]

const signed = (sub: string | undefined, tenant: unknown, scopes: ReadonlyArray<string> = rights) =>
  Effect.flatMap(
    theIssuer,
    (issuer) => issuer.sign({ ...claims(sub, scopes), ...(tenant === undefined ? {} : { org: { id: tenant } }) })
  )

const admin = ["platform:admin"]

const run = (server: TestServer.TestServer, bearer: string, session_id: string, more: object = {}) =>
  send(server, "POST", "/agents/assistant/runs", bearer, { message: "hi", stream: false, session_id, ...more })

const ids = (server: TestServer.TestServer, bearer: string, query = "") =>
  Effect.map(
    read(server, `/sessions?type=agent${query}`, bearer),
    (answer) => column(list(answer.json, "data"), "session_id").toSorted()
  )

const served = Effect.gen(function*() {
  const server = yield* serveClosed({ authorization: { ...yield* closed, tenantClaim: "org.id" } })
  const [acme, globex, none] = [
    yield* signed("ann", "acme"),
    yield* signed("ann", "globex"),
    yield* signed("ann", undefined)
  ]
  for (const [bearer, session] of [[acme, "a"], [globex, "g"], [none, "n"]] as const) {
    const answer = yield* run(server, bearer, session)
    assert.strictEqual(answer.status, 200, answer.text)
  }
  return { server, acme, globex, none }
})

describe("tenants", () => {
  it.effect("the same subject is another user in each tenant, and in none", () =>
    Effect.gen(function*() {
      const { acme, globex, none, server } = yield* served
      assert.deepStrictEqual(
        yield* Effect.forEach([acme, globex, none], (bearer) => ids(server, bearer)),
        [["a"], ["g"], ["n"]]
      )
      assert.strictEqual(at((yield* read(server, "/sessions/a", acme)).json, "user_id"), "tenant:acme:ann")
      assert.strictEqual((yield* read(server, "/sessions/g", acme)).status, 404)
      assert.strictEqual((yield* run(server, acme, "g")).status, 404)
      yield* send(server, "DELETE", "/sessions/g", acme)
      assert.strictEqual((yield* read(server, "/sessions/g", globex)).status, 200)
    }))

  it.effect("an admin of a tenant sees and changes all of the tenant, and nothing of another one", () =>
    Effect.gen(function*() {
      const { acme, server } = yield* served
      yield* run(server, yield* signed("bob", "acme"), "b")
      const boss = yield* signed("boss", "acme", admin)
      assert.deepStrictEqual(yield* ids(server, boss), ["a", "b"])
      assert.deepStrictEqual(yield* ids(server, boss, "&user_id=bob"), ["b"])
      assert.deepStrictEqual(yield* ids(server, boss, "&user_id=tenant:globex:ann"), [])
      for (const path of ["/sessions/g", "/sessions/n", "/sessions/g/runs"]) {
        assert.strictEqual((yield* read(server, path, boss)).status, 404, path)
      }
      const renamed = { session_name: "x" }
      assert.strictEqual((yield* send(server, "POST", "/sessions/g/rename", boss, renamed)).status, 404)
      yield* send(server, "DELETE", "/sessions", boss, { session_ids: ["b", "g"], session_types: ["agent", "agent"] })
      assert.deepStrictEqual(yield* ids(server, boss), ["a"])
      const root = yield* signed("root", undefined, admin)
      assert.deepStrictEqual(yield* ids(server, root), ["a", "g", "n"])
      assert.deepStrictEqual(yield* ids(server, root, "&user_id=tenant:globex:"), ["g"])
      assert.deepStrictEqual(yield* ids(server, acme), ["a"])
    }))

  it.effect("what an admin of a tenant starts without a user is the tenant's, and a user that is named is of it", () =>
    Effect.gen(function*() {
      const { server } = yield* served
      const boss = yield* signed(undefined, "acme", admin)
      yield* run(server, boss, "shared")
      yield* run(server, boss, "for-bob", { user_id: "bob" })
      const owners = yield* Effect.forEach(
        ["shared", "for-bob"],
        (id) => Effect.map(read(server, `/sessions/${id}`, boss), (answer) => at(answer.json, "user_id"))
      )
      assert.deepStrictEqual(owners, ["tenant:acme:", "tenant:acme:bob"])
      assert.deepStrictEqual(yield* ids(server, yield* signed("bob", "acme")), ["for-bob"])
    }))

  it.effect("rights for the service as a whole are withheld from callers of a tenant", () =>
    Effect.gen(function*() {
      const { server } = yield* served
      const boss = yield* signed("boss", "acme", ["platform:admin", "roles:write", "service_accounts:write"])
      const refused: ReadonlyArray<readonly [string, string, object?]> = [
        ["POST", "/roles", { name: "x", scopes: [] }],
        ["POST", "/service-accounts", { name: "ci" }],
        ["GET", "/service-accounts"],
        ["POST", "/components", {}],
        ["GET", "/eval-runs"],
        ["GET", "/schedules"],
        ["POST", "/budgets", {}],
        ["POST", "/metrics/refresh"]
      ]
      for (const [method, path, body] of refused) {
        assert.strictEqual((yield* send(server, method, path, boss, body)).status, 403, `${method} ${path}`)
      }
      for (const path of ["/agents", "/config", "/metrics", "/audit", "/webhooks", "/memories", "/approvals"]) {
        assert.strictEqual((yield* read(server, path, boss)).status, 200, path)
      }
      const { json: caller } = yield* read(server, "/caller", boss)
      assert.include(at(caller, "scopes") as ReadonlyArray<string>, "sessions:delete")
      assert.notInclude(at(caller, "scopes") as ReadonlyArray<string>, "roles:read")
    }))

  it.effect("no mapping of a route gives callers of a tenant what is of the service, and the refusal says so", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({
        authorization: {
          ...yield* closed,
          tenantClaim: "org.id",
          scopeMappings: {
            "POST /service-accounts": ["ops:write"],
            "GET /schedules": [],
            "POST /roles": ["sessions:write"],
            "GET /audit": ["ops:read"]
          }
        }
      })
      const account = { name: "ci", tenant: "globex", scopes: ["sessions:read"] }
      const refused: ReadonlyArray<readonly [string, string, object?]> = [
        ["POST", "/service-accounts", account],
        ["POST", "/service-accounts", { name: "ci", scopes: ["sessions:read"] }],
        ["GET", "/schedules"],
        ["POST", "/roles", { name: "x", scopes: [] }]
      ]
      const ann = yield* signed("ann", "acme", [...rights, "ops:write", "ops:read"])
      for (const bearer of [ann, yield* signed("boss", "acme", admin)]) {
        for (const [method, path, body] of refused) {
          const { json: answer, status } = yield* send(server, method, path, bearer, body)
          assert.strictEqual(status, 403, `${method} ${path}`)
          assert.include(String(at(answer, "detail")), "callers of a tenant may not use it, whatever their scopes are")
        }
        assert.strictEqual((yield* read(server, "/audit", bearer)).status, 200)
      }
      const operator = yield* signed("op", undefined, ["ops:write", "sessions:read"])
      const minted = yield* send(server, "POST", "/service-accounts", operator, {
        name: "o",
        scopes: ["sessions:read"]
      })
      assert.strictEqual(minted.status, 201, minted.text)
    }))

  it.effect("a tenant that is no name is refused, and so is a subject that would be in a tenant", () =>
    Effect.gen(function*() {
      const { server } = yield* served
      for (const tenant of ["", "a:b", 5, null, ["acme"], "x".repeat(64)]) {
        const { status, text } = yield* read(server, "/sessions", yield* signed("ann", tenant))
        assert.strictEqual(status, 401, JSON.stringify(tenant))
        assert.include(text, "its tenant is not a text of 1 to 63 letters, digits, '.', '-' and '_'")
      }
      const issuer = yield* theIssuer
      for (const org of ["acme", ["acme"], [{ id: "acme" }], { acme: {} }, {}, null, { id: { name: "acme" } }]) {
        const bearer = yield* issuer.sign({ ...claims("ann", admin), org })
        assert.strictEqual((yield* read(server, "/sessions", bearer)).status, 401, JSON.stringify(org))
      }
      assert.strictEqual((yield* read(server, "/sessions", yield* signed("tenant:acme:ann", undefined))).status, 401)
      const root = yield* signed(undefined, undefined, admin)
      assert.strictEqual((yield* run(server, root, "x", { user_id: "tenant:acme:ann" })).status, 403)
    }))

  it.effect("a service account of a tenant sees what is of it, and only an admin of the service makes one", () =>
    Effect.gen(function*() {
      const { server } = yield* served
      const root = yield* signed("root", undefined, admin)
      const body = { name: "ci", tenant: "acme", scopes: rights, allow_privileged_scopes: true }
      const { json: made } = yield* send(server, "POST", "/service-accounts", root, body)
      assert.deepInclude(made, { tenant: "acme", principal: "tenant:acme:sa:ci" })
      const account = String(at(made, "token"))
      yield* run(server, account, "of-ci")
      assert.deepStrictEqual(yield* ids(server, account), ["of-ci"])
      assert.deepStrictEqual(yield* ids(server, yield* signed("boss", "acme", admin)), ["a", "of-ci"])
      const boss = { name: "boss", tenant: "acme", scopes: ["platform:admin"], allow_privileged_scopes: true }
      const { json: all } = yield* send(server, "POST", "/service-accounts", root, boss)
      assert.deepStrictEqual(yield* ids(server, String(at(all, "token"))), ["a", "of-ci"])
      const minter = yield* signed("ann", undefined, ["service_accounts:write", ...rights])
      const refused = yield* send(server, "POST", "/service-accounts", minter, { ...body, name: "other" })
      assert.strictEqual(refused.status, 403)
      assert.include(refused.text, "Only an admin may make the service account of a tenant")
      const invalid = yield* send(server, "POST", "/service-accounts", root, { ...body, name: "x", tenant: "a:b" })
      assert.strictEqual(invalid.status, 422)
    }))

  it.effect("contents of a tenant are found by its users, and not by another tenant", () =>
    Effect.gen(function*() {
      const scopes = [...rights, "knowledge:read", "knowledge:write", "knowledge:delete"]
      const server = yield* serveClosed({
        authorization: { ...yield* closed, tenantClaim: "org.id" },
        knowledge: [Knowledge.make({ name: "own" }), Knowledge.make({ name: "all", isolation: "shared" })],
        embedder: "demo"
      })
      const root = yield* signed("root", undefined, admin)
      // a request without one names them
      const { text: bases } = yield* read(server, "/knowledge/content", root)
      const [own, all] = [...bases.matchAll(/[\da-f-]{36}/g)].map(([id]) => id)
      const store = Effect.fnUntraced(function*(bearer: string, name: string, base = own) {
        const body = new URLSearchParams({ name, text_content: "Bees make honey." })
        const path = `/knowledge/content?knowledge_id=${base}`
        return (yield* call(server, { path, init: { method: "POST", body } }, bearer)).status
      })
      const names = (bearer: string, base = own) =>
        Effect.map(read(server, `/knowledge/content?knowledge_id=${base}`, bearer), ({ json: found }) =>
          column(list(found, "data"), "name").toSorted())
      const acme = yield* signed("boss", "acme", admin)
      const [ann, globex] = [yield* signed("ann", "acme", scopes), yield* signed("ann", "globex", scopes)]
      assert.deepStrictEqual(
        yield* Effect.forEach([[acme, "of acme"], [ann, "of ann"], [globex, "of globex"]] as const, ([bearer, name]) =>
          store(bearer, name)),
        [202, 202, 202],
        "stored"
      )
      assert.deepStrictEqual(yield* names(ann), ["of acme", "of ann"])
      assert.deepStrictEqual(yield* names(globex), ["of globex"])
      assert.deepStrictEqual(yield* names(acme), ["of acme"])
      yield* send(server, "DELETE", `/knowledge/content?knowledge_id=${own}`, acme)
      assert.deepStrictEqual(yield* names(globex), ["of globex"])
      assert.deepStrictEqual(yield* names(ann), ["of ann"])
      assert.deepStrictEqual([yield* store(acme, "x", all), yield* store(root, "manual", all)], [403, 202])
      yield* send(server, "DELETE", `/knowledge/content?knowledge_id=${all}`, acme)
      assert.deepStrictEqual(yield* names(globex, all), ["manual"])
    }))
})
