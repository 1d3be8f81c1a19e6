// What an admin of a tenant does for its users, and what the users of a tenant share.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, column, list } from "../Wire.ts"
import { admin, read, rights, send, serveTenants, signed } from "./TenantCallers.ts"

const scopes = [...rights, "memories:write", "learnings:read", "learnings:write", "learnings:delete", "memories:delete"]

const knowledge = (title: string, more: object = {}) => ({
  learning_type: "learned_knowledge",
  content: { title },
  ...more
})

describe("an admin of a tenant", () => {
  it.effect("memories are written, replaced and switched off for the user that the request names", () =>
    Effect.gen(function*() {
      const server = yield* serveTenants()
      const [boss, bob] = [yield* signed("boss", "acme", admin), yield* signed("bob", "acme", scopes)]
      const made = yield* send(server, "POST", "/memories", boss, { memory: "likes tea", user_id: "bob" })
      assert.deepInclude(made.json, { user_id: "tenant:acme:bob" })
      const path = `/memories/${at(made.json, "memory_id")}`
      const patched = yield* send(server, "PATCH", path, boss, { memory: "likes coffee", user_id: "bob" })
      assert.deepInclude(patched.json, { user_id: "tenant:acme:bob", memory: "likes coffee" })
      const { json: found } = yield* read(server, "/memories", bob)
      assert.deepStrictEqual(column(list(found, "data"), "memory"), ["likes coffee"])
      const root = yield* signed("root", undefined, admin)
      const change = { memory: "likes milk", user_id: "tenant:acme:bob" }
      assert.strictEqual((yield* send(server, "PATCH", path, root, change)).status, 200)
      for (const user of ["bob", "tenant:acme:bob"]) {
        const settings = `/users/${user}/memory-settings`
        assert.deepStrictEqual((yield* send(server, "PUT", settings, boss, { enabled: false })).json, {
          enabled: false
        })
        assert.deepStrictEqual((yield* read(server, settings, bob)).json, { enabled: false })
      }
      const globex = yield* signed("boss", "globex", admin)
      assert.strictEqual((yield* send(server, "PATCH", path, globex, { memory: "x", user_id: "bob" })).status, 404)
      yield* send(server, "DELETE", "/users/tenant:acme:bob/memory", globex)
      assert.strictEqual((yield* read(server, path, bob)).status, 200)
      assert.strictEqual((yield* send(server, "DELETE", "/users/bob/memory", boss)).status, 200)
      assert.strictEqual((yield* read(server, path, bob)).status, 404)
      const ann = yield* signed("ann", "acme", scopes)
      assert.strictEqual((yield* read(server, "/users/bob/memory-settings", ann)).status, 403)
      assert.deepInclude((yield* send(server, "POST", "/memories", ann, { memory: "a", user_id: "bob" })).json, {
        user_id: "tenant:acme:ann"
      })
    }))

  it.effect("learnings without a user are those of the tenant, and no other tenant reads them", () =>
    Effect.gen(function*() {
      const server = yield* serveTenants()
      const [boss, ann, bob] = [
        yield* signed("boss", "acme", admin),
        yield* signed("ann", "acme", scopes),
        yield* signed("bob", "acme", scopes)
      ]
      const globex = yield* signed("ann", "globex", scopes)
      const made = yield* send(server, "POST", "/learnings", ann, knowledge("pricing"))
      assert.deepInclude(made.json, { user_id: "tenant:acme:", metadata: { status: "proposed" } }, made.text)
      const path = `/learnings/${at(made.json, "learning_id")}`
      const titles = (bearer: string, query = "") =>
        Effect.map(
          read(server, `/learnings${query}`, bearer),
          ({ json: found }) => column(list(found, "data"), "content").map((content) => at(content, "title")).toSorted()
        )
      assert.deepStrictEqual(
        yield* Effect.forEach([boss, ann, bob, globex], (bearer) => titles(bearer)),
        [["pricing"], ["pricing"], ["pricing"], []]
      )
      assert.strictEqual((yield* read(server, path, globex)).status, 404)
      assert.strictEqual((yield* send(server, "DELETE", path, ann)).status, 403)
      assert.strictEqual((yield* send(server, "PATCH", path, boss, { metadata: {} })).status, 200)
      yield* send(server, "POST", "/learnings", boss, knowledge("of bob", { user_id: "bob" }))
      assert.deepStrictEqual(yield* titles(boss, "?user_id=bob"), ["of bob"])
      assert.deepStrictEqual(yield* titles(bob), ["of bob", "pricing"])
      assert.strictEqual((yield* send(server, "DELETE", "/learnings/users/bob", boss)).status, 204)
      assert.strictEqual((yield* send(server, "DELETE", path, boss)).status, 204)
      assert.deepStrictEqual(yield* titles(bob), [])
    }))
})
