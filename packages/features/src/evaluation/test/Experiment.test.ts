import { assert, describe, it } from "@effect/vitest"
import type * as AnyScorer from "@svc-runtime/domain/scoring/AnyScorer"
import * as Experiment from "../Experiment.ts"

const differ = (one: AnyScorer.AnyScorer, other: AnyScorer.AnyScorer) =>
  Experiment.hasDifferentScorers({ scorers: [one] }, { scorers: [other] })

const criteria = "polite"

describe("the scorers of two experiments", () => {
  it.each<readonly [AnyScorer.AnyScorer, AnyScorer.AnyScorer]>([
    [{ type: "exact" }, { type: "exact", name: "exact", threshold: 1, ignore_case: false }],
    [{ type: "contains" }, { type: "contains", threshold: 1, ignore_case: false }],
    [{ type: "json_schema", schema: {} }, { type: "json_schema", schema: {}, threshold: 1 }],
    [{ type: "similarity" }, { type: "similarity", threshold: 0.8 }],
    [{ type: "tool_trajectory" }, { type: "tool_trajectory", order: "in_order", threshold: 1 }],
    [{ type: "judge", criteria }, { type: "judge", criteria, threshold: 1, scoring_strategy: "binary" }],
    [{ type: "judge", criteria, scoring_strategy: "numeric" }, {
      type: "judge",
      criteria,
      threshold: 0.7,
      scoring_strategy: "numeric"
    }],
    // without criteria, the judge always gives a score
    [{ type: "judge" }, { type: "judge", threshold: 0.7, scoring_strategy: "binary" }]
  ])("a default that is written out makes no difference: %j and %j", (one, other) => {
    assert.isFalse(differ(one, other))
  })

  it.each<readonly [AnyScorer.AnyScorer, AnyScorer.AnyScorer]>([
    [{ type: "exact" }, { type: "exact", name: "right" }],
    [{ type: "exact" }, { type: "exact", ignore_case: true }],
    [{ type: "exact", name: "right" }, { type: "contains", name: "right" }],
    [{ type: "contains" }, { type: "contains", texts: ["Paris"] }],
    [{ type: "tool_trajectory" }, { type: "tool_trajectory", order: "exact" }],
    [{ type: "judge", criteria }, { type: "judge", criteria, guidelines: "strict" }],
    [{ type: "judge", criteria }, { type: "judge", criteria, scoring_strategy: "numeric" }]
  ])("another setting is a difference: %j and %j", (one, other) => {
    assert.isTrue(differ(one, other))
  })

  it("another threshold is a difference, because it decides which items pass", () => {
    assert.isTrue(differ({ type: "similarity" }, { type: "similarity", threshold: 0.5 }))
    assert.isTrue(differ({ type: "judge", criteria }, { type: "judge", criteria, threshold: 0.7 }))
  })
})
