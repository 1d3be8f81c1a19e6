// The responses about memories and learnings, as a client of the observed service validates them: keys, their order,
// types and statuses. The responses about memories are recordings of that service, in which ids and times do not count.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { at, get, list, post, runWhole, send, serve, uuid } from "../Wire.ts"
import {
  arrayOf,
  askAll,
  dateTime,
  error,
  integer,
  isoTime,
  natural,
  nothing,
  nullOr,
  object,
  pageOf,
  type Shape,
  shaped,
  string
} from "./ResponseShapes.ts"

const memory = shaped({
  memory_id: string,
  memory: string,
  topics: nullOr(arrayOf(string)),
  agent_id: nullOr(string),
  team_id: nullOr(string),
  user_id: nullOr(string),
  updated_at: nullOr(dateTime)
})

const learning = shaped({
  learning_id: string,
  learning_type: string,
  namespace: nullOr(string),
  user_id: nullOr(string),
  agent_id: nullOr(string),
  team_id: nullOr(string),
  session_id: nullOr(string),
  entity_id: nullOr(string),
  entity_type: nullOr(string),
  content: nullOr(object),
  metadata: nullOr(object),
  created_at: integer,
  updated_at: integer
})

const optimized = shaped({
  memories: arrayOf(memory),
  memories_before: natural,
  memories_after: natural,
  tokens_before: natural,
  tokens_after: natural,
  tokens_saved: natural,
  reduction_percentage: (value) => Number(value) >= 0 && Number(value) <= 100
})

const statistics = shaped({ user_id: string, total_memories: natural, last_memory_updated_at: nullOr(dateTime) })
const user = shaped({ user_id: string, last_learning_updated_at: nullOr(integer) })

const recorded = {
  memory: {
    memory_id: "<id>",
    memory: "likes tea",
    topics: ["drinks"],
    agent_id: null,
    team_id: null,
    user_id: "ann",
    updated_at: "<time>"
  },
  meta: { page: 1, limit: 20, total_pages: 1, total_count: 1, search_time_ms: 0 }
}

describe("the responses about memories", () => {
  it.effect("recorded requests get the recorded responses", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const made = yield* post(server, "/memories", { memory: "likes tea", user_id: "ann", topics: ["drinks"] })
      const id = String(at(made.json, "memory_id"))
      assert.match(id, uuid)
      const { memory, meta } = recorded
      const change = { memory: "likes coffee", user_id: "ann" }
      const answers: ReadonlyArray<readonly [request: string, body: unknown, status: number, answer: unknown]> = [
        [`GET /memories?user_id=ann`, undefined, 200, { data: [memory], meta }],
        [`GET /memories/${id}?user_id=ann`, undefined, 200, memory],
        [`PATCH /memories/${id}`, change, 200, { ...memory, memory: "likes coffee", topics: [] }],
        ["GET /memory_topics", undefined, 200, []],
        ["GET /user_memory_stats", undefined, 200, {
          data: [{ user_id: "ann", total_memories: 1, last_memory_updated_at: "<time>" }],
          meta
        }],
        ["GET /memories/none", undefined, 404, { detail: "Memory with ID none not found" }],
        [`DELETE /memories/${id}`, undefined, 204, undefined]
      ]
      const plain = (text: string) =>
        text.replaceAll(id, "<id>").replaceAll(/"\d{4}-[^"]+Z"/g, `"<time>"`).replace(/,"error_code":"\w+"/, "")
      assert.strictEqual(plain(made.text), JSON.stringify(memory))
      for (const [request, body, status, expected] of answers) {
        const [method = "", path = ""] = request.split(" ")
        const answer = yield* method === "GET" ? get(server, path) : send(server, method, path, body ?? {})
        assert.deepStrictEqual([answer.status, plain(answer.text)], [status, JSON.stringify(expected) ?? ""], request)
        assert.strictEqual(answer.headers.get("content-type"), status === 204 ? null : "application/json")
      }
    }))

  it.effect("every endpoint of memories responds with the keys and types of the contract", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const body = { memory: "likes tea", user_id: "ann" }
      yield* askAll(server, [
        { request: "POST /memories", body, status: 200, is: memory },
        { request: "POST /memories", body: { ...body, topics: null }, status: 200, is: memory },
        { request: "POST /memories", body: { memory: "likes tea" }, status: 400, is: error },
        { request: "POST /memories", body: { memory: "", user_id: "ann" }, status: 422, is: error },
        { request: "PATCH /memories/new", body, status: 200, is: memory },
        { request: "PATCH /memories/new", body: { memory: "likes tea" }, status: 400, is: error },
        { request: "GET /memories/new", status: 200, is: memory },
        { request: "GET /memories/none", status: 404, is: error },
        { request: "GET /memories?search_content=TEA&sort_by=unknown", status: 200, is: pageOf(memory) },
        { request: "GET /memories?page=0&limit=1", status: 200, is: pageOf(memory) },
        { request: "GET /memories?page=9", status: 200, is: pageOf(memory) },
        { request: "GET /memories?limit=0", status: 422, is: error },
        { request: "GET /memory_topics", status: 200, is: arrayOf(string) },
        { request: "GET /user_memory_stats", status: 200, is: pageOf(statistics) },
        { request: "POST /optimize-memories", body: { user_id: "ann", apply: false }, status: 200, is: optimized },
        { request: "POST /optimize-memories", body: { user_id: "none" }, status: 404, is: error },
        { request: "POST /optimize-memories", body: { user_id: "ann", model: "x" }, status: 400, is: error },
        { request: "DELETE /memories", body: { memory_ids: ["new", "none"] }, status: 204, is: nothing },
        { request: "DELETE /memories", body: { memory_ids: [] }, status: 422, is: error },
        { request: "DELETE /memories/none", status: 204, is: nothing }
      ])
    }))
})

