// The audit log: which requests are recorded, and what callers read of it.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, everything, seed, serveClosed, token } from "../authorization/Closed.ts"
import { at, column, failed, list, serve } from "../Wire.ts"

Tier.oneIn(3)

type Server = Effect.Success<ReturnType<typeof serveClosed>>

const admin = token("root", "platform:admin")

const send = (server: Server, method: string, path: string, bearer: string | undefined, body?: object) =>
  call(server, {
    path,
    init: {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }
  }, bearer)

const entries = Effect.fnUntraced(function*(server: Server, query = "") {
  return list((yield* call(server, { path: `/audit${query}` }, yield* admin)).json, "data")
})

const webhook = { url: "https://hooks.example/1", events: ["run.failed"] }

describe("the audit log", () => {
  it.effect("a change is recorded with its caller, its subject and its status", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* token("ann", ...everything)
      const made = yield* send(server, "POST", "/webhooks", ann, webhook)
      const id = String(at(made.json, "id"))
      yield* send(server, "DELETE", `/webhooks/${id}?db_id=x`, ann)
      const [removed, created] = yield* entries(server)
      const { at: _, id: __, ...fields } = created as Record<string, unknown>
      assert.deepStrictEqual(fields, {
        actor: "ann",
        credential: "jwt",
        action: "POST /webhooks",
        subject_kind: "webhooks",
        subject_id: id,
        path: "/webhooks",
        request_id: null,
        status: made.status,
        counts: null
      })
      assert.deepStrictEqual(
        ["action", "subject_id", "path"].map((name) => at(removed, name)),
        ["DELETE /webhooks/:webhook_id", id, `/webhooks/${id}`]
      )
    }))

  it.effect("a change that is refused after its scopes were checked is recorded with the status of the refusal", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* token("ann", ...everything)
      yield* send(server, "DELETE", "/webhooks/none", ann)
      yield* send(server, "POST", "/webhooks", ann, { url: "no address" })
      assert.deepStrictEqual(column(yield* entries(server), "status"), [422, 404])
    }))

  it.effect("the subject is the first parameter of the path, or what the request has created", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* token("ann", ...everything)
      const made = Effect.fnUntraced(function*(path: string, body: object, name = "id") {
        const { json, text } = yield* send(server, "POST", path, ann, body)
        const id = at(json, name)
        assert.isString(id, text)
        return String(id)
      })
      const team = yield* made("/sessions?type=team", { team_id: "desk", user_id: "ann" }, "session_id")
      const flow = yield* made("/sessions?type=workflow", { workflow_id: "brief", user_id: "ann" }, "session_id")
      const skill = yield* made("/skills", { text: "---\nname: plan\ndescription: d\n---\nPlan." }, "name")
      const config = { component_type: "agent", name: "helper", config: { instructions: "Help" } }
      const component = yield* made("/components", config, "component_id")
      yield* send(server, "POST", `/components/${component}/configs/1/set-current`, ann)
      yield* send(server, "POST", "/webhooks/w/deliveries/d/redeliver", ann)
      yield* send(server, "POST", `/agents/assistant/sessions/${team}/fork`, ann)
      const subjects = (yield* entries(server)).toReversed().map((entry) =>
        `${String(at(entry, "subject_kind"))} ${String(at(entry, "subject_id"))}`
      )
      assert.deepStrictEqual(subjects, [
        `sessions ${team}`,
        `sessions ${flow}`,
        `skills ${skill}`,
        `components ${component}`,
        `components ${component}`,
        "webhooks w",
        `sessions ${team}`
      ])
    }))

  it.effect("a deletion of many has an entry for each of them, or their number if they are very many", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* token("ann", ...everything)
      const bodies: ReadonlyArray<readonly [string, object]> = [
        ["/sessions", { session_ids: ["a", "b", "a"], session_types: ["agent", "team", "agent"] }],
        ["/memories", { memory_ids: ["a", "b"] }],
        ["/eval-runs", { eval_run_ids: ["a", "b"] }]
      ]
      for (const [path, body] of bodies) {
        const { status } = yield* send(server, "DELETE", path, ann, body)
        const found = yield* entries(
          server,
          `?subject_id=b&subject_kind=${path === "/eval-runs" ? "evals" : path.slice(1)}`
        )
        assert.deepStrictEqual(column(found, "action"), [`DELETE ${path}`])
        assert.deepStrictEqual(column(found, "status"), [status])
      }
      assert.strictEqual((yield* entries(server)).length, 6)
      yield* send(server, "DELETE", "/memories", ann, {
        memory_ids: Array.from({ length: 101 }, (_, at) => String(at))
      })
      const [many] = yield* entries(server)
      assert.deepInclude(many as object, { subject_id: "", counts: { memories: 101 } })
    }))

  it.effect("a push notification config of A2A is recorded over JSON-RPC and over REST, with its task", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* token("ann", ...everything)
      const { run } = yield* seed(server, ann)
      const push = { id: "hook", url: "https://hooks.example/1" }
      const params = { taskId: run, pushNotificationConfig: push }
      const set = { jsonrpc: "2.0", id: 1, method: "tasks/pushNotificationConfig/set", params }
      const read = { ...set, method: "tasks/pushNotificationConfig/get", params: { id: run } }
      const configs = `/a2a/agents/assistant/v1/tasks/${run}/pushNotificationConfigs`
      const sent = [
        yield* send(server, "POST", "/a2a/agents/assistant", ann, set),
        yield* send(server, "POST", "/a2a/agents/assistant", ann, read),
        yield* send(server, "DELETE", `${configs}/hook`, ann)
      ]
      yield* send(server, "POST", "/a2a/agents/assistant", yield* token("ann", "agents:read"), set)
      const [removed, stored, ...others] = yield* entries(server)
      assert.deepStrictEqual(others, [])
      const shown = ["action", "subject_kind", "subject_id", "path", "status"]
      assert.deepStrictEqual(shown.map((name) => at(stored, name)), [
        "set push config",
        "tasks",
        run,
        "/a2a/agents/assistant",
        sent[0]?.status
      ])
      assert.deepStrictEqual(shown.map((name) => at(removed, name)), [
        "remove push config",
        "tasks",
        run,
        `${configs}/hook`,
        sent[2]?.status
      ])
    }))

  it.effect("a request that reads, that runs a component, or that lacks a scope is not recorded", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* seed(server, yield* token("ann", ...everything))
      yield* send(server, "DELETE", "/sessions/anns", yield* token("bob", "sessions:read"))
      assert.deepStrictEqual(yield* entries(server), [])
    }))

  it.effect("a service without credentials records nothing", () =>
    Effect.gen(function*() {
      const server = yield* serve({})
      yield* send(server, "POST", "/webhooks", undefined, webhook)
      const found = yield* call(server, { path: "/audit" })
      assert.deepStrictEqual(list(found.json, "data"), [])
    }))

  it.effect("an isolated caller reads the own changes only", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      for (const user of ["ann", "bob"]) {
        yield* send(server, "POST", "/webhooks", yield* token(user, ...everything), webhook)
      }
      const own = yield* call(server, { path: "/audit" }, yield* token("bob", "audit:read"))
      assert.deepStrictEqual(column(at(own.json, "data"), "actor"), ["bob"])
      const others = yield* call(server, { path: "/audit?actor=ann" }, yield* token("bob", "audit:read"))
      assert.deepStrictEqual(list(others.json, "data"), [])
      assert.deepStrictEqual(column(yield* entries(server, "?actor=ann"), "actor"), ["ann"])
    }))

  it.effect("the export has all entries as lines, the oldest first", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* token("ann", ...everything)
      yield* send(server, "POST", "/webhooks", ann, webhook)
      yield* send(server, "DELETE", "/webhooks/none", ann)
      const { headers, text } = yield* call(server, { path: "/audit/export" }, yield* admin)
      const lines = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as object)
      assert.deepStrictEqual(lines, (yield* entries(server)).toReversed())
      assert.match(String(headers.get("content-type")), /^application\/x-ndjson/)
    }))

  it.effect.each<readonly [spelling: string, path: (id: string) => string]>([
    ["a semicolon", (id) => `/webhooks/${id};x`],
    ["a fragment", (id) => `/webhooks/${id}#x`],
    ["many slashes", (id) => `${"/".repeat(1100)}webhooks/${id}`],
    ["an encoded character", (id) => `/webhooks/${id.replace("-", "%2D")}`]
  ])("an entry names what was changed although the path has %s", ([, path]) =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* token("ann", ...everything)
      const id = String(at((yield* send(server, "POST", "/webhooks", ann, webhook)).json, "id"))
      const { status } = yield* send(server, "DELETE", path(id), ann)
      assert.strictEqual(status, 204)
      const [entry] = yield* entries(server)
      assert.deepStrictEqual([at(entry, "subject_id"), at(entry, "path")], [id, `/webhooks/${id}`])
    }))

  it.effect("a time that is none is refused", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const found = yield* call(server, { path: "/audit?since=yesterday" }, yield* admin)
      failed(found, 400, "BAD_REQUEST", "since is no time. Use ISO 8601, such as 2026-11-20T10:00:00Z")
    }))

  it.effect("a change that cannot be recorded is not made", () =>
    Effect.gen(function*() {
      const begin = () => Effect.fail(new StorageUnavailable({ cause: "away" }))
      const server = yield* serveClosed({
        database: (database) => ({ ...database, audit: { ...database.audit, begin } })
      })
      const ann = yield* token("ann", ...everything)
      const refused = yield* send(server, "POST", "/webhooks", ann, webhook)
      assert.strictEqual(refused.status, 503)
      assert.match(String(at(refused.json, "detail")), /could not be recorded in the audit log/)
      const webhooks = yield* call(server, { path: "/webhooks" }, ann)
      assert.deepStrictEqual(list(webhooks.json, "data"), [])
    }))
})
