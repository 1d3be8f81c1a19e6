// Whether a run called the tools that were expected of it. A call counts if it was executed without an error; one that
// was refused, failed or waits for a person was only attempted.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import { Equal } from "effect"
import { executionsOf, isClean } from "./RunToolCalls.ts"

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
