// A judge decides whether the answer of one run meets the criteria, or scores it.
import type * as Json from "@svc-runtime/domain/Json"
import { cut } from "@svc-runtime/domain/scoring/CutText"
import { Effect } from "effect"
import { textOf } from "../EvaluatedRun.ts"
import * as Statistics from "../Statistics.ts"
import { EvaluationFailed, type EvaluationType, isNumber, mustComplete } from "./EvaluationType.ts"

export const JudgedByCriteria: EvaluationType = {
  total: () => 1,
  step: Effect.fnUntraced(function*({ judge, request, run }) {
    const { input, scoring_strategy: strategy, threshold } = request
    const criteria = request.criteria ?? ""
    const output = mustComplete(yield* run())
    if (output instanceof EvaluationFailed) return yield* output
    const { passed, reason, score } = yield* judge({ _tag: "Criteria", criteria, strategy }, output)
    return {
      run_id: output.run_id,
      result: {
        input: cut(input),
        output: cut(textOf(output)),
        criteria: cut(criteria),
        score,
        reason,
        passed: strategy === "numeric" ? score !== null && score >= threshold : passed === true
      }
    }
  }),
  data: (steps) => {
    const results = steps.flatMap(({ result }) => result === undefined ? [] : [result as Json.Object])
    const { avg, max, min, std_dev } = Statistics.of(results.map(({ score }) => score ?? null).filter(isNumber))
    return {
      run_id: steps[0]?.["run_id"] ?? null,
      results,
      avg_score: avg,
      min_score: min,
      max_score: max,
      std_dev_score: std_dev,
      pass_rate: results.length === 0
        ? 0
        : results.filter(({ passed }) => passed === true).length / results.length * 100
    }
  },
  input: ({ additional_guidelines, criteria, scoring_strategy, threshold }) => ({
    criteria,
    scoring_strategy,
    threshold: scoring_strategy === "numeric" ? threshold : null,
    additional_guidelines
  })
}
