// Routes of the application, asked over the wire: who may call them, what they respond with, and what the log says.
import { assert, describe, it } from "@effect/vitest"
import { CurrentPrincipal, Route } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { call, claims, serveClosed, theIssuer, token } from "../authorization/Closed.ts"
import { ask, at, failed, get, post, send, serve } from "../Wire.ts"

Tier.oneIn(8)

const orders = [{ id: "o1", user: "ann", cents: 1200 }, { id: "o2", user: "bob", cents: 300 }]

const order = Route.make({
  method: "GET",
  path: "/orders/:order_id",
  scope: "orders:read",
  summary: "An order",
  handle: ({ params, userId }) =>
    orders.find(({ id, user }) => id === params.order_id && (userId === undefined || user === userId)) ??
      Route.failure(404, "Order not found")
})

const place = Route.make({
  method: "POST",
  path: "/orders",
  scope: "orders:write",
  body: Schema.Struct({ cents: Schema.Int }),
  handle: async ({ body, query, userId }) => ({ cents: body.cents, user: userId ?? null, note: query.get("note") })
})

const faulty = Route.make({
  method: "GET",
  path: "/faulty",
  scope: "none",
  handle: () => Promise.reject(new Error("the till is stuck"))
})

const whoami = HttpApiEndpoint.get("whoami", "/whoami", { success: Schema.Struct({ user: Schema.String }) })
  .annotateMerge(Route.requires("people:read"))
const people = HttpApiGroup.make("people").add(whoami)
const PeopleApi = HttpApi.make("people").add(people)
const peopleLayer = HttpApiBuilder.group(
  PeopleApi,
  "people",
  (handlers) =>
    handlers.handle("whoami", () => CurrentPrincipal.useSync(({ user_id }) => ({ user: user_id ?? "anonymous" })))
)

const plain = Route.layer(
  HttpRouter.add("GET", "/files/*", HttpServerResponse.text("a file")),
  { "GET /files/*": "files:read" }
)

const routes = [order, place, faulty, plain, Route.api(PeopleApi, peopleLayer)]

