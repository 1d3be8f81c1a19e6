// Counts the parts of a filter while it is read, and refuses one that is larger than the limits.
import { Result } from "effect"

export interface FilterSize {
  readonly conditions: number
  readonly values: number
  readonly characters: number
}

export type Count = (part: keyof FilterSize, more: number) => Result.Result<void, string>

export const counting = (limits: FilterSize): Count => {
  const size = { conditions: 0, values: 0, characters: 0 }
  return (part, more) => {
    size[part] += more
    return size[part] > limits[part] ? Result.fail(`A filter has at most ${limits[part]} ${part}`) : Result.void
  }
}
