// Counts the steps of a check of JSON against a schema. Unions of schemas that refer to each other make the number of
// steps grow exponentially with a few kilobytes of schema, and the check holds up everything else in the process.
import { Data, Predicate } from "effect"

/** Allowed for any value. */
const least = 20_000

/** Allowed for each value inside of the checked value: a union of this many shapes is far from usual. */
const perValue = 100

/** A check that is nested deeper has a schema that refers to itself without end. */
const deepest = 2000

/** Thrown inside of a check and caught by whoever began it: it ends the recursion at once. */
export class Exceeded extends Data.TaggedError("Exceeded")<{ readonly limit: string }> {}

const sizeOf = (value: unknown): number => {
  const open: Array<unknown> = [value]
  for (let next = 0; next < open.length; next++) {
    const each = open[next]
    if (Predicate.isObjectOrArray(each)) { for (const child of Object.values(each)) open.push(child) }
  }
  return open.length
}

export interface CheckBudget {
  /** Throws `Exceeded` when there is nothing left. */
  readonly spend: (steps: number) => void
  /** Runs `check` one level deeper. */
  readonly nested: <A>(check: () => A) => A
}

export const make = (value: unknown): CheckBudget => {
  const allowed = least + perValue * sizeOf(value)
  let left = allowed
  let depth = 0
  return {
    spend: (steps) => {
      left -= steps
      if (left < 0) throw new Exceeded({ limit: `${allowed} steps` })
    },
    nested: (check) => {
      if (++depth > deepest) throw new Exceeded({ limit: `${deepest} nested schemas` })
      const result = check()
      depth--
      return result
    }
  }
}
