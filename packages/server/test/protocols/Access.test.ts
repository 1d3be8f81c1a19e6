// Who may use AG-UI, chats and the API of OpenAI: the scopes of runs, also for one component, and only own sessions.
import { assert, describe, it } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Team from "@svc-runtime/features/Team"
import { defaultProtocols } from "@svc-runtime/http/Settings"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { agents, call, closed, token } from "../authorization/Closed.ts"
import { always, at, column, serve } from "../Wire.ts"

Tier.oneIn(6)

const json = (path: string, body: object) => ({
  path,
  init: { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
})

const message = { id: "m", role: "user", content: "hi", parts: [{ type: "text", text: "hi" }] }

/** A run of `assistant`. The session is one of the caller, where the protocol names one. */
const runs = {
  "AG-UI": (session: string) =>
    json("/agents/assistant/agui", { threadId: session, runId: `run-${session}`, messages: [message] }),
  chat: (session: string) => json("/agents/assistant/chat", { id: session, messages: [message] }),
  "OpenAI completions": (session: string) =>
    json("/v1/chat/completions", { model: "assistant", messages: [message], conversation: session }),
  "OpenAI responses": (session: string) =>
    json("/v1/responses", { model: "assistant", input: "hi", conversation: session })
}

const served = Effect.gen(function*() {
  return yield* serve({ agents: yield* agents, authorization: yield* closed })
})

describe.each(Object.entries(runs))("access to %s", (_, request) => {
  it.effect("a caller without a credential is refused with 401", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* call(yield* served, request("s"))).status, 401)
    }))

  it.effect("a caller without the scope of runs is refused with 403, and nothing is stored", () =>
    Effect.gen(function*() {
      const server = yield* served
      const caller = yield* token("ann", "agents:read", "agents:other:run", "sessions:read")
      assert.strictEqual((yield* call(server, request("s"), caller)).status, 403)
      assert.strictEqual((yield* call(server, { path: "/sessions/s" }, caller)).status, 404)
    }))

  it.effect("the scope of one component is enough for a run of it", () =>
    Effect.gen(function*() {
      const answer = yield* call(yield* served, request("s"), yield* token("ann", "agents:assistant:run"))
      assert.strictEqual(answer.status, 200, answer.text)
      assert.include(answer.text, "Hello.")
    }))

  it.effect("a mapping of scopes cannot grant a run", () =>
    Effect.gen(function*() {
      const scopeMappings = { "POST /agents/*/agui": [], "POST /agents/*/chat": [] }
      const server = yield* serve({ agents: yield* agents, authorization: { ...yield* closed, scopeMappings } })
      const answer = yield* call(server, request("s"), yield* token("ann", "agents:read"))
      assert.strictEqual(answer.status, 403, answer.text)
    }))

  it.effect("a session of another user is not found", () =>
    Effect.gen(function*() {
      const server = yield* served
      assert.strictEqual((yield* call(server, request("s"), yield* token("ann", "agents:run"))).status, 200)
      const answer = yield* call(server, request("s"), yield* token("bob", "agents:run"))
      assert.strictEqual(answer.status, 404, answer.text)
    }))
})

describe("errors of the API of OpenAI", () => {
  it.effect("a refused credential and a wrong method have the body of the API", () =>
    Effect.gen(function*() {
      const server = yield* served
      const refused = yield* call(server, { path: "/v1/models" }, "no-token")
      assert.strictEqual(refused.status, 401)
      assert.strictEqual(at(refused.json, "error", "code"), "unauthenticated")
      assert.isString(at(refused.json, "error", "message"))
      const caller = yield* token("ann", "agents:run")
      const missing = yield* call(server, { path: "/v1/chat/completions?a=1" }, caller)
      assert.deepStrictEqual([missing.status, at(missing.json, "error", "code")], [405, "method_not_allowed"])
      const other = yield* call(server, { path: "/agents/assistant" }, "no-token")
      assert.strictEqual(at(other.json, "error_code"), "UNAUTHENTICATED")
    }))

  it.effect("a database that does not reply is 503 with the body of the API, before and in the handler", () =>
    Effect.gen(function*() {
      const down = Effect.fail(new StorageUnavailable({ cause: "down" }))
      const server = yield* serve({
        agents: yield* agents,
        authorization: yield* closed,
        accounts: Layer.mock(ServiceAccountStore, { findByHash: () => down }),
        database: (database) => ({ ...database, runs: { ...database.runs, find: () => down } })
      })
      const id = `resp_${Buffer.from(JSON.stringify(["r", "s", "assistant"])).toString("base64url")}`
      for (const bearer of ["svc_pat_x", yield* token("ann", "agents:run")]) {
        const answer = yield* call(server, { path: `/v1/responses/${id}` }, bearer)
        assert.strictEqual(answer.status, 503, answer.text)
        assert.deepInclude(at(answer.json, "error") as object, { type: "server_error", code: "service_unavailable" })
        assert.isString(at(answer.json, "error", "message"))
      }
    }))
})

