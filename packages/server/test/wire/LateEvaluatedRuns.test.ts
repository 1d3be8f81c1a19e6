// What the metrics count of a run that an evaluation does not wait for any longer.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as RequestCounts from "@svc-runtime/test-support/RequestCounts"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { always, at, get } from "../Wire.ts"
import { accuracy, evaluate, serving } from "./Evaluations.ts"

describe("runs of evaluations that take too long", () => {
  it.live("The request of a run that EVALUATION_RUN_TIMEOUT ends counts as an error.", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.hang)
      const server = yield* serving([Agent.make({ id: "assistant", model })], { evaluations: { runSeconds: 0.5 } })
      const answer = yield* evaluate(server, accuracy)
      assert.include(String(at(answer.json, "eval_data", "results", 0, "reason")), "EVALUATION_RUN_TIMEOUT")
      const counts = Effect.map(get(server, "/metrics/prometheus"), ({ text }) => RequestCounts.of(text))
      assert.deepInclude(yield* counts, { "scripted error": 1 })
    }))
})