/** What agents write into the content of each type. Other keys are the author's, or the user's. */
const contents: Readonly<Record<string, Shape>> = {
  user_profile: {
    user_id: string,
    name: string,
    preferred_name: string,
    agent_id: nullOr(string),
    team_id: nullOr(string)
  },
  user_memory: {
    user_id: string,
    memories: arrayOf((one) =>
      /^.{8}$/.test(String(at(one, "id"))) && string(at(one, "content")) && isoTime(at(one, "created_at")) &&
      isoTime(at(one, "updated_at"))
    )
  },
  session_context: {
    session_id: string,
    user_id: nullOr(string),
    summary: string,
    goal: nullOr(string),
    plan: arrayOf(string),
    progress: arrayOf(string)
  },
  entity_memory: {
    entity_id: string,
    entity_type: string,
    name: string,
    description: string,
    properties: object,
    aliases: arrayOf(string),
    facts: arrayOf((one) => string(at(one, "id")) && string(at(one, "content"))),
    events: arrayOf((one) => string(at(one, "id")) && string(at(one, "content")) && isoTime(at(one, "date"))),
    relationships: arrayOf((one) =>
      string(at(one, "entity_id")) && string(at(one, "relation")) &&
      ["outgoing", "incoming"].includes(String(at(one, "direction")))
    ),
    namespace: string
  },
  decision_log: {
    id: string,
    decision: string,
    reasoning: string,
    decision_type: string,
    context: string,
    alternatives: arrayOf(string),
    confidence: (value) => Number(value) >= 0 && Number(value) <= 1,
    outcome: string,
    outcome_quality: string,
    tags: arrayOf(string)
  },
  learned_knowledge: { title: string, learning: string, context: string, tags: arrayOf(string) }
}

