// Which traces are kept. The decision is made on the trace id, so that all services of a trace decide alike.
import { Schema } from "effect"

/** Whether the root span of this trace is sampled. */
export type Sampler = (trace: { readonly traceId: string; readonly parent: boolean | undefined }) => boolean

/** The values of OTEL_TRACES_SAMPLER. */
export const Name = Schema.Literals([
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
])
export type Name = typeof Name.Type

/**
 * The last 56 bits are random in every trace id of the W3C form. As OpenTelemetry specifies it for probabilities, the
 * highest values are kept. The first 52 of the bits fit into a number.
 */
const isWithin = (traceId: string, ratio: number): boolean =>
  ratio >= 1 || Number.parseInt(traceId.slice(-14, -1), 16) >= (1 - ratio) * 2 ** 52

/** `parent` is the decision of the caller. Only `parentbased_…` samplers follow it. */
export const make = (name: Name, ratio = 1): Sampler => {
  const decide = (traceId: string): boolean => {
    if (name.endsWith("always_on")) return true
    return name.endsWith("traceidratio") && isWithin(traceId, ratio)
  }
  return name.startsWith("parentbased_")
    ? ({ parent, traceId }) => parent ?? decide(traceId)
    : ({ traceId }) => decide(traceId)
}
