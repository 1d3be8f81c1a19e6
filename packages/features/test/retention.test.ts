import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect } from "effect"
import * as Features from "../src/features.ts"

const agesWith = Effect.fnUntraced(function*(env: Readonly<Record<string, string>>) {
  const settings = yield* Features.settingsOf(Features.features).parse(ConfigProvider.fromUnknown(env))
  const features = Features.configured(Features.features, settings)
  const tasks = (yield* Effect.forEach(features, ({ retention }) => retention)).flat()
  return Object.fromEntries(tasks.map(({ age, name }) => [name, age === undefined ? "forever" : Duration.format(age)]))
})

describe("the retention of features", () => {
  it.effect("the tables of features have the ages of their settings, and zero is forever", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* agesWith({}), { traces: "14d", scheduleRuns: "90d", evaluations: "forever" })
      const env = { TRACE_RETENTION: "0 seconds", SCHEDULE_RUN_RETENTION: "2 hours", EVALUATION_RETENTION: "1 day" }
      assert.deepInclude(yield* agesWith(env), { traces: "forever", scheduleRuns: "2h", evaluations: "1d" })
    }))
})
