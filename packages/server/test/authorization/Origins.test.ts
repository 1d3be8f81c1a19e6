// Browsers send requests for any page, and with them the cookies that they store. A page that is not trusted must
// not change anything on an open service, nor on one that takes its token from a cookie.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import { Effect } from "effect"
import { ask, failed, serve } from "../Wire.ts"
import { agents, closed, token } from "./Closed.ts"

const run = (headers: Readonly<Record<string, string>>): RequestInit => ({
  method: "POST",
  headers,
  body: new URLSearchParams({ message: "hi", stream: "false" })
})
const path = "/agents/assistant/runs"
const detail = "Pages of this origin may not call. CORS_ORIGIN_LIST names the allowed origins"
const foreign = [
  "https://evil.test",
  "http://localhost:3000",
  "null",
  "http://127.0.0.1:8080",
  "http://svc.test.evil.test"
]

describe("an open service", () => {
  it.effect("an open service runs nothing for a page of another origin", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents, corsOrigins: ["https://ui.test"] })
      for (const origin of foreign) {
        failed(yield* ask(server, path, run({ origin })), 403, "FORBIDDEN", detail)
        failed(yield* ask(server, "/sessions/s", { method: "DELETE", headers: { origin } }), 403, "FORBIDDEN", detail)
      }
    }))

  it.effect("an open service runs for its own pages, for trusted ones, and for clients that are not pages", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents, corsOrigins: ["https://ui.test"] })
      const headers: ReadonlyArray<Readonly<Record<string, string>>> = [
        {},
        { origin: "https://ui.test" },
        { origin: "http://svc.test", host: "svc.test" },
        { origin: "http://127.0.0.1:7777", host: "127.0.0.1:7777" }
      ]
      for (const given of headers) {
        assert.strictEqual((yield* ask(server, path, run(given))).status, 200, given["origin"])
      }
    }))

  it.effect("an open service builds and changes nothing for a page that the browser calls one of another site", () =>
    Effect.gen(function*() {
      let built = 0
      const workflow = WorkflowFactory.make({
        id: "made",
        build: () => {
          built++
          return Workflow.make({ id: "made", steps: [Step.make({ name: "one", run: () => "done" })] })
        }
      })
      const server = yield* serve({ agents: yield* agents, workflows: [workflow], corsOrigins: ["https://ui.test"] })
      const crossSite = { "sec-fetch-site": "cross-site" }
      const reading = "/workflows/made/runs?session_id=s&factory_input=%7B%7D"
      for (const path of [reading, "/workflows/made/runs/r?session_id=s", "/workflows/made/%72uns?session_id=s"]) {
        failed(yield* ask(server, path, { headers: crossSite }), 403, "FORBIDDEN", detail)
        failed(yield* ask(server, path, { headers: { origin: "https://evil.test" } }), 403, "FORBIDDEN", detail)
      }
      failed(yield* ask(server, path, run(crossSite)), 403, "FORBIDDEN", detail)
      assert.strictEqual(built, 0)
      // a link on another site leads to pages and lists, and an own page and an allowed one read runs
      assert.strictEqual((yield* ask(server, "/agents", { headers: crossSite })).status, 200)
      for (const headers of [{}, { "sec-fetch-site": "same-origin" }, { ...crossSite, origin: "https://ui.test" }]) {
        yield* ask(server, reading, { headers })
      }
      assert.strictEqual(built, 3)
    }))

  it.effect("a page of the same host and another scheme is of another origin", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents })
      const page = { host: "svc.test", origin: "https://svc.test" }
      const own: ReadonlyArray<Readonly<Record<string, string>>> = [
        {},
        { "sec-fetch-site": "same-origin" },
        { "x-forwarded-proto": "https" },
        { "x-forwarded-proto": "http, HTTPS" }
      ]
      for (const headers of own) {
        assert.strictEqual((yield* ask(server, path, run({ ...page, ...headers }))).status, 200)
      }
      for (const headers of [{ "sec-fetch-site": "cross-site" }, { "x-forwarded-proto": "http" }]) {
        failed(yield* ask(server, path, run({ ...page, ...headers })), 403, "FORBIDDEN", detail)
      }
    }))

  it.effect("the default port of a scheme in the Host header, and in the list of origins, changes nothing", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents, corsOrigins: ["https://ui.test:443", "https://Old.test/"] })
      const paths = [path, "/mcp"]
      const preflight = { "access-control-request-method": "POST" }
      const status = Effect.fnUntraced(function*(headers: Readonly<Record<string, string>>) {
        const posted = yield* Effect.forEach(paths, (path) => ask(server, path, run(headers)))
        const option = yield* ask(server, path, { method: "OPTIONS", headers: { ...headers, ...preflight } })
        return [...posted, option].map(({ status }) => status === 403)
      })
      const own = [
        ["svc.test:443", "https://svc.test"],
        ["svc.test:80", "http://svc.test"],
        ["SVC.test", "http://svc.test"],
        ["[::1]:443", "https://[::1]"],
        ["svc.test:8443", "https://svc.test:8443"],
        ["svc.test", "https://ui.test"],
        ["svc.test", "https://old.test"]
      ] as const
      for (const [host, origin] of own) {
        assert.deepStrictEqual(yield* status({ host, origin }), [false, false, false], `${host} ${origin}`)
      }
      const others = [
        ["svc.test:80", "https://svc.test"],
        ["svc.test:443", "http://svc.test"],
        ["svc.test:8443", "https://svc.test"],
        ["svc.test", "https://svc.test:8443"],
        ["a@svc.test", "http://svc.test"],
        ["svc.test/a", "http://svc.test"],
        ["svc.test:443:443", "https://svc.test"]
      ] as const
      for (const [host, origin] of others) {
        assert.deepStrictEqual(yield* status({ host, origin }), [true, true, true], `${host} ${origin}`)
      }
    }))

  it.effect("an open service responds to any page, which cannot read the response without permission", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents })
      const answer = yield* ask(server, "/agents", { headers: { origin: "https://evil.test" } })
      assert.strictEqual(answer.status, 200)
      assert.isNull(answer.headers.get("access-control-allow-origin"))
    }))
})

