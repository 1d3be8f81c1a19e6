// The types of evaluations. This is the one list of them.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import { cut } from "@svc-runtime/domain/scoring/CutText"
import { Effect, Equal } from "effect"
import type * as EvalRun from "../EvalRun.ts"
import { textOf } from "../EvaluatedRun.ts"
import { executionsOf, isClean } from "../RunToolCalls.ts"
import * as Statistics from "../Statistics.ts"
import { EvaluationFailed, type EvaluationType, isNumber, mustComplete } from "./EvaluationType.ts"
import { Performance } from "./Performance.ts"

// Checks the tool calls of one run. A run that paused is checked as well: the calls that wait were not executed.

// Whether a run called the tools that were expected of it. A call counts if it was executed without an error; one that
// was refused, failed or waits for a person was only attempted.

export interface Expected {
  readonly calls: ReadonlyArray<string>
  readonly allowsAdditional: boolean
  /** By the name of the tool: the arguments of a call, or of several. */
  readonly calledWith: Readonly<Record<string, Json.Value>>
}

const refused = " (requested but refused/errored — only a call that was executed without an error counts)"

/** The calls in the messages of its models. Some were never executed. */
const requestedIn = (run: AnyRun.Output): ReadonlyArray<string> =>
  AnyRun.allIn(run).flatMap((each) =>
    AnyRun.messagesOf(each).flatMap(({ from_history, tool_calls = [] }) =>
      from_history ? [] : (tool_calls ?? []).map((call) => call.function.name)
    )
  )

const fits = (wanted: Json.Value, given: Json.Value): boolean =>
  Json.isObject(wanted) &&
  Object.entries(wanted).every(([key, value]) =>
    Json.isObject(given) && key in given && Equal.equals(given[key], value)
  )

const unique = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(names)]

export const check = (run: AnyRun.Output, { allowsAdditional, calledWith, calls }: Expected) => {
  const executions = executionsOf(run)
  const clean = executions.filter(isClean)
  const cleanNames = new Set(clean.map(({ tool_name }) => tool_name))
  const executed = executions.map(({ tool_name }) => tool_name)
  const onlyRequested = unique(requestedIn(run)).filter((name) => !executed.includes(name))
  const attempted = new Set([...executed, ...onlyRequested])
  const unexpected = [...executed, ...onlyRequested].filter((name) => !calls.includes(name))
  const missing = unique(calls).filter((name) => !cleanNames.has(name))
  const checks = Object.entries(calledWith).filter(([name]) => !missing.includes(name)).map(([name, specs]) => {
    const given = clean.filter(({ tool_name }) => tool_name === name).map(({ tool_args }) => tool_args ?? {})
    const wanted: ReadonlyArray<Json.Value> = Array.isArray(specs) ? specs : [specs]
    return { name, isPassed: given.length > 0 && wanted.every((spec) => given.some((args) => fits(spec, args))) }
  })
  const failed = allowsAdditional ? [] : unexpected
  const failedChecks = checks.flatMap(({ isPassed, name }) => isPassed ? [] : [name])
  const isPassed = failed.length === 0 && missing.length === 0 && failedChecks.length === 0
  return {
    eval_status: isPassed ? "PASSED" : "FAILED",
    failed_tool_calls: failed,
    passed_tool_calls: clean.flatMap(({ tool_name }) => calls.includes(tool_name) ? [tool_name] : []),
    additional_tool_calls: allowsAdditional ? unexpected : [],
    missing_tool_calls: missing.map((name) => attempted.has(name) ? `${name}${refused}` : name),
    failed_argument_checks: failedChecks,
    passed_argument_checks: checks.flatMap(({ isPassed, name }) => isPassed ? [name] : [])
  }
}

const Reliability: EvaluationType = {
  total: () => 1,
  step: Effect.fnUntraced(function*({ request, run }) {
    const outcome = yield* run()
    const { output } = outcome
    if (output === undefined || (outcome._tag === "Failed" && output.status !== "PAUSED")) {
      return yield* new EvaluationFailed({ message: outcome._tag === "Failed" ? outcome.reason : "No output" })
    }
    return check(output, {
      calls: request.expected_tool_calls ?? [],
      allowsAdditional: request.allow_additional_tool_calls,
      calledWith: request.expected_tool_call_arguments ?? {}
    })
  }),
  data: ([result = {}]) => result,
  input: ({ allow_additional_tool_calls, expected_tool_call_arguments, expected_tool_calls }) => ({
    expected_tool_calls,
    allow_additional_tool_calls,
    expected_tool_call_arguments
  })
}

// A judge decides whether the answer of one run meets the criteria, or scores it.

const JudgedByCriteria: EvaluationType = {
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

// A judge compares the answer of each run with the expected one. A run that fails, and a judge without a verdict, leave
// a result without a score, and its reason says why.

const Accuracy: EvaluationType = {
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

export const all: Readonly<Record<EvalRun.Type, EvaluationType>> = {
  accuracy: Accuracy,
  agent_as_judge: JudgedByCriteria,
  performance: Performance,
  reliability: Reliability
}
