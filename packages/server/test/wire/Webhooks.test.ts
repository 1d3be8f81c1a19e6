// Webhooks on the wire: their fields, what is refused, who sees what, and where secrets are.
import { assert, describe, it } from "@effect/vitest"
import { json } from "@svc-runtime/test-support/endpoints/Checked"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { ask, at, column, failed, get, hasKeys, invalid, list, notFound, post, second, send, serve } from "../Wire.ts"

Tier.oneIn(3)

const url = "https://receiver.example/svc?key=1"
const fields = { url, events: ["run.completed", "approval.created"] }

const made = Effect.fnUntraced(function*(server: TestServer.TestServer, body: object = {}) {
  const { json, status, text } = yield* post(server, "/webhooks", { ...fields, ...body })
  assert.strictEqual(status, 201, text)
  return { json, path: `/webhooks/${String(at(json, "id"))}`, secret: String(at(json, "secret")) }
})

describe("webhooks", () => {
  it.effect("a webhook is made, read, listed, changed and removed, and its secret is shown once", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const { json, path, secret } = yield* made(server, { component: { kind: "team", id: "desk" } })
      const shown = {
        id: at(json, "id"),
        ...fields,
        description: null,
        component: { kind: "team", id: "desk" },
        user_id: null,
        enabled: true,
        disabled_reason: null,
        secret_problem: null,
        failures: 0,
        dropped: 0,
        declared: false,
        created_at: second,
        updated_at: null
      }
      assert.deepStrictEqual(json, { ...shown, secret })
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.deepStrictEqual((yield* get(server, path)).json, shown)
      const all = yield* get(server, "/webhooks")
      assert.deepStrictEqual(list(all.json, "data"), [shown])
      const patch = { events: ["schedule.failed"], component: null, description: "a", enabled: false }
      const changed = yield* send(server, "PATCH", path, patch)
      assert.deepStrictEqual(changed.json, { ...shown, ...patch, updated_at: second })
      const rotated = yield* post(server, `${path}/rotate-secret`, {})
      hasKeys(rotated.json, "id", "secret", "previous_until")
      assert.notStrictEqual(at(rotated.json, "secret"), secret)
      assert.strictEqual(at(rotated.json, "previous_until"), second + 86_400)
      for (const answer of [all, changed, yield* get(server, path)]) assert.notInclude(answer.text, "whsec_")
      assert.notInclude(JSON.stringify(server.logs), "whsec_")
      assert.strictEqual((yield* ask(server, path, { method: "DELETE" })).status, 204)
      for (const [method, rest] of [["GET", ""], ["PATCH", ""], ["DELETE", ""], ["POST", "/rotate-secret"]] as const) {
        const body = method === "PATCH" ? { description: "a" } : undefined
        notFound(yield* send(server, method, `${path}${rest}`, body), "Webhook not found")
      }
    }))

  it.effect("bad fields are refused, and so are addresses that are not of the public internet", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const { path } = yield* made(server)
      for (
        const [body, field, type] of [
          [{ events: [] }, "events", "too_short"],
          [{ events: ["run.completed", "run.completed"] }, "events", "value_error"],
          [{ url: "x".repeat(2049) }, "url", "string_too_long"],
          [{ url: "https://a.example/\r\nX-A: b" }, "url", "value_error"],
          [{ url: "https://a.example/\ud800" }, "url", "string_unicode"],
          [{ description: "a\u0000" }, "description", "string_unicode"]
        ] as const
      ) {
        invalid(yield* post(server, "/webhooks", { ...fields, ...body }), [["body", field], type])
        invalid(yield* send(server, "PATCH", path, body), [["body", field], type])
      }
      for (const bad of ["none", "ftp://a.example", "http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/"]) {
        failed(yield* post(server, "/webhooks", { ...fields, url: bad }), 422, "VALIDATION_ERROR")
        failed(yield* send(server, "PATCH", path, { url: bad }), 422, "VALIDATION_ERROR")
      }
      assert.strictEqual((yield* post(server, "/webhooks", { ...fields, events: ["run.other"] })).status, 422)
      assert.strictEqual(
        (yield* post(server, "/webhooks", { ...fields, component: { kind: "x", id: "a" } })).status,
        422
      )
    }))

  it.effect("a webhook that would get none of its events is refused, when it is made and when it is changed", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const [component, events] = [{ kind: "agent", id: "desk" }, ["schedule.failed"]]
      for (
        const [body, why] of [
          [{ component, events }, "a component gets no event that has none: schedule.failed"],
          [{ user_id: "ann", events }, "a user_id gets no event that has none: schedule.failed"],
          [
            { user_id: "ann", events: ["schedule.failed", "evaluation.completed"] },
            "a user_id gets no event that has none: schedule.failed, evaluation.completed"
          ]
        ] as const
      ) {
        const refused = yield* post(server, "/webhooks", { ...fields, ...body })
        failed(refused, 422, "VALIDATION_ERROR", new RegExp(why))
      }
      const { path } = yield* made(server, { component })
      failed(yield* send(server, "PATCH", path, { events }), 422, "VALIDATION_ERROR")
      assert.strictEqual((yield* send(server, "PATCH", path, { events, component: null })).status, 200)
      failed(yield* send(server, "PATCH", path, { component }), 422, "VALIDATION_ERROR")
      yield* made(server, { component, events: ["schedule.failed", "evaluation.completed"] })
      yield* made(server, { user_id: "ann", events: ["schedule.failed", "run.failed"] })
    }))

  it.effect("a service has as many webhooks as MAX_WEBHOOKS allows", () =>
    Effect.gen(function*() {
      const server = yield* serve({ webhooks: { room: { all: 1, ofUser: 1 } } })
      yield* made(server)
      failed(yield* post(server, "/webhooks", fields), 409, "CONFLICT", /MAX_WEBHOOKS/)
    }))

  it.effect("a webhook of another user is not found, and an admin sees those of all", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const scopes = ["webhooks:read", "webhooks:write", "webhooks:delete"]
      const [ann, bob, admin] = [
        yield* token("ann", ...scopes),
        yield* token("bob", ...scopes),
        yield* token("root", "platform:admin")
      ]
      const own = yield* call(server, { path: "/webhooks", init: json("POST", fields) }, ann)
      assert.strictEqual(own.status, 201, own.text)
      assert.strictEqual(at(own.json, "user_id"), "ann")
      const path = `/webhooks/${String(at(own.json, "id"))}`
      for (const init of [{}, json("PATCH", { description: "b" }), { method: "DELETE" }]) {
        notFound(yield* call(server, { path, init }, bob), "Webhook not found")
      }
      notFound(yield* call(server, { path: `${path}/rotate-secret`, init: { method: "POST" } }, bob))
      assert.deepStrictEqual(list((yield* call(server, { path: "/webhooks" }, bob)).json, "data"), [])
      const seen = yield* call(server, { path: "/webhooks" }, admin)
      assert.deepStrictEqual(column(list(seen.json, "data"), "user_id"), ["ann"])
      const foreign = json("POST", { ...fields, user_id: "bob" })
      const made = yield* call(server, { path: "/webhooks", init: foreign }, ann)
      assert.strictEqual(at(made.json, "user_id"), "ann")
    }))
})
