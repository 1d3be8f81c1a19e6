// What guardrails find in a text, without turns of the event loop.
import * as Findings from "../../src/guardrail/Finding.ts"
import type { Parts } from "../../src/guardrail/TimeSlices.ts"

export const whole = <A>(parts: Parts<A>): A => {
  for (let next = parts.next();; next = parts.next()) if (next.done === true) return next.value
}

type Patterns = ReadonlyArray<Findings.Pattern>

export const found = (patterns: Patterns, given: string) => whole(Findings.find(patterns, given))

export const maskedIn = (patterns: Patterns, given: string, maskOf: (type: string) => string): string =>
  whole(Findings.mask(given, found(patterns, given), maskOf))
