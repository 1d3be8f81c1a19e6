// The texts about the endpoints of one file, for readers who do not know the source.
import type { Fields } from "./Field.ts"
import type { Operations } from "./Operation.ts"

export interface Texts {
  readonly operations: Operations
  /** The fields that only these endpoints have. The others are in the files of `fields`. */
  readonly fields?: Fields
}
