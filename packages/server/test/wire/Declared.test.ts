// What the code of an application declares, as callers see it.
import { assert, describe, it } from "@effect/vitest"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as Agent from "@svc-runtime/features/Agent"
import type { Declarable } from "@svc-runtime/features/declarations/DeclaredOption"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as TestDatabase from "@svc-runtime/testing/TestDatabase"
import * as TestServer from "@svc-runtime/testing/TestServer"
import { Cause, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, column, failed, get, list, post, second, send } from "../Wire.ts"
import { passing } from "./ScheduleTime.ts"

Tier.oneIn(4)

const agents = [Agent.make({ id: "assistant" })]

const [assistant] = agents

const token = `svc_pat_${"a1".repeat(16)}`
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

const declared: Declarable = {
  schedules: [{
    name: "Nightly",
    cron: "0 3 * * *",
    timezone: "Europe/Berlin",
    component: assistant ?? { kind: "agent", id: "assistant" },
    payload: { message: "Write the report." },
    timeout: "5 minutes"
  }],
  webhooks: [{ name: "orders", url: "https://receiver.example/svc", events: ["run.failed"], secret }],
  datasets: [{ name: "Numbers", items: [{ input: "1 + 1", expectedOutput: "2" }, { input: "2 + 2" }] }],
  serviceAccounts: [{ name: "ci", token, scopes: ["agents:run"] }]
}

/** Services of one database, one after the other. */
const database = Effect.map(Layer.build(TestDatabase.layer), (context) => {
  const stores = Layer.merge(Layer.succeedContext(context), Notifications.layerNone)
  return (declared: Declarable, options: TestServer.Options = {}) =>
    Effect.andThen(
      TestClock.setTime(second * 1000),
      TestServer.make({ agents, declared, stores, accounts: stores, ...options })
    )
})

const paths = ["/schedules", "/webhooks", "/datasets", "/service-accounts"] as const

const firstOf = (server: TestServer.TestServer) => (path: string) =>
  Effect.map(get(server, path), ({ json }) => list(json, "data")[0])

const everything = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const [schedules, webhooks, datasets, accounts] = paths
  const of = firstOf(server)
  return {
    schedule: yield* of(schedules),
    webhook: yield* of(webhooks),
    dataset: yield* of(datasets),
    account: yield* of(accounts)
  }
})

const idOf = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string) {
  const [first] = list((yield* get(server, path)).json, "data")
  return `${path}/${String(at(first, "id"))}`
})