describe("the responses about learnings", () => {
  it.effect("every endpoint of learnings responds with the keys and types of the contract", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const profile = { learning_type: "user_profile", user_id: "ann", content: { name: "Ann" } }
      const [path, entity] = ["/learnings/user_profile_ann", { learning_type: "entity_memory", content: {} }]
      yield* askAll(server, [
        { request: "POST /learnings", body: profile, status: 201, is: learning },
        { request: "POST /learnings", body: { learning_type: "own", content: { a: 1 } }, status: 201, is: learning },
        { request: "POST /learnings", body: profile, status: 409, is: error },
        { request: "POST /learnings", body: entity, status: 422, is: error },
        { request: `GET ${path}`, status: 200, is: learning },
        { request: "GET /learnings/none", status: 404, is: error },
        { request: `PATCH ${path}`, body: {}, status: 200, is: learning },
        { request: `PATCH ${path}`, body: { metadata: { a: 1 } }, status: 200, is: learning },
        { request: `PATCH ${path}`, body: { content: null }, status: 422, is: error },
        { request: "PATCH /learnings/none", body: { content: {} }, status: 404, is: error },
        { request: "GET /learnings", status: 200, is: pageOf(learning) },
        { request: "GET /learnings?user_id=ann&sort_by=unknown&sort_order=asc", status: 200, is: pageOf(learning) },
        { request: "GET /learnings?page=9", status: 200, is: pageOf(learning) },
        { request: "GET /learnings?page=0", status: 422, is: error },
        { request: "GET /learnings/users", status: 200, is: pageOf(user) },
        { request: `DELETE ${path}`, status: 204, is: nothing },
        { request: `DELETE ${path}`, status: 404, is: error },
        { request: "DELETE /learnings/users/ann", status: 204, is: nothing },
        { request: "DELETE /learnings/users/ann?learning_type=own", status: 204, is: nothing }
      ])
    }))

  it.effect("what agents save has the contents of the contract, under its ids", () =>
    Effect.gen(function*() {
      const tags = ["a"]
      const saves: Readonly<Record<string, object>> = {
        save_profile: { name: "Ann", preferred_name: "A.", facts: [{ name: "city", value: "Basel" }] },
        save_memory: { memory: "Likes tea." },
        save_session_context: { summary: "A trip.", goal: "Go.", plan: ["Pack."], progress: [] },
        save_entity: {
          entity_type: "company",
          entity_id: "acme",
          name: "Acme",
          description: "A shop.",
          properties: [{ name: "size", value: "9" }],
          aliases: ["A"],
          facts: ["It is old."],
          events: ["It moved."],
          relationships: [{ entity_id: "ann", relation: "employs", direction: "outgoing" }]
        },
        save_decision: {
          decision: "Go.",
          reasoning: "It is near.",
          decision_type: "travel",
          context: "A trip.",
          alternatives: ["Stay."],
          confidence: 0.5,
          outcome: "Good.",
          outcome_quality: "good",
          tags
        },
        save_knowledge: { title: "Trips", learning: "Pack early.", context: "Before trips.", tags }
      }
      const calls = Object.entries(saves).map(([name, value], index) => Script.toolCall(name, value, `call-${index}`))
      const { model } = yield* Script.make([calls, [Script.text("Done.")]])
      const server = yield* serve({ agents: [Agent.make({ id: "agent", model, learning: { namespace: "desk" } })] })
      yield* runWhole(server, "agent", { message: "Hello", user_id: "ann", session_id: "s" })
      const { json } = yield* get(server, "/learnings?sort_by=learning_type&sort_order=asc")
      const stored = list(json, "data")
      assert.deepStrictEqual(stored.map((one) => at(one, "learning_type")), Object.keys(contents).sort())
      for (const one of stored) {
        assert.isTrue(learning(one), JSON.stringify(one))
        const content = at(one, "content")
        const shape = { ...contents[String(at(one, "learning_type"))], created_at: isoTime, updated_at: isoTime }
        for (const [key, check] of Object.entries(shape)) {
          assert.isTrue(check(at(content, key)), `${key} of ${JSON.stringify(one)}`)
        }
      }
      assert.includeMembers(stored.map((one) => at(one, "learning_id")), [
        "user_profile_ann",
        "memories_ann",
        "session_context_s",
        "entity_desk_company_acme"
      ])
      assert.deepStrictEqual(
        stored.filter((one) => uuid.test(String(at(one, "learning_id")))).map((one) => at(one, "learning_type")),
        ["decision_log", "learned_knowledge"]
      )
    }))
})
