// The endpoints of learnings, on an open service and for isolated callers.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call } from "../authorization/Closed.ts"
import {
  type Answer,
  at,
  badRequest,
  column,
  failed,
  get,
  hasKeys,
  list,
  notFound,
  post,
  second,
  send,
  serve,
  uuid
} from "../Wire.ts"

Tier.oneIn(6)

const profile = { learning_type: "user_profile", user_id: "ann", content: { name: "Ann" } }
const knowledge = { learning_type: "learned_knowledge", content: { title: "T", learning: "L" } }

/** A body without its content. */
interface Body {
  readonly learning_type: string
  readonly [field: string]: string | null
}

const remove = (server: TestServer.TestServer, path: string) => call(server, { path, init: { method: "DELETE" } })
const invalidText = (answer: Answer, detail: string) => failed(answer, 422, "VALIDATION_ERROR", detail)

describe("learnings of an open service", () => {
  it.effect("a learning is created with all fields, read, changed and removed", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const made = yield* post(server, "/learnings", profile)
      assert.strictEqual(made.status, 201, made.text)
      assert.deepStrictEqual(made.json, {
        learning_id: "user_profile_ann",
        learning_type: "user_profile",
        namespace: null,
        user_id: "ann",
        agent_id: null,
        team_id: null,
        session_id: null,
        entity_id: null,
        entity_type: null,
        content: { name: "Ann" },
        metadata: null,
        created_at: second,
        updated_at: second
      })
      assert.deepStrictEqual((yield* get(server, "/learnings/user_profile_ann")).json, made.json)
      assert.deepStrictEqual((yield* send(server, "PATCH", "/learnings/user_profile_ann", {})).json, made.json)
      const changed = yield* send(server, "PATCH", "/learnings/user_profile_ann", {
        content: { age: 3 },
        metadata: null
      })
      assert.deepStrictEqual(at(changed.json, "content"), { age: 3 })
      const removed = yield* remove(server, "/learnings/user_profile_ann")
      assert.deepStrictEqual([removed.status, removed.text], [204, ""])
      notFound(yield* get(server, "/learnings/user_profile_ann"), "Learning not found")
      notFound(yield* remove(server, "/learnings/user_profile_ann"), "Learning not found")
      notFound(yield* send(server, "PATCH", "/learnings/user_profile_ann", { content: {} }), "Learning not found")
    }))

  it.effect("an empty user and an empty namespace are none", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const entity = { learning_type: "entity_memory", entity_type: "company", entity_id: "acme", content: {} }
      const { json, status } = yield* post(server, "/learnings", { ...entity, user_id: "", namespace: "" })
      assert.deepStrictEqual([status, at(json, "user_id"), at(json, "namespace")], [201, null, null])
      assert.strictEqual(at(json, "learning_id"), "entity_global_company_acme")
      assert.deepStrictEqual(at((yield* get(server, "/learnings/users")).json, "data"), [])
    }))

  it.effect("a second learning of one identity is refused with its id", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* post(server, "/learnings", profile)
      failed(
        yield* post(server, "/learnings", { ...profile, content: {} }),
        409,
        "CONFLICT",
        "A 'user_profile' learning already exists for this identity (id 'user_profile_ann'). " +
          "Use PATCH /learnings/user_profile_ann to update it."
      )
      const ids = yield* Effect.forEach([knowledge, knowledge], (body) =>
        Effect.map(post(server, "/learnings", body), ({ json }) => String(at(json, "learning_id"))))
      for (const id of ids) {
        assert.match(id, uuid)
      }
    }))

  it.effect.each<readonly [Body, string]>([
    [{ learning_type: "user_memory", user_id: "ann" }, "memories_ann"],
    [{ learning_type: "session_context", session_id: "s" }, "session_context_s"],
    [{ learning_type: "entity_memory", entity_id: "acme", entity_type: "company" }, "entity_global_company_acme"],
    [
      { learning_type: "entity_memory", entity_id: "a", entity_type: "b", namespace: "sales" },
      "entity_sales_b_a"
    ]
  ])("the id of %o is made of its identity", ([body, id]) =>
    Effect.gen(function*() {
      const server = yield* serve()
      const made = yield* post(server, "/learnings", { ...body, content: {} })
      assert.strictEqual(at(made.json, "learning_id"), id, made.text)
    }))

  it.effect.each<readonly [Body, string]>([
    [{ learning_type: "user_profile" }, "user_id"],
    [{ learning_type: "session_context", session_id: "" }, "session_id"],
    [{ learning_type: "entity_memory", entity_id: null }, "entity_type, entity_id"]
  ])("the missing identity of %o is named", ([body, fields]) =>
    Effect.gen(function*() {
      const server = yield* serve()
      invalidText(
        yield* post(server, "/learnings", { ...body, content: {} }),
        `learning_type '${body.learning_type}' is keyed by its identity fields; provide the required field(s): ${fields}`
      )
    }))

  it.effect("values that are null, too long or too large are refused before anything is stored", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* post(server, "/learnings", profile)
      invalidText(
        yield* send(server, "PATCH", "/learnings/user_profile_ann", { content: null }),
        "content cannot be null; omit the field to leave it unchanged"
      )
      for (
        const body of [
          { learning_type: "x" },
          { content: {} },
          { ...knowledge, learning_type: "" },
          { ...knowledge, content: [] },
          { ...knowledge, content: { text: "x".repeat(64 * 1024) } },
          { ...knowledge, metadata: { text: "x".repeat(16 * 1024) } },
          { ...knowledge, namespace: "n".repeat(129) },
          { ...knowledge, entity_id: "a\u0000" }
        ]
      ) {
        failed(yield* post(server, "/learnings", body), 422, "VALIDATION_ERROR")
      }
      assert.strictEqual(at((yield* get(server, "/learnings")).json, "meta", "total_count"), 1)
    }))

  it.effect("learnings are listed in pages and filtered, and an unknown column sorts by the last change", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      for (const user_id of ["ann", "bob"]) yield* post(server, "/learnings", { ...profile, user_id })
      yield* post(server, "/learnings", { ...knowledge, namespace: "sales" })
      const all = yield* get(server, "/learnings?sort_by=nonsense")
      hasKeys(all.json, "data", "meta")
      assert.deepStrictEqual(at(all.json, "meta"), {
        page: 1,
        limit: 100,
        total_pages: 1,
        total_count: 3,
        search_time_ms: 0
      })
      assert.lengthOf(list((yield* get(server, "/learnings?user_id=ann")).json, "data"), 1)
      assert.lengthOf(list((yield* get(server, "/learnings?namespace=sales&user_id=ann")).json, "data"), 0)
      const past = yield* get(server, "/learnings?page=9&limit=2")
      assert.deepStrictEqual(list(past.json, "data"), [])
      assert.strictEqual(at(past.json, "meta", "total_pages"), 2)
      for (const query of ["page=0", "limit=0", "limit=1001", "sort_order=up"]) {
        failed(yield* get(server, `/learnings?${query}`), 422, "VALIDATION_ERROR")
      }
    }))

  it.effect("the users with learnings are listed, and their learnings are removed together", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      for (const user_id of ["ann", "bob"]) yield* post(server, "/learnings", { ...profile, user_id })
      yield* post(server, "/learnings", { ...knowledge, user_id: "ann" })
      yield* post(server, "/learnings", knowledge)
      const users = (yield* get(server, "/learnings/users?sort_by=user_id&sort_order=asc")).json
      assert.deepStrictEqual(list(users, "data"), [
        { user_id: "ann", last_learning_updated_at: second },
        { user_id: "bob", last_learning_updated_at: second }
      ])
      assert.strictEqual((yield* remove(server, "/learnings/users/ann?learning_type=user_profile")).status, 204)
      assert.lengthOf(list((yield* get(server, "/learnings?user_id=ann")).json, "data"), 1)
      assert.strictEqual((yield* remove(server, "/learnings/users/ann")).status, 204)
      assert.strictEqual((yield* remove(server, "/learnings/users/carl")).status, 204)
      assert.deepStrictEqual(column(list((yield* get(server, "/learnings")).json, "data"), "user_id"), [null, "bob"])
    }))

  it.effect("the database and the table of a request are chosen as for sessions", () =>
    Effect.gen(function*() {
      const server = yield* serve({ databases: ["main-db", "north-db"] })
      badRequest(
        yield* get(server, "/learnings"),
        "The db_id query parameter is required when using multiple databases"
      )
      notFound(yield* get(server, "/learnings/x?db_id=zz"), "No database found with id 'zz'")
      notFound(
        yield* get(server, "/learnings?db_id=north-db&table=x"),
        "No database with id 'north-db' has table 'x'"
      )
      const path = "db_id=north-db&table=svc_learnings"
      assert.strictEqual((yield* post(server, `/learnings?${path}`, profile)).status, 201)
      assert.lengthOf(list((yield* get(server, `/learnings?${path}`)).json, "data"), 1)
      assert.lengthOf(list((yield* get(server, "/learnings?db_id=main-db")).json, "data"), 0)
    }))
})