describe("what is declared in code", () => {
  it.effect("a service has it before its first request, and shows it as declared", () =>
    Effect.gen(function*() {
      const start = yield* database
      const server = yield* start(declared)
      const [schedule] = list((yield* get(server, "/schedules")).json, "data")
      assert.deepInclude(schedule as object, {
        name: "Nightly",
        cron_expr: "0 3 * * *",
        endpoint: "/agents/assistant/runs",
        payload: { message: "Write the report." },
        timeout_seconds: 300,
        enabled: true,
        declared: true
      })
      const [webhook] = list((yield* get(server, "/webhooks")).json, "data")
      assert.deepInclude(webhook as object, { description: "orders", events: ["run.failed"], declared: true })
      assert.notInclude(JSON.stringify(webhook), "whsec")
      const [dataset] = list((yield* get(server, "/datasets")).json, "data")
      assert.deepInclude(dataset as object, { name: "Numbers", item_count: 2, version: 2, declared: true })
      const [account] = list((yield* get(server, "/service-accounts")).json, "data")
      assert.deepInclude(account as object, {
        principal: "sa:ci",
        scopes: ["agents:run"],
        expires_at: null,
        token_prefix: token.slice(0, 16),
        declared: true
      })
      const made = yield* post(server, "/datasets", { name: "By hand" })
      assert.isFalse(at(made.json, "declared"))
    }))

  it.effect("another start with the same declarations changes nothing, and a changed one changes what it declares", () =>
    Effect.gen(function*() {
      const start = yield* database
      const first = yield* start(declared)
      const before = yield* everything(first)
      const again = yield* start(declared)
      assert.deepStrictEqual(yield* everything(again), before)
      const changed = yield* start({
        schedules: [{
          name: "Nightly",
          cron: "0 4 * * *",
          component: { kind: "agent", id: "assistant" },
          payload: { message: "Shorter." }
        }],
        webhooks: [{
          name: "orders",
          url: "https://receiver.example/other",
          events: ["run.failed"],
          secret: `whsec_${Buffer.alloc(32, 8).toString("base64")}`
        }],
        datasets: [{ name: "Numbers", items: [{ input: "2 + 2" }, { input: "3 + 3" }] }],
        serviceAccounts: [{ name: "ci", token, scopes: ["agents:run", "agents:read"] }]
      })
      const after = yield* everything(changed)
      const { account, dataset, schedule, webhook } = after
      assert.deepStrictEqual(
        Object.values(after).map((now) => at(now, "id")),
        Object.values(before).map((old) => at(old, "id"))
      )
      assert.deepInclude(schedule as object, { cron_expr: "0 4 * * *", timezone: "UTC", timeout_seconds: 3600 })
      assert.strictEqual(at(webhook, "url"), "https://receiver.example/other")
      assert.deepInclude(dataset as object, { version: 3, item_count: 2 })
      const items = list((yield* get(changed, `/datasets/${String(at(dataset, "id"))}/items`)).json, "data")
      assert.deepStrictEqual(column(items, "input"), ["2 + 2", "3 + 3"])
      // the item that is the same is that of the version before
      assert.deepStrictEqual(column(items, "version"), [2, 3])
      assert.deepStrictEqual(at(account, "scopes"), ["agents:run", "agents:read"])
    }))

  it.effect("requests do not change it, but enable, disable and trigger a schedule, and disable a webhook", () =>
    Effect.gen(function*() {
      const start = yield* database
      const server = yield* start(declared)
      const [schedule, webhook, dataset] = [
        yield* idOf(server, "/schedules"),
        yield* idOf(server, "/webhooks"),
        yield* idOf(server, "/datasets")
      ]
      const refused = (label: string) => `The ${label} is declared in the code of the service. Change it there`
      for (
        const [method, path, label] of [
          ["PATCH", schedule, "schedule"],
          ["DELETE", schedule, "schedule"],
          ["PATCH", webhook, "webhook"],
          ["DELETE", webhook, "webhook"],
          ["PATCH", dataset, "dataset"],
          ["DELETE", dataset, "dataset"]
        ] as const
      ) {
        const answer = method === "DELETE"
          ? yield* ask(server, path, { method })
          : yield* send(server, method, path, { description: "mine" })
        failed(answer, 409, "CONFLICT", refused(label))
      }
      failed(yield* post(server, `${webhook}/rotate-secret`, {}), 409, "CONFLICT", refused("webhook"))
      failed(yield* post(server, `${dataset}/items`, { put: [] }), 409, "CONFLICT", refused("dataset"))
      failed(
        yield* ask(server, `${dataset}/import`, {
          method: "POST",
          headers: { "content-type": "application/x-ndjson" },
          body: "{\"input\":\"a\"}"
        }),
        409,
        "CONFLICT",
        refused("dataset")
      )
      const run = yield* passing(post(server, `${schedule}/trigger`, {}))
      assert.strictEqual(at(run.json, "status"), "success", run.text)
      assert.strictEqual((yield* post(server, `${schedule}/disable`, {})).status, 200)
      const off = yield* send(server, "PATCH", webhook, { enabled: false })
      assert.deepInclude(off.json as object, { enabled: false, declared: true })
      // what an operator has stopped stays so, also when the declaration changes
      const next = yield* start({
        ...declared,
        schedules: [{ name: "Nightly", cron: "0 5 * * *", endpoint: "/health", method: "GET" }]
      })
      assert.deepInclude((yield* get(next, schedule)).json as object, { enabled: false, cron_expr: "0 5 * * *" })
      assert.deepInclude((yield* get(next, webhook)).json as object, { enabled: false })
    }))

  it.effect("what leaves the code is removed; a schedule with runs is kept disabled, until the code has it again", () =>
    Effect.gen(function*() {
      const start = yield* database
      const first = yield* start(declared)
      const schedule = yield* idOf(first, "/schedules")
      const run = yield* passing(post(first, `${schedule}/trigger`, {}))
      assert.strictEqual(at(run.json, "status"), "success", run.text)
      const empty = yield* start({})
      for (const path of paths.slice(1)) {
        assert.deepStrictEqual(list((yield* get(empty, path)).json, "data"), [], path)
      }
      assert.deepInclude((yield* get(empty, schedule)).json as object, {
        enabled: false,
        declared: false,
        paused_reason: "The code of the service does not declare it any more"
      })
      assert.lengthOf(list((yield* get(empty, `${schedule}/runs`)).json, "data"), 1)
      const back = yield* start(declared)
      assert.deepInclude((yield* get(back, schedule)).json as object, {
        enabled: true,
        declared: true,
        paused_reason: null
      })
      const [account] = list((yield* get(back, "/service-accounts")).json, "data")
      assert.isTrue(at(account, "declared"))
      yield* start({})
      const last = yield* start({})
      assert.strictEqual((yield* ask(last, schedule, { method: "DELETE" })).status, 204)
    }))

  it.effect("declarations that cannot work stop the start with a sentence for each", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({
        agents,
        declared: {
          schedules: [
            {
              name: "missing",
              cron: "0 9 * * *",
              component: { kind: "agent", id: "missing" },
              payload: { message: "a" }
            },
            { name: "never", cron: "0 0 30 2 *", endpoint: "/health" },
            { name: "misspelt", cron: "@daily", endpoint: "/agents/assistant/runs", payload: { mesage: "a" } },
            { name: "twice", cron: "@daily", endpoint: "/health" },
            { name: "twice", cron: "@daily", endpoint: "/health" }
          ],
          webhooks: [{ name: "inside", url: "http://127.0.0.1/x", events: ["run.failed"], secret: "short" }],
          datasets: [{ name: "Numbers", items: [{ id: "a", input: "1" }, { id: "a", input: "2" }] }],
          serviceAccounts: [{ name: "ci", token: undefined, scopes: ["nothing:run", "agentz:run", "session:read"] }, {
            name: "Big",
            token
          }]
        }
      })
      const exit = yield* Effect.exit(get(server, "/health"))
      assert.isTrue(Exit.isFailure(exit))
      const text = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      for (
        const sentence of [
          "The schedule 'missing': There is no agent 'missing'. The agents are: assistant",
          "The schedule 'never': Invalid cron expression",
          "The schedule 'misspelt': The payload does not start a run",
          "Two schedules are called 'twice'",
          "The webhook 'inside' needs a secret of whsec_",
          "The webhook 'inside': ",
          "The dataset 'Numbers': Two items have the id 'a'",
          "The service account 'ci': there is no scope 'agentz:run'. Did you mean 'agents:run'?",
          "The service account 'ci': there is no scope 'session:read'. Did you mean 'sessions:read'?",
          "The service account 'ci' needs a token of svc_pat_",
          "The service account 'Big' needs a name of"
        ]
      ) assert.include(text, sentence)
    }))

  it.effect("a name that a request has taken stops the start, and the sentence says what to do", () =>
    Effect.gen(function*() {
      const start = yield* database
      const first = yield* start({})
      const body = { name: "Nightly", cron_expr: "@daily", endpoint: "/health" }
      assert.strictEqual((yield* post(first, "/schedules", body)).status, 201)
      const second = yield* start(declared)
      const exit = yield* Effect.exit(get(second, "/health"))
      assert.include(
        Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
        "The schedule 'Nightly' exists already, made by a request. Delete it, or declare another name"
      )
    }))

  it.effect("a declared account authenticates, and when an operator revokes its token, it stays revoked", () =>
    Effect.gen(function*() {
      const begin = yield* database
      const start = (declared: Declarable) =>
        begin(declared, { authorization: { securityKey: "the-key-of-this-test" } })
      const first = yield* start(declared)
      const as = (server: TestServer.TestServer, bearer: string, path: string, init: RequestInit = {}) =>
        ask(server, path, { ...init, headers: { authorization: `Bearer ${bearer}` } })
      assert.strictEqual((yield* as(first, token, "/agents")).status, 403)
      assert.strictEqual((yield* as(first, token, "/service-accounts")).status, 403)
      const body = new FormData()
      body.set("message", "hello")
      body.set("stream", "false")
      const run = yield* as(first, token, "/agents/assistant/runs", { method: "POST", body })
      assert.strictEqual(run.status, 200, run.text)
      const [account] = list((yield* as(first, "the-key-of-this-test", "/service-accounts")).json, "data")
      const path = `/service-accounts/${String(at(account, "id"))}`
      assert.strictEqual((yield* as(first, "the-key-of-this-test", path, { method: "DELETE" })).status, 204)
      const wider = [{ name: "ci", token, scopes: ["agents:run", "agents:read"] }]
      const later = yield* start({ ...declared, serviceAccounts: wider })
      assert.strictEqual((yield* as(later, token, "/agents")).status, 401)
      const other = [{ name: "ci", token: `svc_pat_${"b2".repeat(16)}`, scopes: ["agents:read"] }]
      const rotated = yield* start({ ...declared, serviceAccounts: other })
      assert.strictEqual((yield* as(rotated, `svc_pat_${"b2".repeat(16)}`, "/agents")).status, 200)
    }))
})
