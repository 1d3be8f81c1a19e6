// Memories on the wire.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, everything, serveClosed, token } from "../authorization/Closed.ts"
import {
  ask,
  at,
  badRequest,
  column,
  dateTime,
  get,
  invalid,
  list,
  notFound,
  post,
  send,
  serve,
  uuid
} from "../Wire.ts"
import { create, texts } from "./MemoryRequests.ts"
import { own, tenant } from "./TwoDatabases.ts"

Tier.oneIn(6)

const tea = (memory_id: string) => ({
  memory_id,
  memory: "likes tea",
  topics: ["drinks"],
  agent_id: null,
  team_id: null,
  user_id: "ann",
  updated_at: dateTime
})

describe("a memory", () => {
  it.effect("a memory is created, read and listed with the keys of the contract", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const id = yield* create(server, "likes tea", { topics: ["drinks"] })
      assert.match(id, uuid)
      const one = yield* get(server, `/memories/${id}?user_id=ann`)
      assert.strictEqual(one.text, JSON.stringify(tea(id)))
      const page = yield* get(server, "/memories?user_id=ann")
      const meta = { page: 1, limit: 20, total_pages: 1, total_count: 1, search_time_ms: 0 }
      assert.strictEqual(page.text, JSON.stringify({ data: [tea(id)], meta }))
    }))

  it.effect("only the first one of repeated topics is read", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const id = yield* create(server, "likes tea", { topics: ["drinks"] })
      const { json, status } = yield* get(server, "/memories?topics=drinks&topics=food")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(column(list(json, "data"), "memory_id"), [id])
      assert.deepStrictEqual(texts((yield* get(server, "/memories?topics=food&topics=drinks")).json), [])
      assert.deepStrictEqual(texts((yield* get(server, "/memories?topics=drinks,food&topics=drinks")).json), [])
    }))

  it.effect("a memory without topics has an empty list of them", () =>
    Effect.gen(function*() {
      const answer = yield* post(yield* serve(), "/memories", { memory: "x", user_id: "ann", other: 1 })
      assert.deepStrictEqual(at(answer.json, "topics"), [])
    }))

  it.effect("a memory needs a user and a text of at most 5,000 characters", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      badRequest(yield* post(server, "/memories", { memory: "x" }), "User ID is required")
      badRequest(yield* post(server, "/memories", { memory: "x", user_id: null }), "User ID is required")
      badRequest(yield* post(server, "/memories", { memory: "x", user_id: "" }), "User ID is required")
      invalid(yield* post(server, "/memories", { user_id: "ann" }), [["body", "memory"], "missing"])
      const empty = { memory: "", user_id: "ann" }
      invalid(yield* post(server, "/memories", empty), [["body", "memory"], "string_too_short"])
      const long = { memory: "x".repeat(5001), user_id: "ann" }
      invalid(yield* post(server, "/memories", long), [["body", "memory"], "string_too_long"])
      yield* create(server, "x".repeat(5000))
      const topics = Array.from({ length: 101 }, (_, index) => String(index))
      invalid(yield* post(server, "/memories", { memory: "x", user_id: "ann", topics }), [
        ["body", "topics"],
        "too_long"
      ])
    }))

  it.effect("a patch replaces text and topics, and keeps the owner", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const id = yield* create(server, "likes tea", { topics: ["drinks"] })
      const changed = yield* send(server, "PATCH", `/memories/${id}`, { memory: "likes coffee", user_id: "bob" })
      assert.deepStrictEqual(changed.json, { ...tea(id), memory: "likes coffee", topics: [] })
      badRequest(yield* send(server, "PATCH", `/memories/${id}`, { memory: "x" }), "User ID is required")
    }))

  it.effect("a patch of an unknown id creates the memory under this id", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const body = { memory: "likes tea", topics: ["drinks"], user_id: "ann" }
      assert.deepStrictEqual((yield* send(server, "PATCH", "/memories/chosen", body)).json, tea("chosen"))
      assert.deepStrictEqual((yield* get(server, "/memories/chosen")).json, tea("chosen"))
    }))

  it.effect("a removed memory is not found, and removing it again succeeds", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const ids = yield* Effect.forEach(["a", "b", "c"], (text) => create(server, text))
      const remove = () => ask(server, `/memories/${ids[0]}`, { method: "DELETE" })
      assert.deepStrictEqual([(yield* remove()).status, (yield* remove()).status], [204, 204])
      notFound(yield* get(server, `/memories/${ids[0]}`), `Memory with ID ${ids[0]} not found`)
      const other = { memory_ids: [ids[1]], user_id: "bob" }
      assert.strictEqual((yield* send(server, "DELETE", "/memories", other)).status, 204)
      const both = { memory_ids: [ids[1], "unknown"] }
      assert.strictEqual((yield* send(server, "DELETE", "/memories", both)).status, 204)
      assert.deepStrictEqual(texts((yield* get(server, "/memories")).json), ["c"])
      invalid(yield* send(server, "DELETE", "/memories", { memory_ids: [] }), [["body", "memory_ids"], "too_short"])
    }))
})

