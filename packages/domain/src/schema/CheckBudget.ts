// Counts the steps of a check of JSON against a schema. With recursive unions, a few kilobytes of schema can need
// exponentially many steps, and the check blocks the process.
import { Data, Predicate } from "effect"

/** The base budget of any value. */
const base = 20_000

/** The budget for each nested value: larger than any usual union. */
const perValue = 100

/** A deeper check has a schema that refers to itself without end. */
const maxDepth = 2000

/** Ends the recursion of a check; its starter catches it. */
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
  /** Throws `Exceeded` if the budget is used up. */
  readonly spend: (steps: number) => void
  /** Runs `check` one level deeper. */
  readonly nested: <A>(check: () => A) => A
}

export const make = (value: unknown): CheckBudget => {
  const allowed = base + perValue * sizeOf(value)
  let left = allowed
  let depth = 0
  return {
    spend: (steps) => {
      left -= steps
      if (left < 0) throw new Exceeded({ limit: `${allowed} steps` })
    },
    nested: (check) => {
      if (++depth > maxDepth) throw new Exceeded({ limit: `${maxDepth} nested schemas` })
      const result = check()
      depth--
      return result
    }
  }
}
