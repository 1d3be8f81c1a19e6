// What callers may not do who are limited to a session, or who have no user.
import { assert, describe, it } from "@effect/vitest"
import * as Approval from "@svc-runtime/domain/Approval"
import { json } from "@svc-runtime/test-support/endpoints/Checked"
import { approval } from "@svc-runtime/test-support/suites/approvals/Approvals"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { at, failed, list, notFound, serve } from "../Wire.ts"
import { storeWith } from "../wire/StoredApprovalRows.ts"
import { agents, call, claims, closed, everything, mint, serveClosed, theIssuer, token } from "./Closed.ts"

const limited = (session_id: string, ...scopes: ReadonlyArray<string>) =>
  Effect.flatMap(theIssuer, (issuer) => issuer.sign({ ...claims("ann", scopes), session_id }))

const rpc = (server: TestServer.TestServer, bearer: string, method: string, params: object) => {
  const { body, headers, ...init } = json("POST", { jsonrpc: "2.0", id: 1, method, params })
  const versioned = { ...init, body: body ?? null, headers: { ...headers as object, "a2a-version": "1.0" } }
  return call(server, { path: "/a2a/agents/assistant", init: versioned }, bearer)
}

const send = (server: TestServer.TestServer, bearer: string, configuration: object = {}) =>
  rpc(server, bearer, "SendMessage", {
    message: { messageId: "1", contextId: "a", role: "ROLE_USER", parts: [{ text: "Hi" }] },
    configuration
  })

describe("a message of A2A", () => {
  it.effect("The same message of a token for another session makes a task in that session.", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      for (const session of ["a", "b", "a"]) {
        const answer = yield* send(server, yield* limited(session, "agents:run"))
        assert.strictEqual(at(answer.json, "result", "task", "contextId"), session, answer.text)
      }
      const ann = yield* token("ann", ...everything)
      for (const session of ["a", "b"]) {
        const runs = yield* call(server, { path: `/sessions/${session}/runs` }, ann)
        assert.strictEqual(list(runs.json).length, 1, runs.text)
      }
    }))

  it.effect("Callers without a user share no messages.", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const unnamed = yield* token(undefined, "agents:run")
      const message = {
        messageId: "0b2e9c1e-8f0a-4d1e-9a35-6c0f7f1d2b11",
        role: "ROLE_USER",
        parts: [{ text: "Hi" }]
      }
      const tasks = yield* Effect.forEach([1, 2], () => rpc(server, unnamed, "SendMessage", { message }))
      const ids = tasks.map((task) => at(task.json, "result", "task", "id"))
      assert.strictEqual(new Set(ids).size, 2, JSON.stringify(tasks))
      assert.notInclude(ids, undefined)
    }))

  const gated = Effect.gen(function*() {
    const scopeMappings = { "GET /agents/*/runs/*/events": ["gate:watch"] }
    return yield* serve({
      agents: yield* agents,
      authorization: { ...(yield* closed), scopeMappings },
      fetch: { allow: ["127.0.0.1"] }
    })
  })

  const push = {
    id: "p",
    url: "http://127.0.0.1:9/changes",
    token: "TOKEN",
    authentication: { scheme: "Bearer", credentials: "CREDENTIALS" }
  }

  it.effect("A push in it needs the scopes of the mapping of events, before its run begins.", () =>
    Effect.gen(function*() {
      const server = yield* gated
      const configuration = { taskPushNotificationConfig: push }
      const refused = yield* send(server, yield* token("ann", "agents:run", "agents:read"), configuration)
      assert.match(refused.text, /Required scope\(s\): gate:watch/)
      const admin = yield* token("root", "platform:admin")
      const sessions = yield* call(server, { path: "/sessions" }, admin)
      assert.deepStrictEqual(list(sessions.json, "data"), [])
      const accepted = yield* send(server, yield* token("ann", "agents:run", "gate:watch"), configuration)
      assert.isString(at(accepted.json, "result", "task", "id"), accepted.text)
    }))

  it.effect("Secrets of a push are not shown after it was made.", () =>
    Effect.gen(function*() {
      const server = yield* gated
      const admin = yield* token("root", "platform:admin")
      const sent = yield* send(server, admin, { taskPushNotificationConfig: push })
      const taskId = at(sent.json, "result", "task", "id")
      const ask = (method: string, more: object = {}) => rpc(server, admin, method, { taskId, ...more })
      for (
        const answer of [
          yield* ask("ListTaskPushNotificationConfigs"),
          yield* ask("GetTaskPushNotificationConfig", { id: "p" })
        ]
      ) {
        assert.include(answer.text, push.url)
        assert.notMatch(answer.text, /TOKEN|CREDENTIALS/)
      }
    }))
})

