// What the environment says about factories.
import { assert, describe, it } from "@effect/vitest"
import { Config } from "@svc/server"
import { ConfigProvider, Duration, Effect } from "effect"

const read = (env: Readonly<Record<string, string>>) =>
  Effect.provide(Config, ConfigProvider.layer(ConfigProvider.fromUnknown(env)))

describe("FACTORY_TIMEOUT", () => {
  it.effect("is half a minute, or what it is set to", () =>
    Effect.gen(function*() {
      assert.strictEqual(Duration.toSeconds((yield* read({})).factoryTimeout), 30)
      assert.strictEqual(Duration.toSeconds((yield* read({ FACTORY_TIMEOUT: "2 minutes" })).factoryTimeout), 120)
    }))

  it.effect("stops the start when it is no length of time", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(read({ FACTORY_TIMEOUT: "soon" }))
      assert.match(error.message, /^A setting cannot be read\. .*FACTORY_TIMEOUT/)
    }))
})
