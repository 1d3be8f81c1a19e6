// A service listens before it can serve: while the database is migrated it says that it is alive and not ready.
import { assert, describe, it } from "@effect/vitest"
import * as Features from "@svc-runtime/features/features"
import { defaultLimits } from "@svc-runtime/http/Settings"
import { Context, Effect, Fiber, Layer, References } from "effect"
import { HttpRouter, HttpServer as EffectServer, HttpServerResponse } from "effect/http"
import * as HttpServer from "../src/HttpServer.ts"
import { head, reset } from "./Exchanges.ts"

const api = Features.apiOf(Features.features)

const listen = Effect.fnUntraced(function*(more: { readonly joins?: boolean } = {}) {
  const options = { host: "127.0.0.1", port: 0, limits: defaultLimits, startedAt: 0, ...more }
  const listening = yield* Layer.build(
    Layer.provide(
      HttpServer.layer({ api, ...options, shutdownTimeout: "1 second" }),
      Layer.succeed(References.MinimumLogLevel, "None")
    )
  )
  const { address } = Context.get(listening, EffectServer.HttpServer)
  const port = address._tag === "UnixPathAddress" ? 0 : address.port
  const ask = (path: string, init?: RequestInit) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
      return { status: response.status, retry: response.headers.get("retry-after"), text: await response.text() }
    })
  return { ask, listening, port }
})

const serve = (listening: Effect.Success<ReturnType<typeof listen>>["listening"]) => {
  const routes = HttpRouter.add("POST", "/up", (request) => Effect.map(request.text, HttpServerResponse.text))
  return Layer.build(
    HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provide(Layer.succeedContext(listening))
    )
  )
}

describe("a service that listens and has no routes yet", () => {
  it.live("the service is alive, is not ready, and refuses everything else with 503 until it has routes", () =>
    Effect.scoped(Effect.gen(function*() {
      const { ask, listening, port } = yield* listen()
      const alive = yield* ask("/health")
      assert.strictEqual(alive.status, 200)
      assert.deepStrictEqual(JSON.parse(alive.text), { status: "ok", instantiated_at: "1970-01-01T00:00:00Z" })
      const unready = yield* ask("/ready")
      assert.deepInclude(unready, { status: 503, retry: "1" })
      assert.deepInclude(JSON.parse(unready.text), { error_code: "SERVICE_UNAVAILABLE", reasons: ["migrations"] })
      const early = yield* ask("/up", { method: "POST", body: "x".repeat(100_000) })
      assert.deepInclude(early, { status: 503, retry: "1" })
      assert.deepStrictEqual(Object.keys(JSON.parse(early.text)), ["detail", "error_code"])
      const page = yield* ask("/console/", { headers: { accept: "text/html,*/*;q=0.8" } })
      assert.deepInclude(page, { status: 503, retry: "1" })
      assert.include(page.text, `<meta http-equiv="refresh" content="1">`)
      yield* reset(port, head("GET /up", "connection: upgrade", "upgrade: websocket"))
      yield* serve(listening)
      assert.deepInclude(yield* ask("/up", { method: "POST", body: "served" }), { status: 200, text: "served" })
      assert.strictEqual((yield* ask("/health")).status, 404)
    })))

  it.live("requests wait for the routes if other processes serve on the port, and the service is alive", () =>
    Effect.scoped(Effect.gen(function*() {
      const { ask, listening } = yield* listen({ joins: true })
      const waiting = yield* Effect.forkChild(
        Effect.all([ask("/up", { method: "POST", body: "one" }), ask("/up", { method: "POST", body: "two" })], {
          concurrency: 2
        }),
        { startImmediately: true }
      )
      assert.strictEqual((yield* ask("/health")).status, 200)
      yield* serve(listening)
      const responses = yield* Fiber.join(waiting)
      assert.deepStrictEqual(responses.map(({ status, text }) => [status, text]), [[200, "one"], [200, "two"]])
    })))
})
