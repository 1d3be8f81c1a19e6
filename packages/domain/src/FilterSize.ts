// Counts the parts of a filter while it is read, and refuses one that is larger than the limits.
import { Result } from "effect"

export interface FilterSize {
  readonly conditions: number
  readonly values: number
  readonly characters: number
  /** They read each row that is left. Left out: there are no such conditions. */
  readonly "CONTAINS and STARTSWITH conditions"?: number
}

export type Count = (part: keyof FilterSize, more: number) => Result.Result<void, string>

export const counting = (given: FilterSize): Count => {
  const limits = { "CONTAINS and STARTSWITH conditions": 0, ...given }
  const size = { conditions: 0, values: 0, characters: 0, "CONTAINS and STARTSWITH conditions": 0 }
  return (part, more) => {
    size[part] += more
    return size[part] > limits[part] ? Result.fail(`A filter has at most ${limits[part]} ${part}`) : Result.void
  }
}
