// What the environment says about how long things may take.
import { assert, describe, it } from "@effect/vitest"
import { Config } from "@svc/server"
import { ConfigProvider, Duration, Effect } from "effect"

const read = (env: Readonly<Record<string, string>>) =>
  Effect.provide(Config, ConfigProvider.layer(ConfigProvider.fromUnknown(env)))

describe.each(
  [
    ["FACTORY_TIMEOUT", "factoryTimeout", 30],
    ["SHUTDOWN_TIMEOUT", "shutdownTimeout", 20],
    ["DRAIN_TIMEOUT", "drainTimeout", 5]
  ] as const
)("%s", (name, setting, seconds) => {
  it.effect("has a default, and is what it is set to", () =>
    Effect.gen(function*() {
      assert.strictEqual(Duration.toSeconds((yield* read({}))[setting]), seconds)
      assert.strictEqual(Duration.toSeconds((yield* read({ [name]: "2 minutes" }))[setting]), 120)
    }))

  it.effect("stops the start when it is no length of time", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(read({ [name]: "soon" }))
      assert.match(error.message, new RegExp(`^A setting cannot be read\\. .*${name}`))
    }))
})
