// A service listens a moment before it can answer: while its routes are made it may have runs to go on with. Who asks in
// that moment, as balancers do that look whether it is up again, waits and is answered.
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer as EffectServer, HttpServerResponse } from "effect/http"
import * as HttpServer from "../src/HttpServer.ts"
import { defaultLimits } from "../src/Settings.ts"

describe("a request that comes before the routes are there", () => {
  it.live("waits for them, and is answered", () =>
    Effect.scoped(Effect.gen(function*() {
      const listening = yield* Layer.build(
        HttpServer.layer({ host: "127.0.0.1", port: 0, limits: defaultLimits, shutdownTimeout: "1 second" })
      )
      const { address } = Context.get(listening, EffectServer.HttpServer)
      const port = address._tag === "UnixPathAddress" ? 0 : address.port
      const early = fetch(`http://127.0.0.1:${port}/up`, { method: "POST", body: "still here" })
      // one that has come and gone is waited for by nobody
      const gone = new AbortController()
      const given = fetch(`http://127.0.0.1:${port}/up`, { signal: gone.signal }).catch(() => "gone")
      yield* Effect.sleep("50 millis")
      gone.abort()
      assert.strictEqual(yield* Effect.promise(() => given), "gone")
      const routes = HttpRouter.add("POST", "/up", (request) => Effect.map(request.text, HttpServerResponse.text))
      yield* Layer.build(
        HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
          Layer.provide(Layer.succeedContext(listening))
        )
      )
      const answer = yield* Effect.promise(() => early)
      assert.strictEqual(yield* Effect.promise(() => answer.text()), "still here")
    })))
})