describe("lists", () => {
  it.effect("memories are filtered by topics and a part of their text", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* create(server, "likes green tea", { topics: ["food", "drinks"] })
      yield* create(server, "likes cake", { topics: ["food"] })
      yield* create(server, "plays chess", { user_id: "bob" })
      const found = (query: string) => Effect.map(get(server, `/memories?${query}`), ({ json }) => texts(json))
      assert.deepStrictEqual(yield* found("topics=food"), ["likes cake", "likes green tea"])
      assert.deepStrictEqual(yield* found("topics=drinks,food"), ["likes green tea"])
      assert.deepStrictEqual(yield* found("search_content=TEA"), ["likes green tea"])
      assert.deepStrictEqual(yield* found("search_content=%25"), [])
      assert.deepStrictEqual(yield* found("user_id=bob"), ["plays chess"])
      assert.deepStrictEqual(yield* found("agent_id=none"), [])
      assert.deepStrictEqual(yield* found("sort_by=created_at&sort_order=asc&user_id=ann&limit=1"), ["likes green tea"])
      assert.deepStrictEqual(
        (yield* get(server, "/memory_topics?user_id=ann")).json,
        ["drinks", "food"]
      )
      invalid(yield* get(server, "/memories?sort_order=up"), [["query", "sort_order"], "enum"])
    }))

  it.effect("a page past the end has the real totals", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* Effect.forEach(["a", "b", "c"], (text) => create(server, text))
      const past = yield* get(server, "/memories?page=9&limit=2")
      assert.deepStrictEqual(past.json, {
        data: [],
        meta: { page: 9, limit: 2, total_pages: 2, total_count: 3, search_time_ms: 0 }
      })
      const statistics = yield* get(server, "/user_memory_stats?page=9")
      assert.deepStrictEqual([at(statistics.json, "data"), at(statistics.json, "meta", "total_count")], [[], 1])
    }))

  it.effect("statistics count the memories of each user", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* create(server, "a")
      yield* create(server, "b")
      for (const query of ["", "?limit=5000"]) {
        const answer = yield* get(server, `/user_memory_stats${query}`)
        assert.deepStrictEqual(at(answer.json, "data"), [
          { user_id: "ann", total_memories: 2, last_memory_updated_at: dateTime }
        ])
      }
    }))

  it.effect("a request selects the database, and may name its table", () =>
    Effect.gen(function*() {
      const server = yield* serve({ databases: [own, tenant.id] })
      const body = { memory: "likes tea", user_id: "ann" }
      const required = "The db_id query parameter is required when using multiple databases"
      badRequest(yield* post(server, "/memories", body), required)
      const made = yield* post(server, `/memories?db_id=${tenant.id}&table=svc_memories`, body)
      assert.strictEqual(made.status, 200, made.text)
      assert.deepStrictEqual(texts((yield* get(server, `/memories?db_id=${tenant.id}`)).json), ["likes tea"])
      assert.deepStrictEqual(texts((yield* get(server, `/memories?db_id=${own}`)).json), [])
      badRequest(
        yield* get(server, "/memory_topics?table=svc_memories"),
        "The db_id query parameter is required when passing a table"
      )
      notFound(yield* get(server, "/user_memory_stats?db_id=x"), "No database found with id 'x'")
      notFound(
        yield* get(server, `/memories?db_id=${own}&table=other`),
        `No database with id '${own}' has table 'other'`
      )
    }))
})

describe("an isolated caller", () => {
  it.effect("an isolated caller writes, reads and optimizes only their own memories, whatever user they name", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const [ann, bob] = [yield* token("ann", ...everything), yield* token("bob", ...everything)]
      const json = (method: string, path: string, body: object) => ({
        path,
        init: { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
      })
      const made = yield* call(server, json("POST", "/memories", { memory: "likes tea", user_id: "bob" }), ann)
      assert.strictEqual(at(made.json, "user_id"), "ann")
      const path = `/memories/${at(made.json, "memory_id")}`
      for (const query of ["", "?user_id=ann"]) {
        assert.deepStrictEqual(texts((yield* call(server, { path: `/memories${query}` }, bob)).json), [])
        assert.deepStrictEqual((yield* call(server, { path: `/memory_topics${query}` }, bob)).json, [])
        const statistics = yield* call(server, { path: `/user_memory_stats${query}` }, bob)
        assert.deepStrictEqual(at(statistics.json, "data"), [])
      }
      const change = { memory: "taken", user_id: "ann" }
      notFound(yield* call(server, json("PATCH", path, change), bob), "Memory not found")
      notFound(yield* call(server, json("PATCH", "/memories/unknown", change), bob), "Memory not found")
      yield* call(server, json("DELETE", "/memories", { memory_ids: [path.split("/")[2]], user_id: "ann" }), bob)
      const optimized = yield* call(server, json("POST", "/optimize-memories", { user_id: "ann" }), bob)
      notFound(optimized, "No memories found for user bob")
      assert.strictEqual(at((yield* call(server, { path }, ann)).json, "memory"), "likes tea")
    }))

  it.effect("a caller without a user owns no memories", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bearer = yield* token(undefined, ...everything)
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ memory: "x", user_id: "ann" })
      }
      badRequest(yield* call(server, { path: "/memories", init }, bearer), "User ID is required")
    }))
})
