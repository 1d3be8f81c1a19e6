// Feedback on runs: what is stored and listed, what is refused, and who sees it.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, everything, seed, serveClosed, serveOpen, token } from "../authorization/Closed.ts"
import { at, badRequest, column, get, hasKeys, invalid, list, notFound, post, send } from "../Wire.ts"

Tier.oneIn(3)

const scopes = everything

const json = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const seeded = Effect.tap(serveOpen, (server) => seed(server))

const path = "/runs/ann-1/feedback"

const scoresOf = (server: TestServer.TestServer) =>
  Effect.map(get(server, path), (answer) => column(answer.json, "score"))

describe("feedback on a run", () => {
  it.effect("a number, a yes or no and a label are stored, and the same key replaces", () =>
    Effect.gen(function*() {
      const server = yield* seeded
      const first = yield* post(server, path, { score: 0.5, comment: "fine", user_id: "bob" })
      assert.strictEqual(first.status, 200, first.text)
      hasKeys(
        first.json,
        "id",
        "run_id",
        "session_id",
        "agent_id",
        "team_id",
        "workflow_id",
        "user_id",
        "source",
        "key",
        "score",
        "comment",
        "created_at",
        "updated_at"
      )
      const id = at(first.json, "id")
      assert.deepInclude(first.json as object, { user_id: "bob", source: "user", key: "rating", agent_id: "assistant" })
      yield* post(server, path, { score: false, key: "helpful" })
      yield* post(server, path, { score: "off topic", key: "label" })
      const again = yield* post(server, path, { score: 1, user_id: "bob" })
      assert.deepInclude(again.json as object, { id, score: 1, comment: null })
      assert.deepStrictEqual(yield* scoresOf(server), [1, false, "off topic"])
      const labels = yield* get(server, "/feedback?key=label&agent_id=assistant&run_id=ann-1")
      assert.deepStrictEqual(column(list(labels.json, "data"), "score"), ["off topic"])
      assert.strictEqual(at((yield* get(server, "/feedback?source=scorer")).json, "meta", "total_count"), 0)
    }))

  it.effect("runs of teams and workflows have feedback as well", () =>
    Effect.gen(function*() {
      const server = yield* seeded
      for (const [suffix, field, id] of [["team", "team_id", "desk"], ["flow", "workflow_id", "brief"]]) {
        const answer = yield* post(server, `/runs/ann-1-${suffix}/feedback`, { score: true })
        assert.strictEqual(at(answer.json, String(field)), id)
      }
    }))

  it.effect("what is invalid is refused before it is stored", () =>
    Effect.gen(function*() {
      const server = yield* seeded
      invalid(yield* post(server, path, {}), [["body", "score"], "missing"])
      for (
        const body of [
          { score: null },
          { score: "" },
          { score: 1.7e308 },
          { score: -1_000_001 },
          { score: "x".repeat(256) },
          { score: 1, key: "" },
          { score: 1, key: "a\u0000" },
          { score: 1, comment: "x".repeat(4001) }
        ]
      ) {
        assert.strictEqual((yield* post(server, path, body)).status, 422, JSON.stringify(body))
      }
      assert.strictEqual((yield* post(server, path, { score: 1, user_id: "sa:bot" })).status, 403)
      badRequest(
        yield* get(server, "/feedback?agent_id=a&team_id=b"),
        "Only one of agent_id, team_id or workflow_id can be given"
      )
      assert.strictEqual((yield* get(server, "/feedback?limit=101")).status, 422)
      notFound(yield* post(server, "/runs/none/feedback", { score: 1 }), "Run with id 'none' not found")
      notFound(yield* get(server, "/runs/none/feedback"), "Run with id 'none' not found")
      assert.deepStrictEqual(yield* scoresOf(server), [])
    }))

  it.effect("isolated callers find their runs only, and the author is the one of the credential", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const [ann, bob, nameless, admin] = [
        yield* token("ann", ...scopes),
        yield* token("bob", ...scopes),
        yield* token(undefined, ...scopes),
        yield* token("root", "platform:admin")
      ]
      yield* seed(server, ann)
      const give = (bearer: string) => call(server, { path, init: json({ score: 1, user_id: "eve" }) }, bearer)
      assert.strictEqual(at((yield* give(ann)).json, "user_id"), "ann")
      assert.strictEqual((yield* give(admin)).status, 200)
      const total = (bearer: string, query = "") =>
        Effect.map(
          call(server, { path: `/feedback${query}` }, bearer),
          (answer) => at(answer.json, "meta", "total_count")
        )
      const id = String(at((yield* give(ann)).json, "id"))
      const remove = (bearer: string) => call(server, { path: `/feedback/${id}`, init: { method: "DELETE" } }, bearer)
      for (const stranger of [bob, nameless]) {
        notFound(yield* remove(stranger), `Feedback with id '${id}' not found`)
        notFound(yield* give(stranger), "Run with id 'ann-1' not found")
        notFound(yield* call(server, { path }, stranger))
        assert.strictEqual(yield* total(stranger, "?user_id=ann"), 0)
      }
      assert.strictEqual(yield* total(ann), 2)
      assert.strictEqual(yield* total(admin, "?user_id=ann"), 2)
      assert.strictEqual(yield* total(admin, "?user_id=bob"), 0)
      assert.strictEqual((yield* remove(ann)).status, 204)
      assert.strictEqual((yield* remove(ann)).status, 404)
      assert.strictEqual(yield* total(ann), 1)
    }))

  it.effect("feedback is deleted with the session of its run, and with the memory of the user who gave it", () =>
    Effect.gen(function*() {
      const server = yield* seeded
      yield* post(server, path, { score: 1, user_id: "bob" })
      yield* post(server, path, { score: 2, user_id: "ann" })
      const erased = yield* send(server, "DELETE", "/users/bob/memory", undefined)
      assert.strictEqual(at(erased.json, "feedback"), 1)
      assert.deepStrictEqual(yield* scoresOf(server), [2])
      yield* send(server, "DELETE", "/sessions/anns", undefined)
      assert.strictEqual(at((yield* get(server, "/feedback")).json, "meta", "total_count"), 0)
    }))
})