describe("a caller without a user", () => {
  it.effect("A token without a subject makes no datasets, schedules and learnings, which would have no owner.", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const unnamed = yield* token(undefined, ...everything)
      const schedule = {
        name: "s",
        cron_expr: "@yearly",
        endpoint: "/agents/assistant/runs",
        payload: { message: "Hi" }
      }
      const learning = { learning_type: "decision_log", content: { decision: "x" } }
      for (
        const [path, body] of [["/datasets", { name: "d" }], ["/schedules", schedule], [
          "/learnings",
          learning
        ]] as const
      ) {
        const refused = yield* call(server, { path, init: json("POST", body) }, unnamed)
        failed(refused, 403, "FORBIDDEN", "This token names no user. Use a token with the claim sub")
        const made = yield* call(server, { path, init: json("POST", body) }, yield* token("ann", ...everything))
        assert.strictEqual(made.status, 201, made.text)
      }
    }))
})

describe("a service account that is revoked", () => {
  const first = "calls what happens"
  const hook = { url: "https://receiver.example/svc", events: ["run.completed"], description: first }

  it.effect("The webhooks of a revoked account are disabled with the reason, also for the next account of its name.", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const admin = yield* token("root", "platform:admin")
      const account = { name: "ci", scopes: everything }
      const old = yield* mint(server, admin, account)
      const made = yield* call(server, { path: "/webhooks", init: json("POST", hook) }, old.token)
      assert.strictEqual(made.status, 201, made.text)
      const shown = (bearer: string) =>
        Effect.map(call(server, { path: "/webhooks" }, bearer), (answer) => {
          const webhook = list(answer.json, "data")[0]
          return [at(webhook, "description"), at(webhook, "enabled"), at(webhook, "disabled_reason")]
        })
      const removal = { path: `/service-accounts/${old.id}`, init: { method: "DELETE" } }
      assert.strictEqual((yield* call(server, removal, admin)).status, 204)
      const disabled = [first, false, "The service account 'ci' was revoked, or has expired"]
      assert.deepStrictEqual(yield* shown(admin), disabled)
      const path = `/webhooks/${String(at(made.json, "id"))}`
      assert.strictEqual((yield* call(server, { path, init: json("PATCH", { enabled: true }) }, admin)).status, 200)
      const next = yield* mint(server, admin, account)
      assert.deepStrictEqual(yield* shown(next.token), disabled)
      const ofNext = { ...hook, description: "of the next account" }
      const another = yield* call(server, { path: "/webhooks", init: json("POST", ofNext) }, next.token)
      assert.strictEqual((yield* call(server, removal, admin)).status, 204, "a request that is repeated")
      const kept = yield* call(server, { path: `/webhooks/${String(at(another.json, "id"))}` }, next.token)
      assert.strictEqual(at(kept.json, "enabled"), true)
    }))
})

describe("an admin whose token is limited to a session", () => {
  it.effect("An admin with a token for one session decides and removes no approval of another one.", () =>
    Effect.gen(function*() {
      const id = Approval.Id.make("waits")
      const { layer } = yield* storeWith(approval({ id }))
      const server = yield* serveClosed({ approvals: layer })
      const elsewhere = yield* limited("elsewhere", "platform:admin")
      const decision = json("POST", { status: "approved" })
      notFound(yield* call(server, { path: `/approvals/${id}/resolve`, init: decision }, elsewhere))
      notFound(yield* call(server, { path: `/approvals/${id}`, init: { method: "DELETE" } }, elsewhere))
      const admin = yield* token("root", "platform:admin")
      assert.strictEqual(at((yield* call(server, { path: `/approvals/${id}` }, admin)).json, "status"), "pending")
    }))
})
