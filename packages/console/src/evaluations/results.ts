// What an evaluation found. The form of the data depends on its type.
import type { EvalRun, JsonObject } from "@svc-runtime/client"
import { duration } from "../parts/Time.tsx"

type Value = JsonObject[string] | undefined

export const isObject = (value: Value): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const figure = (value: Value): string | undefined =>
  typeof value === "number" ? value.toLocaleString(undefined, { maximumFractionDigits: 2 }) : undefined

export const textOf = (value: Value): string | undefined =>
  value === null || value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value)

/** Each rated answer. Only evaluations with a judge have them. */
export const ratingsOf = ({ eval_data: { results } }: EvalRun): ReadonlyArray<JsonObject> =>
  Array.isArray(results) ? results.filter(isObject) : []

const seconds = (value: Value): string | undefined => typeof value === "number" ? duration(value * 1000) : undefined

/** In a few words. Undefined: there is no result. */
export const resultOf = ({ eval_data: data, eval_type, status }: EvalRun): string | undefined => {
  if (status !== "COMPLETED") return undefined
  switch (eval_type) {
    case "accuracy":
      return typeof data.avg_score === "number" ? `${figure(data.avg_score)} of 10` : "no score"
    case "agent_as_judge":
      return data.pass_rate === 100 ? "passed" : "failed"
    case "reliability":
      return textOf(data.eval_status)?.toLowerCase()
    case "performance":
      return `${seconds(isObject(data.result) ? data.result.avg_run_time : undefined) ?? "not known"} on average`
  }
}
