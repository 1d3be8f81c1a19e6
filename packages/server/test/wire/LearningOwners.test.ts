// The owners of learnings in a service with authorization.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { type Answer, at, column, failed, list, notFound } from "../Wire.ts"

Tier.oneIn(3)

const profile = { learning_type: "user_profile", user_id: "ann", content: { name: "Ann" } }
const knowledge = { learning_type: "learned_knowledge", content: { title: "T", learning: "L" } }

describe("learnings of a closed service", () => {
  const scopes = ["learnings:read", "learnings:write", "learnings:delete"]

  const populated = Effect.gen(function*() {
    const server = yield* serveClosed()
    const admin = yield* token("root", "platform:admin")
    const as = (bearer: string) => (method: string, path: string, body?: unknown) =>
      call(server, {
        path,
        init: {
          method,
          ...(body === undefined ? {} : {
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body)
          })
        }
      }, bearer)
    const root = as(admin)
    for (const user_id of ["ann", "bob"]) yield* root("POST", "/learnings", { ...profile, user_id })
    const shared = yield* root("POST", "/learnings", knowledge)
    return { as, root, shared: `/learnings/${String(at(shared.json, "learning_id"))}` }
  })

  it.effect("an isolated caller sees their own learnings and those without an owner", () =>
    Effect.gen(function*() {
      const { as, root, shared } = yield* populated
      const ann = as(yield* token("ann", ...scopes))
      const seen = (yield* ann("GET", "/learnings")).json
      assert.sameMembers([...column(list(seen, "data"), "user_id")], ["ann", null])
      assert.strictEqual(at(seen, "meta", "total_count"), 2)
      assert.lengthOf(list((yield* ann("GET", "/learnings?user_id=ann")).json, "data"), 1)
      assert.strictEqual((yield* ann("GET", shared)).status, 200)
      notFound(yield* ann("GET", "/learnings/user_profile_bob"), "Learning not found")
      notFound(yield* ann("PATCH", "/learnings/user_profile_bob", { content: {} }), "Learning not found")
      notFound(yield* ann("DELETE", "/learnings/user_profile_bob"), "Learning not found")
      assert.deepStrictEqual(column(list((yield* ann("GET", "/learnings/users")).json, "data"), "user_id"), ["ann"])
      assert.strictEqual((yield* root("GET", "/learnings/user_profile_bob")).status, 200)
    }))

  it.effect("an isolated caller who names another user is refused, also a token without a subject", () =>
    Effect.gen(function*() {
      const { as } = yield* populated
      for (const subject of ["ann", undefined]) {
        const caller = as(yield* token(subject, ...scopes))
        const forbidden = (answer: Answer, detail: string) => failed(answer, 403, "FORBIDDEN", detail)
        forbidden(yield* caller("GET", "/learnings?user_id=bob"), "Cannot list learnings for another user")
        forbidden(yield* caller("GET", "/learnings/users?user_id=bob"), "Cannot list learning users for another user")
        forbidden(
          yield* caller("POST", "/learnings", { ...knowledge, user_id: "bob" }),
          "Cannot create learnings for another user"
        )
        forbidden(yield* caller("DELETE", "/learnings/users/bob"), "Cannot delete learnings for another user")
      }
      const unnamed = as(yield* token(undefined, ...scopes))
      assert.deepStrictEqual(list((yield* unnamed("GET", "/learnings")).json, "data"), [])
    }))

  it.effect("only unscoped callers change learnings without an owner", () =>
    Effect.gen(function*() {
      const { as, root, shared } = yield* populated
      const ann = as(yield* token("ann", ...scopes))
      const detail = "Only admins can modify learnings that have no owner (user_id is null)"
      failed(yield* ann("PATCH", shared, { content: {} }), 403, "FORBIDDEN", detail)
      failed(yield* ann("PATCH", shared, {}), 403, "FORBIDDEN", detail)
      failed(yield* ann("DELETE", shared), 403, "FORBIDDEN", detail)
      assert.strictEqual((yield* root("PATCH", shared, { metadata: { reviewed: true } })).status, 200)
      assert.strictEqual((yield* root("DELETE", shared)).status, 204)
    }))

  it.effect("an isolated caller takes no id that belongs to others, and is not shown whether it is used", () =>
    Effect.gen(function*() {
      const { as, root } = yield* populated
      const write = ["sessions:read", "sessions:write"]
      const [ann, bob] = [as(yield* token("ann", ...scopes, ...write)), as(yield* token("bob", ...scopes, ...write))]
      const context = (session_id: string, fields = {}) => ({
        learning_type: "session_context",
        session_id,
        content: { summary: "S" },
        ...fields
      })
      assert.strictEqual((yield* bob("POST", "/sessions?type=agent", { session_id: "of-bob" })).status, 201)
      const entity = { learning_type: "entity_memory", entity_type: "shop", entity_id: "tea", content: {} }
      yield* root("POST", "/learnings", { ...entity, user_id: "bob" })
      const refused = "Cannot create learnings for another user"
      failed(yield* ann("POST", "/learnings", context("of-bob")), 403, "FORBIDDEN", refused)
      failed(yield* ann("POST", "/learnings", context("of-none", { user_id: "ann" })), 403, "FORBIDDEN", refused)
      for (const namespace of [undefined, null, "global", "desk"]) {
        for (const user_id of ["ann", null]) {
          const answer = yield* ann("POST", "/learnings", { ...entity, namespace, user_id })
          failed(answer, 403, "FORBIDDEN", /^Only admins can create entities outside of the namespace/)
        }
      }
      const made = yield* bob("POST", "/learnings", context("of-bob"))
      assert.deepStrictEqual([made.status, at(made.json, "user_id")], [201, "bob"])
      const own = yield* ann("POST", "/learnings", { ...entity, namespace: "user:ann" })
      assert.deepStrictEqual([own.status, at(own.json, "user_id")], [201, "ann"])
      const [eve, other] = [as(yield* token("eve", ...scopes)), as(yield* token("eve_x", ...scopes))]
      const long = { ...entity, entity_type: "x_shop", namespace: "user:eve" }
      assert.strictEqual((yield* eve("POST", "/learnings", long)).status, 201)
      assert.strictEqual((yield* other("POST", "/learnings", { ...entity, namespace: "user:eve_x" })).status, 201)
    }))

  it.effect("what an isolated caller creates without an owner is proposed until an admin approves it", () =>
    Effect.gen(function*() {
      const { as, root } = yield* populated
      const ann = as(yield* token("ann", ...scopes))
      const own = yield* ann("POST", "/learnings", { ...knowledge, user_id: "ann" })
      assert.deepStrictEqual([own.status, at(own.json, "metadata")], [201, null])
      const made = yield* ann("POST", "/learnings", { ...knowledge, metadata: { status: "approved", source: "call" } })
      assert.strictEqual(made.status, 201)
      assert.deepStrictEqual(at(made.json, "metadata"), { status: "proposed", source: "call" })
      const path = `/learnings/${String(at(made.json, "learning_id"))}`
      failed(yield* ann("PATCH", path, { metadata: null }), 403, "FORBIDDEN")
      const ids = (status: string) =>
        Effect.map(
          root("GET", `/learnings?learning_type=learned_knowledge&status=${status}`),
          ({ json }) => column(list(json, "data"), "learning_id")
        )
      assert.deepStrictEqual(yield* ids("proposed"), [at(made.json, "learning_id")])
      assert.notInclude(yield* ids("approved"), at(made.json, "learning_id"))
      failed(yield* root("GET", "/learnings?status=rejected"), 422, "VALIDATION_ERROR")
      assert.isNull(at((yield* root("PATCH", path, { metadata: null })).json, "metadata"))
      assert.deepStrictEqual(yield* ids("proposed"), [])
    }))

  it.effect("an isolated caller has at most 100 proposals without an owner, and others can still propose", () =>
    Effect.gen(function*() {
      const { as } = yield* populated
      const [ann, bob] = [as(yield* token("ann", ...scopes)), as(yield* token("bob", ...scopes))]
      for (let count = 0; count < 100; count++) yield* ann("POST", "/learnings", knowledge)
      failed(
        yield* ann("POST", "/learnings", knowledge),
        409,
        "CONFLICT",
        /^User ann has proposed .*MAX_PROPOSED_LEARNINGS_PER_USER is 100/
      )
      assert.strictEqual((yield* ann("POST", "/learnings", { ...knowledge, user_id: "ann" })).status, 201)
      assert.strictEqual((yield* bob("POST", "/learnings", knowledge)).status, 201)
    }))
})
