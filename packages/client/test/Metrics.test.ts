// Metrics over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import { AgentRuns, Metrics } from "@svc-runtime/client/effect"
import * as Agent from "@svc-runtime/features/Agent"
import { ScriptedModel } from "@svc-runtime/test-support"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { withService } from "./ServedClient.ts"

describe("Metrics", () => {
  it.effect("the figures of days and the usage of hours count the runs", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 1, 10))
      const { model } = yield* ScriptedModel.make([[ScriptedModel.text("Tea."), ScriptedModel.usage({ input: 9 })]])
      const agents = [Agent.make({ id: "assistant", model })]
      yield* withService(
        { agents },
        Effect.gen(function*() {
          yield* AgentRuns.run("assistant", { message: "what?", user_id: "ann" })
          const computed = yield* Metrics.refresh()
          assert.deepStrictEqual(computed.map(({ date }) => date), ["2026-11-21T00:00:00Z"])
          const days = yield* Metrics.days({ starting_date: "2026-11-21", ending_date: "2026-11-21" })
          assert.deepStrictEqual(days, computed)
          assert.strictEqual(days[0]?.agent_runs_count, 1)
          assert.deepStrictEqual(yield* Metrics.days({ ending_date: "2026-11-20" }), [])

          for (let second = 0; second < 25; second++) yield* TestClock.adjust("1 second")
          const used = yield* Stream.runCollect(Metrics.usage({ interval: "hour", group_by: "user", user_id: "ann" }))
          assert.deepStrictEqual(used.map(({ runs, time, user_id }) => [time, user_id, runs.total]), [
            ["2026-11-21T01:00:00Z", "ann", 1]
          ])
          assert.strictEqual((yield* Stream.runCollect(Metrics.usage()))[0]?.time, "2026-11-21T00:00:00Z")
          const refused = Stream.runDrain(Metrics.usage({ starting_date: "2020-01-01" }))
          assert.strictEqual((yield* Effect.flip(refused))._tag, "BadRequest")
        })
      )
    }))
})
