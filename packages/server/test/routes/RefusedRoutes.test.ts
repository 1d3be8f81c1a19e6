// Routes with which a service does not start: they would be open, or would hide another route.
import { assert, describe, it } from "@effect/vitest"
import * as Shutdown from "@svc-runtime/http/requests/Shutdown"
import { Route } from "@svc-runtime/server"
import { ConfigProvider, Effect, Exit, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Options } from "../../src/application/ApplicationOptions.ts"
import * as ApplicationParts from "../../src/application/ApplicationParts.ts"
import { Config } from "../../src/Config.ts"
import { serve } from "../Wire.ts"

const make = (options: Options) =>
  Effect.gen(function*() {
    const config = yield* Config
    return yield* ApplicationParts.make(options, config, Shutdown.make(config))
  }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})))

const refusal = (options: Options) => Effect.map(Effect.flip(make(options)), ({ message }) => message)

const route = (method: "GET" | "POST" | "DELETE", path: `/${string}`, scope: "none" | "orders:read" = "none") =>
  Route.make({ method, path, scope, handle: () => "ok" })

describe("the start of a service with routes", () => {
  it.effect.each(
    [
      ["GET", "/health", "GET /health"],
      ["GET", "/agents/special", "GET /agents/:agent_id"],
      ["GET", "/:page", "GET /"],
      ["POST", "/agents/:id/runs/*", "POST /agents/:agent_id/runs"],
      ["GET", "/docs", "GET /docs"],
      ["POST", "/mcp", "POST /mcp"],
      ["POST", "/v1/chat/completions", "POST /v1/chat/completions"],
      ["GET", "/workflows/:id/ws", "GET /workflows/:workflow_id/ws"]
    ] as const
  )("%s %s is refused, because it would take requests of the service", ([method, path, own]) =>
    Effect.gen(function*() {
      const message = yield* refusal({ routes: [route(method, path)] })
      assert.match(message, /^The route .* would take requests from .* of the service\. Give it another path$/)
      assert.include(message, own)
    }))

  it.effect.each<readonly [Options["routes"], string]>([
    [[route("GET", "/orders"), route("GET", "/orders")], "The route GET /orders is there twice"],
    [[route("GET", "/orders/:id"), route("GET", "/orders/:name")], "The route GET /orders/:name is there twice"],
    [
      [route("GET", "/orders/{id}")],
      "The route GET /orders/{id} has a path that cannot be added. Write it as /orders/:order_id or /files/*"
    ],
    [
      [Route.layer(Layer.empty, { "QUERY /orders": "none" } as never)],
      "The route QUERY /orders has a method that cannot be added. The methods are GET, POST, PUT, PATCH, DELETE"
    ],
    [[route("GET", "/orders", "orders" as never)], "The route GET /orders names what is no scope: orders"]
  ])("the routes %j are refused with a sentence", ([routes, sentence]) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refusal({ routes }), sentence)
    }))

  it.effect("an endpoint without a declared scope is refused", () =>
    Effect.gen(function*() {
      const group = HttpApiGroup.make("shop").add(HttpApiEndpoint.get("open", "/open"))
      const Shop = HttpApi.make("shop").add(group)
      const layer = HttpApiBuilder.group(Shop, "shop", (handlers) => handlers.handle("open", () => Effect.void))
      assert.match(
        yield* refusal({ routes: [Route.api(Shop, layer)] }),
        /^The route GET \/open does not say which scope it needs\. Declare one, such as orders:read, or none/
      )
    }))

  it.effect.each(
    [
      [{}, "The route GET /hidden does not say which scope it needs. Declare it beside its layer"],
      [
        { "GET /hidden": "none", "GET /gone": "none" },
        "The route GET /gone is declared, and no layer adds it"
      ]
    ] as const
  )("a layer that adds other routes than %j is refused", ([scopes, sentence]) =>
    Effect.gen(function*() {
      const hidden = HttpRouter.add("GET", "/hidden", HttpServerResponse.text("secret"))
      const server = yield* serve({ routes: [Route.layer(hidden, scopes)] })
      const answer = yield* Effect.exit(server.fetch("/hidden"))
      assert.isTrue(Exit.isFailure(answer))
      assert.include(String(Exit.isFailure(answer) ? answer.cause : ""), sentence)
    }))

  it.effect.each(["GET /orders", "GET /agents/*/rnus", "POST /session", "GET /agents/*/runs/a/steps"])(
    "a mapping of %s is refused, because there is no such route",
    (mapping) =>
      Effect.gen(function*() {
        const message = yield* refusal({ authorization: { scopeMappings: { [mapping]: ["a:b"] } } })
        assert.match(
          message,
          /^The scope mapping "[^"]+" is of a route that does not exist\. GET \/openapi\.json lists/
        )
      })
  )

  it.effect.each(
    [
      ["HEAD /sessions", /^The scope mapping "HEAD \/sessions" is not of the form/],
      ["GET /workflows/ws", /"GET \/workflows\/ws" is of a socket.* Map POST \/workflows\/\*\/runs/],
      ["GET /workflows/*/ws", /"GET \/workflows\/\*\/ws" is of a socket/],
      ["GET /workflows/brief/ws", /"GET \/workflows\/brief\/ws" is of a socket/],
      ["GET /info", /"GET \/info" is of a route that needs no credential/],
      ["GET /docs", /"GET \/docs" is of a route that needs no credential/],
      ["GET /console", /"GET \/console" is of a route that needs no credential/]
    ] as const
  )(
    "a mapping of %s is refused, because nothing would ask for its scopes",
    ([mapping, sentence]) =>
      Effect.gen(function*() {
        assert.match(yield* refusal({ authorization: { scopeMappings: { [mapping]: ["a:b"] } } }), sentence)
      })
  )

  it.effect("a mapping of a route that is open by default is accepted if it is not excluded", () =>
    make({ authorization: { excludedRoutes: ["/health"], scopeMappings: { "GET /info": ["a:b"] } } }))

  it.effect("mappings of routes of the service, of the application and of one agent are accepted", () =>
    make({
      routes: [route("GET", "/orders/:order_id", "orders:read")],
      authorization: {
        scopeMappings: {
          "GET /orders/*": ["orders:list"],
          "GET /orders/o1": [],
          "GET /sessions": ["sessions:list"],
          "GET /agents/{id}": ["a:b"],
          "GET /agents/assistant": ["a:b"],
          "POST /mcp": ["a:b"]
        }
      }
    }))
})
