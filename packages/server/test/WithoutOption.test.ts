// The option `without` of an application.
import { assert, describe, it } from "@effect/vitest"
import { features } from "@svc-runtime/features/features"
import * as Shutdown from "@svc-runtime/http/requests/Shutdown"
import { ConfigProvider, Effect } from "effect"
import type { Options } from "../src/application/ApplicationOptions.ts"
import * as ApplicationParts from "../src/application/ApplicationParts.ts"
import { describeFeatures, describeTraces } from "../src/application/StartupLog.ts"
import { read } from "../src/Config.ts"

const make = Effect.fnUntraced(
  function*(options: Options) {
    const config = yield* read(yield* ApplicationParts.featuresOf(options))
    const parts = yield* ApplicationParts.make(options, config, Shutdown.make(config))
    return { ...parts, line: yield* describeTraces(config, parts.features) }
  },
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ TRACES: "true" }))
)

describe("the option without", () => {
  it.effect("a service without an option has all features, stores traces, and logs no line about features", () =>
    Effect.gen(function*() {
      const parts = yield* make({})
      assert.deepStrictEqual(parts.settings.features, features.map(({ name }) => name))
      assert.isDefined(parts.traces)
      assert.include(parts.line, "Traces: stored for")
      assert.isUndefined(describeFeatures(parts))
    }))

  it.effect("a service without traces and summaries collects no spans, and logs what it lacks", () =>
    Effect.gen(function*() {
      const parts = yield* make({ without: ["traces", "summaries"] })
      assert.notIncludeMembers(parts.settings.features.slice(), ["traces", "summaries"])
      assert.lengthOf(parts.features, features.length - 2)
      assert.isUndefined(parts.traces)
      assert.include(parts.line, "Traces: neither stored nor sent")
      assert.strictEqual(describeFeatures(parts), "Features left out: summaries, traces")
    }))

  it.effect("a name that no feature has stops the start, and the sentence lists the features", () =>
    Effect.gen(function*() {
      // @ts-expect-error: the type knows the names
      const error = yield* Effect.flip(make({ without: ["trace"] }))
      assert.strictEqual(
        error.message,
        `There is no feature 'trace' for the option without. The features are: ${
          features.map(({ name }) => name).join(", ")
        }`
      )
    }))
})