describe("a service that only this machine calls", () => {
  const paths: ReadonlyArray<readonly [string, RequestInit]> = [
    ["/agents", {}],
    ["/sessions", {}],
    ["/health", {}],
    ["/nowhere", {}],
    ["/docs", {}],
    ["/agents", { method: "OPTIONS" }],
    [path, run({})]
  ]

  it.effect("a local service accepts the names of this machine, and to listed ones", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents, hosts: ["Agents.example.com:443", "*.internal"] })
      for (
        const host of [
          "localhost:7777",
          "localhost:",
          "127.0.0.1",
          "[::1]:7777",
          "agents.example.com",
          "a.internal:8080"
        ]
      ) {
        assert.strictEqual((yield* ask(server, "/agents", { headers: { host } })).status, 200, host)
        const own = run({ host, origin: `http://${host}` })
        assert.strictEqual((yield* ask(server, path, own)).status, 200, host)
      }
    }))

  it.effect("a local service refuses a page whose name resolves to it", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents, hosts: [] })
      for (
        const host of ["evil.test:7777", "localhost.evil.test", "127.0.0.1.evil.test", "10.0.0.1", "evil.localhost"]
      ) {
        for (const [path, init] of paths) {
          const headers = { ...init.headers as object, host, origin: `http://${host}` }
          const answer = yield* ask(server, path, { ...init, headers })
          failed(
            answer,
            403,
            "FORBIDDEN",
            "Host not allowed; add it to ALLOWED_HOSTS"
          )
          assert.isNull(answer.headers.get("access-control-allow-origin"))
        }
      }
    }))
})

describe("a closed service", () => {
  it.effect("a closed service accepts a token from any page that has it, but not a cookie", () =>
    Effect.gen(function*() {
      const good = yield* token("ann", "agents:run")
      const server = yield* serve({
        agents: yield* agents,
        authorization: { ...(yield* closed), tokenSource: "both", cookieName: "sid" }
      })
      const origin = "https://evil.test"
      assert.strictEqual((yield* ask(server, path, run({ origin, authorization: `Bearer ${good}` }))).status, 200)
      failed(yield* ask(server, path, run({ origin, cookie: `sid=${good}` })), 403, "FORBIDDEN", detail)
      assert.strictEqual((yield* ask(server, path, run({ cookie: `sid=${good}` }))).status, 200)
    }))
})
