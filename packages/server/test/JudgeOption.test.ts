// The option `evaluations` of an application.
import { assert, describe, it } from "@effect/vitest"
import * as Shutdown from "@svc-runtime/http/requests/Shutdown"
import { ConfigProvider, Effect } from "effect"
import type { Options } from "../src/application/ApplicationOptions.ts"
import * as ApplicationParts from "../src/application/ApplicationParts.ts"
import { Config } from "../src/Config.ts"

const make = (options: Options, environment: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const config = yield* Config
    return yield* ApplicationParts.make(options, config, Shutdown.make(config))
  }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment)))

describe("the option evaluations.judge", () => {
  it.effect("the judge of the code comes before that of the environment, and without both there is none", () =>
    Effect.gen(function*() {
      const environment = { JUDGE_MODEL: "google:gemini-2.5-pro" }
      const judgeOf = (options: Options, environment: Readonly<Record<string, string>> = {}) =>
        Effect.map(make(options, environment), ({ models }) => models.judge)
      assert.strictEqual(yield* judgeOf({}, environment), "google:gemini-2.5-pro")
      assert.strictEqual(yield* judgeOf({ evaluations: { judge: "openai:gpt-5" } }, environment), "openai:gpt-5")
      assert.isUndefined(yield* judgeOf({ evaluations: {} }, { MODEL: "demo" }))
    }))

  it.effect("a judge that no provider can have stops the start", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(make({ evaluations: { judge: "opnai:gpt-5" } }))
      assert.match(error.message, /^evaluations\.judge cannot be used\. Unknown model provider 'opnai'/)
    }))
})
