// Live runs that are rated after their end.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc/runtime/agent/Agent"
import * as Script from "@svc/testing/ScriptedModel"
import { Effect } from "effect"
import { always, at, column, get, list, runWhole } from "../Wire.ts"
import { serving } from "./Evaluations.ts"

describe("a run of an agent with onlineScoring", () => {
  it.live("its scores are feedback from scorers, in the order of the scorers", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("It is Paris"))
      const scorers = [{ type: "contains", texts: ["Paris", "Rome"] }, { type: "judge", criteria: "Paris" }] as const
      const agent = Agent.make({ id: "assistant", model, onlineScoring: { scorers, sampleRate: 1 } })
      const server = yield* serving([agent])
      const answer = yield* runWhole(server, "assistant", { message: "The capital?", session_id: "s" })
      const path = `/runs/${String(at(answer.json, "run_id"))}/feedback`
      let found: ReadonlyArray<unknown> = []
      while (found.length < 2) {
        found = list((yield* get(server, path)).json)
        yield* Effect.sleep("10 millis")
      }
      assert.deepStrictEqual(column(found, "key"), ["contains", "judge"])
      assert.deepStrictEqual(column(found, "score"), [0.5, 1])
      assert.deepInclude(found[0] as object, {
        source: "scorer",
        user_id: null,
        session_id: "s",
        comment: "The output does not contain: Rome"
      })
      const usage = at((yield* get(server, "/sessions/s")).json, "total_tokens")
      assert.strictEqual(usage, at(answer.json, "metrics", "total_tokens"))
    }))
})