describe("what a caller sees of others", () => {
  it.effect("the caller gets only models that it may run", () =>
    Effect.gen(function*() {
      const caller = yield* token("ann", "agents:other:run")
      const { json } = yield* call(yield* served, { path: "/v1/models" }, caller)
      assert.deepStrictEqual(column(at(json, "data"), "id"), ["other"])
    }))

  it.effect.each([
    { scope: "agents:other:run", status: 403 },
    { scope: "teams:run", status: 404 }
  ])(
    "a caller with $scope does not learn whether an agent exists: $status",
    ({ scope, status }) =>
      Effect.gen(function*() {
        const server = yield* served
        const caller = yield* token("ann", scope)
        const answers = yield* Effect.forEach(["assistant", "missing"], (model) =>
          Effect.all([
            call(server, json("/v1/chat/completions", { model, messages: [message] }), caller),
            call(server, { path: `/v1/models/${model}` }, caller),
            call(server, json(`/copilotkit/agent/${model}/stop/thread`, {}), caller)
          ]))
        const [known, unknown] = answers.map((each) =>
          each.map(({ status, text }) => [status, text.replaceAll(/assistant|missing/g, "")])
        )
        assert.deepStrictEqual(known, unknown)
        assert.deepStrictEqual(known?.map(([status]) => status), [status, status, status])
      })
  )

  it.effect("a component whose name another one has is named by its id for who may run only it", () =>
    Effect.gen(function*() {
      const [assistant] = yield* agents
      const { model } = yield* always(Script.text("Team."))
      const team = Team.make({ id: "assistant", name: "Team", model, members: [assistant!] })
      const server = yield* serve({ agents: [assistant!], teams: [team], authorization: yield* closed })
      const caller = yield* token("ann", "teams:run")
      const { json: models } = yield* call(server, { path: "/v1/models" }, caller)
      assert.deepStrictEqual(column(at(models, "data"), "id"), ["assistant"])
      const answer = yield* call(server, runs["OpenAI completions"]("s"), caller)
      assert.include(answer.text, "Team.")
    }))

  it.effect("a component that the caller may not start keeps its name from another one", () =>
    Effect.gen(function*() {
      const [assistant] = yield* agents
      const { model } = yield* always(Script.text("Team."))
      const team = Team.make({ id: "assistant", name: "Team", model, members: [assistant!] })
      const authorization = { ...yield* closed, scopeMappings: { "POST /agents/assistant/runs": ["gate:a"] } }
      const server = yield* serve({ agents: [assistant!], teams: [team], authorization })
      const caller = yield* token("ann", "teams:run", "agents:run")
      const { json: models } = yield* call(server, { path: "/v1/models" }, caller)
      assert.deepStrictEqual(column(at(models, "data"), "id"), ["teams/assistant"])
    }))

  it.effect("a request with the id of another user's run starts a run with another id", () =>
    Effect.gen(function*() {
      const server = yield* served
      const [ann, bob] = [yield* token("ann", "agents:run"), yield* token("bob", "agents:run")]
      const started = (threadId: string, runId: string) =>
        json("/agents/assistant/agui", { threadId, runId, messages: [message] })
      assert.strictEqual((yield* call(server, started("a", "r"), ann)).status, 200)
      const [taken, unknown] = [
        yield* call(server, started("b", "r"), bob),
        yield* call(server, started("c", "n"), bob)
      ]
      const shown = ({ status, text }: typeof taken) => [
        status,
        (text.match(/"type":"[A-Z_]+"/g) ?? []).filter((type) => !type.includes("RAW"))
      ]
      assert.deepStrictEqual(shown(taken), shown(unknown))
      assert.include(taken.text, "\"runId\":\"r\"")
      assert.strictEqual((yield* call(server, started("a", "r"), ann)).status, 409)
    }))

  it.effect("the chat of another user has no stream, and cannot be stopped", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* call(server, runs.chat("s"), yield* token("ann", "agents:run"))
      const bob = yield* token("bob", "agents:run")
      assert.strictEqual((yield* call(server, { path: "/agents/assistant/chat/s/stream" }, bob)).status, 204)
      const stopped = yield* call(server, json("/agents/assistant/chat/s/stop", {}), bob)
      assert.deepStrictEqual(stopped.json, { stopped: false })
    }))

  it.effect("a response of another user is an unknown one", () =>
    Effect.gen(function*() {
      const server = yield* served
      const first = yield* call(server, runs["OpenAI responses"]("s"), yield* token("ann", "agents:run"))
      const body = { model: "assistant", input: "hi", previous_response_id: at(first.json, "id") }
      const answer = yield* call(server, json("/v1/responses", body), yield* token("bob", "agents:run"))
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(at(answer.json, "error", "code"), "previous_response_not_found")
      const path = `/v1/responses/${String(at(first.json, "id"))}`
      const cancel = { path: `${path}/cancel`, init: { method: "POST" } }
      for (const request of [{ path }, { path: `${path}?stream=true` }, cancel]) {
        assert.strictEqual((yield* call(server, request)).status, 401)
        const hidden = yield* call(server, request, yield* token("bob", "agents:run"))
        assert.deepStrictEqual([hidden.status, at(hidden.json, "error", "code")], [404, "response_not_found"])
        assert.strictEqual((yield* call(server, request, yield* token("ann", "agents:other:run"))).status, 403)
      }
      const read = yield* call(server, { path }, yield* token("ann", "agents:run"))
      assert.strictEqual(at(read.json, "output", 0, "content", 0, "text"), "Hello.")
    }))
})

describe("protocols that are off", () => {
  it.effect("the routes of a protocol that is off are not found", () =>
    Effect.gen(function*() {
      const off = { enabled: false }
      const protocols = { ...defaultProtocols, agui: off, chat: off, openai: { ...defaultProtocols.openai, ...off } }
      const server = yield* serve({ agents: yield* agents, settings: { protocols } })
      for (const request of Object.values(runs)) assert.strictEqual((yield* call(server, request("s"))).status, 404)
    }))

  it.effect("the API of OpenAI can be below another path", () =>
    Effect.gen(function*() {
      const protocols = { ...defaultProtocols, openai: { enabled: true, prefix: "/api/openai" } }
      const server = yield* serve({ agents: yield* agents, settings: { protocols } })
      assert.strictEqual((yield* call(server, { path: "/api/openai/models" })).status, 200)
    }))
})