describe("routes of the application", () => {
  it.effect("on an open service every caller gets an answer", () =>
    Effect.gen(function*() {
      const server = yield* serve({ routes })
      assert.strictEqual((yield* get(server, "/orders/o1")).text, "{\"id\":\"o1\",\"user\":\"ann\",\"cents\":1200}")
      assert.deepStrictEqual((yield* get(server, "/whoami")).json, { user: "anonymous" })
      assert.strictEqual((yield* get(server, "/files/a/b")).text, "a file")
      assert.strictEqual((yield* get(server, "/files")).text, "a file")
    }))

  it.effect("on a closed service they need a credential and their scope, and see the caller", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ routes })
      for (const path of ["/orders/o1", "/whoami", "/files/a", "/files", "/faulty"]) {
        failed(yield* call(server, { path }), 401, "UNAUTHENTICATED")
      }
      const wrong = yield* token("ann", "orders:write", "agents:read")
      failed(yield* call(server, { path: "/orders/o1" }, wrong), 403, "FORBIDDEN", /orders:read$/)
      failed(yield* call(server, { path: "//orders/%6F1" }, wrong), 403, "FORBIDDEN", /orders:read$/)
      failed(yield* call(server, { path: "/whoami" }, wrong), 403, "FORBIDDEN", /people:read$/)
      failed(yield* call(server, { path: "/files" }, wrong), 403, "FORBIDDEN", /files:read$/)
      const ann = yield* token("ann", "orders:read", "people:read")
      assert.strictEqual((yield* call(server, { path: "/orders/o1" }, ann)).status, 200)
      failed(yield* call(server, { path: "/orders/o2" }, ann), 404, "NOT_FOUND", "Order not found")
      assert.deepStrictEqual((yield* call(server, { path: "/whoami" }, ann)).json, { user: "ann" })
    }))

  it.effect("a token that is limited to a session is refused, unless the route declares that it admits one", () =>
    Effect.gen(function*() {
      const admits = { scope: "orders:read", admitsSessionTokens: true } as const
      const basket = Route.make({ method: "GET", path: "/basket", ...admits, handle: ({ principal }) => principal })
      const hello = HttpApiEndpoint.get("hello", "/hello", { success: Schema.String })
        .annotateMerge(Route.requires("people:read", { admitsSessionTokens: true }))
      const HelloApi = HttpApi.make("hello").add(HttpApiGroup.make("hello").add(hello))
      const layer = HttpApiBuilder.group(
        HelloApi,
        "hello",
        (handlers) => handlers.handle("hello", () => Effect.succeed("hello"))
      )
      const server = yield* serveClosed({ routes: [...routes, basket, Route.api(HelloApi, layer)] })
      const { sign } = yield* theIssuer
      const one = yield* sign({ ...claims("ann", ["platform:admin"]), session_id: "only" })
      for (const path of ["/orders/o1", "/faulty", "/files/a", "/files", "/whoami"]) {
        failed(yield* call(server, { path }, one), 403, "FORBIDDEN", /limited to a session/)
      }
      const { json } = yield* call(server, { path: "/basket" }, one)
      assert.strictEqual(at(json, "session_id"), "only")
      assert.strictEqual((yield* call(server, { path: "/hello" }, one)).status, 200)
    }))

  it.effect("a body is checked against its schema", () =>
    Effect.gen(function*() {
      const server = yield* serve({ routes })
      assert.deepStrictEqual((yield* post(server, "/orders?note=soon", { cents: 5 })).json, {
        cents: 5,
        user: null,
        note: "soon"
      })
      const refused = yield* post(server, "/orders", { cents: "five" })
      failed(refused, 422, "VALIDATION_ERROR")
      assert.deepStrictEqual(at(refused.json, "errors", 0, "loc"), ["body", "cents"])
      failed(yield* post(server, "/orders", "{"), 422, "VALIDATION_ERROR")
      failed(
        yield* ask(server, "/orders", { method: "POST", body: "cents=5" }),
        415,
        "BAD_REQUEST",
        /application\/json/
      )
      failed(yield* post(server, "/orders", { cents: 5, more: "x".repeat(1024 * 1024) }), 413, "PAYLOAD_TOO_LARGE")
    }))

  it.effect("what a handler throws is logged once, and answered with 500 without its text", () =>
    Effect.gen(function*() {
      const server = yield* serve({ routes })
      const answer = yield* get(server, "/faulty")
      failed(answer, 500, "INTERNAL_SERVER_ERROR")
      assert.notInclude(answer.text, "stuck")
      const logged = server.logs.filter(({ cause }) => cause.includes("the till is stuck"))
      assert.deepStrictEqual(logged.map(({ level }) => level), ["ERROR"])
      assert.strictEqual(logged[0]?.annotations["request_id"], at(answer.json, "request_id"))
    }))

  it.effect("a method that the route does not have gets 405 with the methods", () =>
    Effect.gen(function*() {
      const answer = yield* send(yield* serve({ routes }), "DELETE", "/orders/o1", {})
      failed(answer, 405, "METHOD_NOT_ALLOWED")
      assert.strictEqual(answer.headers.get("allow"), "GET")
    }))

  it.effect("the document of the API has them with their scopes", () =>
    Effect.gen(function*() {
      const { json } = yield* get(yield* serve({ routes }), "/openapi.json")
      assert.strictEqual(at(json, "paths", "/orders/{order_id}", "get", "summary"), "An order")
      assert.strictEqual(at(json, "paths", "/orders", "post", "description"), "Needs the scope `orders:write`.")
      assert.strictEqual(at(json, "paths", "/whoami", "get", "description"), "Needs the scope `people:read`.")
      assert.strictEqual(at(json, "paths", "/health", "get", "operationId"), "health")
    }))
})

describe("middleware of the application", () => {
  it.effect("the middleware sees admitted requests of all routes, with their callers", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const middleware = HttpRouter.middleware(
        (app) =>
          Effect.flatMap(CurrentPrincipal, ({ user_id }) => {
            seen.push(user_id ?? "anonymous")
            return Effect.map(app, HttpServerResponse.setHeader("x-shop", "open"))
          }),
        { global: true }
      )
      const server = yield* serveClosed({ routes, middleware: [middleware] })
      assert.isNull((yield* call(server, { path: "/agents" })).headers.get("x-shop"))
      const ann = yield* token("ann", "agents:read", "orders:read")
      for (const path of ["/agents", "/orders/o1"]) {
        assert.strictEqual((yield* call(server, { path }, ann)).headers.get("x-shop"), "open")
      }
      assert.deepStrictEqual(seen, ["ann", "ann"])
    }))

  it.effect("the middleware holds for the routes of one layer, if the layer has it", () =>
    Effect.gen(function*() {
      const { layer } = HttpRouter.middleware((app) => Effect.map(app, HttpServerResponse.setHeader("x-shop", "open")))
      const marked = Route.layer(
        Layer.provide(HttpRouter.add("GET", "/marked", HttpServerResponse.text("yes")), layer),
        { "GET /marked": "none" }
      )
      const server = yield* serve({ routes: [marked, order] })
      assert.strictEqual((yield* get(server, "/marked")).headers.get("x-shop"), "open")
      assert.isNull((yield* get(server, "/orders/o1")).headers.get("x-shop"))
    }))
})
