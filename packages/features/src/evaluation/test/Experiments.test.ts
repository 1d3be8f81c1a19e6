// The figures of experiments, and how two of them are compared.
import { assert, describe, it } from "@effect/vitest"
import * as Comparison from "@svc-runtime/testing/stores/Comparison"
import * as Summary from "../experiments/Summary.ts"
import { experimentItem as item } from "./SampleExperiments.ts"

describe("the summary of an experiment", () => {
  it("items that do not complete count for the pass rate, and not for the means", () => {
    const summary = Summary.of([
      item("a", { duration: 1, tokens: 10, cost: 0.1, unpriced_tokens: 1, judge_tokens: 5, judge_cost: 0.2 }),
      item("b", {
        status: "failed",
        score: 0,
        scores: [{ scorer: "exact", score: 0, passed: false, reason: null }],
        duration: 3
      }),
      item("c", { status: "error", score: null, scores: [], duration: null, tokens: 0, unpriced_tokens: 0 })
    ])
    assert.deepStrictEqual(summary, {
      passed: 1,
      failed: 1,
      errors: 1,
      pass_rate: 1 / 3,
      score: 0.5,
      scores: { exact: 0.5 },
      duration_p50: 2,
      duration_p95: 2.9,
      tokens: 13,
      cost: 0.1,
      unpriced_tokens: 4,
      judge_tokens: 5,
      judge_cost: 0.2
    })
  })

  it("an experiment without items has no means", () => {
    assert.deepInclude(Summary.of([]), { pass_rate: 0, score: null, duration_p95: null, cost: null, tokens: 0 })
    assert.isNull(Summary.of([]).unpriced_tokens)
  })
})

describe("the comparison of two experiments", () => {
  it("regressions come first, then what is better, and each item is counted once", () => {
    const side = (fields: Readonly<Record<string, readonly ["passed" | "failed" | "error", number | null]>>) =>
      Object.entries(fields).map(([id, [status, score]]): Comparison.Compared =>
        item(id, status === "error" ? { status, score, scores: [] } : { status, score })
      )
    const { counts, differences } = Comparison.of(
      side({
        same: ["passed", 1],
        better: ["failed", 0],
        worse: ["passed", 1],
        broken: ["passed", 1],
        lower: ["failed", 0.5],
        gone: ["passed", 1]
      }),
      side({
        same: ["passed", 1],
        better: ["passed", 1],
        worse: ["failed", 0.2],
        broken: ["error", null],
        lower: ["failed", 0.4],
        added: ["passed", 1]
      })
    )
    const among = { unchanged: 1, changed_items: 0, unjudged: 0, only_base: 1, only_other: 1 }
    assert.deepStrictEqual(counts, { ...among, regressions: 3, improvements: 1 })
    const order = differences.map(({ item_id }) => item_id as string)
    assert.deepStrictEqual(order, ["worse", "lower", "broken", "better", "same", "gone", "added"])
    assert.deepInclude(differences[2], {
      base: { status: "passed", score: 1 },
      other: { status: "error", score: null },
      change: null,
      is_regression: true
    })
  })
})
