// A judge compares the answer of each run with the expected one. A run that fails, and a judge without a verdict, leave
// a result without a score, and its reason says why.
import { cut } from "@svc-runtime/domain/scoring/CutText"
import { Effect } from "effect"
import { textOf } from "../EvaluatedRun.ts"
import * as Statistics from "../Statistics.ts"
import { type EvaluationType, isNumber } from "./EvaluationType.ts"

export const Accuracy: EvaluationType = {
  total: ({ num_iterations }) => num_iterations,
  step: Effect.fnUntraced(function*({ judge, request, run }) {
    const expected = request.expected_output ?? ""
    const result = { input: cut(request.input), expected_output: cut(expected) }
    const outcome = yield* run()
    // the content of another run is an error or a question, which the reason has
    if (outcome._tag === "Failed") return { ...result, output: "", score: null, reason: outcome.reason }
    const output = cut(textOf(outcome.output))
    const question = { _tag: "Accuracy", expected, context: request.additional_context } as const
    const { reason, score } = yield* judge(question, outcome.output)
    return { ...result, output, score, reason }
  }),
  data: (results) => {
    const { avg, max, min, std_dev } = Statistics.of(results.map(({ score }) => score ?? null).filter(isNumber))
    return { results, avg_score: avg, mean_score: avg, min_score: min, max_score: max, std_dev_score: std_dev }
  },
  input: ({ additional_context, additional_guidelines, expected_output, input, num_iterations }) => ({
    additional_guidelines,
    additional_context,
    num_iterations,
    expected_output,
    input
  })
}
