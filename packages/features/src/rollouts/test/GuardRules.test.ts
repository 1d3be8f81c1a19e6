// When the guard takes the share of a version, and what it says.
import { assert, describe, it } from "@effect/vitest"
import * as GuardRules from "../GuardRules.ts"
import type * as Rollout from "../Rollout.ts"
import * as VersionFigures from "../VersionFigures.ts"

const measured = (
  version: number,
  figures: Partial<VersionFigures.Figures>,
  scores: ReadonlyArray<Partial<VersionFigures.Scores>> = []
): GuardRules.Measured => ({
  figures: { ...VersionFigures.empty(version), ...figures },
  scores: scores.map((score) => ({
    version,
    key: "rating",
    source: "scorer",
    count: 20,
    runs: 20,
    mean: null,
    ...score
  }))
})

const none = measured(1, {})

const reason = (guard: Rollout.Guard, version: GuardRules.Measured, base = none) =>
  GuardRules.breachOf(guard, version, base)

describe("the guard of a rollout", () => {
  it("each absolute limit stops a version beyond it, and says so in a sentence", () => {
    assert.strictEqual(
      reason({ max_error_rate: 0.1 }, measured(2, { completed: 15, failed: 5 })),
      "The error rate of version 2 is 0.25 in 20 runs, and has to be 0.1 at most"
    )
    assert.strictEqual(
      reason({ max_p95_seconds: 2 }, measured(2, { timed: 20, p95: 2500 })),
      "The 95th percentile of the durations of version 2 is 2.5 seconds in 20 runs, and has to be 2 at most"
    )
    assert.strictEqual(
      reason({ max_cost: 0.01 }, measured(2, { priced: 20, cost: 0.4 })),
      "The cost of a run of version 2 is 0.02 US dollars in 20 runs, and has to be 0.01 at most"
    )
    assert.strictEqual(
      reason({ min_score: 0.7 }, measured(2, {}, [{ mean: 0.5 }, { key: "other", mean: 0.6 }])),
      "The mean score of version 2 is 0.55 in 20 runs, and has to be 0.7 at least"
    )
  })

  it("a value that is at its limit, that is not known, or that too few runs have, stops nothing", () => {
    assert.isUndefined(reason({ max_error_rate: 0.25 }, measured(2, { completed: 15, failed: 5 })))
    assert.isUndefined(reason({ max_error_rate: 0.1 }, measured(2, { completed: 14, failed: 5 })))
    assert.isUndefined(reason({ max_error_rate: 0 }, measured(2, { completed: 20, cancelled: 20 })))
    assert.isUndefined(reason({ max_cost: 0.01 }, measured(2, { completed: 50, priced: 19, cost: 10 })))
    assert.isUndefined(reason({ min_score: 0.9 }, measured(2, {}, [{ mean: null }])))
    // many scores of one run
    assert.isUndefined(
      reason({ min_score: 0.9 }, measured(2, {}, [{ mean: 0, runs: 1 }, { key: "b", mean: 0, runs: 1 }]))
    )
    assert.isDefined(reason({ max_error_rate: 0.1, min_runs: 1 }, measured(2, { failed: 1 })))
  })

  it("only scores of the named key count", () => {
    const version = measured(2, {}, [{ key: "helpful", mean: 0.9 }, { key: "short", mean: 0.1 }])
    assert.isUndefined(reason({ min_score: 0.7, score_key: "helpful" }, version))
    assert.isDefined(reason({ min_score: 0.7, score_key: "short" }, version))
  })

  it("a relative limit compares with the current version, as soon as it has enough runs too", () => {
    const [slow, fast] = [measured(2, { timed: 20, p95: 3000 }), { timed: 20, p95: 1000 }]
    assert.strictEqual(
      reason({ max_p95_ratio: 2 }, slow, measured(1, fast)),
      "The 95th percentile of the durations of version 2 is 3 seconds in 20 runs, and has to be 2 at most compared " +
        "with version 1"
    )
    assert.isUndefined(reason({ max_p95_ratio: 2 }, slow, measured(1, { ...fast, timed: 19 })))
    assert.isUndefined(reason({ max_p95_ratio: 3 }, slow, measured(1, fast)))
    const failing = measured(2, { completed: 18, failed: 2 })
    assert.isDefined(reason({ max_error_rate_increase: 0.05 }, failing, measured(1, { completed: 20 })))
    assert.isUndefined(reason({ max_error_rate_increase: 0.1 }, failing, measured(1, { completed: 20 })))
    const [dear, cheap] = [measured(2, { priced: 20, cost: 2 }), measured(1, { priced: 20, cost: 1 })]
    assert.isDefined(reason({ max_cost_ratio: 1.5 }, dear, cheap))
    const [worse, better] = [measured(2, {}, [{ mean: 0.5 }]), measured(1, {}, [{ mean: 0.8 }])]
    assert.isDefined(reason({ min_score_ratio: 0.9 }, worse, better))
    assert.isUndefined(reason({ min_score_ratio: 0.6 }, worse, better))
    const negative = (version: number) => measured(version, {}, [{ mean: -1 }])
    assert.isUndefined(reason({ min_score_ratio: 0.9 }, negative(2), negative(1)))
  })
})
