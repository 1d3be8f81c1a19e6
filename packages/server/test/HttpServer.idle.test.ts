// A connection that waits for its next request.
import { assert, describe, it } from "@effect/vitest"
import * as Features from "@svc-runtime/features/features"
import { defaultLimits } from "@svc-runtime/http/Settings"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { Context, Effect, Layer, References } from "effect"
import { HttpRouter, HttpServer as EffectServer } from "effect/http"
import { Agent, get } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as HttpServer from "../src/HttpServer.ts"

/** Collects garbage until the object is gone, at most some times. */
const isCollected = async (object: WeakRef<object>) => {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  for (let round = 0; round < 20 && object.deref() !== undefined; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  return object.deref() === undefined
}

const read = (port: number, agent: Agent) =>
  Effect.promise(() =>
    new Promise<number>((resolve, reject) => {
      get({ agent, host: "127.0.0.1", port, path: "/large" }, (response) => {
        let bytes = 0
        response.on("data", (part: Buffer) => bytes += part.length).on("end", () => resolve(bytes))
      }).on("error", reject)
    })
  )

describe("a connection that is idle", () => {
  it.live("a connection that is idle keeps nothing of the response that was sent on it", () =>
    Effect.scoped(Effect.gen(function*() {
      const options = { host: "127.0.0.1", port: 0, limits: defaultLimits, startedAt: 0 }
      const listening = yield* Layer.build(
        Layer.provide(
          HttpServer.layer({ api: Features.apiOf(Features.features), ...options, shutdownTimeout: "1 second" }),
          Layer.succeed(References.MinimumLogLevel, "None")
        )
      )
      let sent = new WeakRef<object>({})
      const respond = Effect.sync(() => {
        const value = { texts: Array.from({ length: 40 }, (_, n) => `${n} ${"x".repeat(60_000)}`) }
        sent = new WeakRef(value)
        return JsonResponse.of(value)
      })
      yield* Layer.build(
        HttpRouter.serve(HttpRouter.add("GET", "/large", respond), { disableLogger: true, disableListenLog: true })
          .pipe(
            Layer.provide(Layer.succeedContext(listening))
          )
      )
      const { address } = Context.get(listening, EffectServer.HttpServer)
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ keepAlive: true })),
        (agent) => Effect.sync(() => agent.destroy())
      )
      assert.isAbove(yield* read(address._tag === "UnixPathAddress" ? 0 : address.port, agent), 2_400_000)
      assert.isTrue(yield* Effect.promise(() => isCollected(sent)))
      assert.lengthOf(Object.keys(agent.freeSockets), 1)
    })))
})
