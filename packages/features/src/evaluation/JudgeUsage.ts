// The tokens and the cost of judges, kept with the result of each run of an evaluation, and shown as their sum.
import * as Json from "@svc-runtime/domain/Json"
import * as Usage from "@svc-runtime/domain/Usage"
import { Option, Schema } from "effect"

const key = "judge_metrics"

const decode = Schema.decodeUnknownOption(Usage.Counters)

export const counted = (result: Json.Object, usage: Usage.Counters): Json.Object =>
  Object.keys(usage).length === 0 ? result : { ...result, [key]: Json.of(usage) }

export const withoutUsage = ({ [key]: _, ...result }: Json.Object): Json.Object => result

/** Empty if no judge answered. */
export const sumOf = (results: ReadonlyArray<Json.Object>): Json.Object => {
  const used = results.flatMap((result) => key in result ? Option.toArray(decode(result[key])) : [])
  return used.length === 0 ? {} : { [key]: Json.of(used.reduce(Usage.add)) }
}
