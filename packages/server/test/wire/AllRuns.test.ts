// The list of the runs of all components: what is in it, how it is filtered, and who sees it.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, everything, mint, seed, serveClosed, serveOpen, token } from "../authorization/Closed.ts"
import { at, column, get, hasKeys, list } from "../Wire.ts"

Tier.oneIn(2)

describe("GET /runs", () => {
  it.effect("the runs of all components are listed with the newest first, and without their contents", () =>
    Effect.gen(function*() {
      const server = yield* Effect.tap(serveOpen, (server) => seed(server))
      const answer = yield* get(server, "/runs")
      assert.deepStrictEqual(column(list(answer.json, "data"), "run_id"), ["ann-1-flow", "ann-1-team", "ann-1"])
      assert.strictEqual(at(answer.json, "meta", "total_count"), 3)
      const [, , run] = list(answer.json, "data")
      hasKeys(
        run,
        "run_id",
        "session_id",
        "user_id",
        "status",
        "agent_id",
        "team_id",
        "workflow_id",
        "session_name",
        "model",
        "model_provider",
        "total_metrics",
        "created_at",
        "updated_at",
        "version"
      )
      assert.deepInclude(run as object, {
        session_id: "anns",
        user_id: "ann",
        status: "COMPLETED",
        agent_id: "assistant",
        team_id: null,
        workflow_id: null
      })
    }))

  it.effect("the list is filtered by kind, component, session, status and user", () =>
    Effect.gen(function*() {
      const server = yield* Effect.tap(serveOpen, (server) => seed(server))
      const found = (query: string) =>
        Effect.map(get(server, `/runs?${query}`), ({ json }) => column(list(json, "data"), "run_id"))
      assert.deepStrictEqual(yield* found("type=team"), ["ann-1-team"])
      assert.deepStrictEqual(yield* found("component_id=brief"), ["ann-1-flow"])
      assert.deepStrictEqual(yield* found("session_id=anns"), ["ann-1"])
      assert.deepStrictEqual(yield* found("status=COMPLETED&limit=1&page=2"), ["ann-1-team"])
      assert.deepStrictEqual(yield* found("status=PAUSED"), [])
      assert.deepStrictEqual(yield* found("user_id=bob"), [])
      for (const query of ["status=LOST", "type=tool", "limit=101", "limit=0", "page=0"]) {
        assert.strictEqual((yield* get(server, `/runs?${query}`)).status, 422, query)
      }
    }))

  it.effect("an isolated caller sees only its own runs, and the scope is that of sessions", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* token("ann", ...everything)
      yield* seed(server, ann)
      const total = (bearer: string, query = "") =>
        Effect.map(call(server, { path: `/runs${query}` }, bearer), ({ json }) => at(json, "meta", "total_count"))
      assert.strictEqual(yield* total(ann), 3)
      assert.strictEqual(yield* total(yield* token("root", "platform:admin"), "?user_id=ann"), 3)
      for (const stranger of [yield* token("bob", ...everything), yield* token(undefined, ...everything)]) {
        assert.strictEqual(yield* total(stranger, "?user_id=ann"), 0)
        assert.strictEqual(yield* total(stranger, "?session_id=anns"), 0)
      }
      assert.strictEqual((yield* call(server, { path: "/runs" }, yield* token("ann", "agents:read"))).status, 403)
    }))

  it.effect("a service account sees only its own runs, all with the admin scope, and none without the scope", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* seed(server, yield* token("ann", ...everything))
      const admin = yield* token("root", "platform:admin")
      const account = (name: string, ...scopes: ReadonlyArray<string>) =>
        Effect.map(mint(server, admin, { name, scopes }), (made) => made.token)
      const worker = yield* account("worker", "agents:run", "sessions:read")
      const body = new URLSearchParams({ message: "Hi", stream: "false" })
      yield* call(server, { path: "/agents/assistant/runs", init: { method: "POST", body } }, worker)
      const users = (bearer: string, query = "") =>
        Effect.map(
          call(server, { path: `/runs${query}` }, bearer),
          ({ json }) => column(list(json, "data"), "user_id")
        )
      assert.deepStrictEqual(yield* users(worker), ["sa:worker"])
      assert.deepStrictEqual(yield* users(worker, "?user_id=ann"), ["sa:worker"])
      assert.lengthOf(yield* users(yield* account("operator", "platform:admin")), 4)
      const runner = yield* account("runner", "agents:run")
      assert.strictEqual((yield* call(server, { path: "/runs" }, runner)).status, 403)
    }))
})
