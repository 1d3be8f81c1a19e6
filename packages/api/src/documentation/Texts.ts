// What the API's document says about the endpoints of one file, for readers who do not know the source.
import type { Fields } from "./Field.ts"
import type { Operations } from "./Operation.ts"

export interface Texts {
  readonly operations: Operations
  /** What only these endpoints have. The others are in the files of `fields`. */
  readonly fields?: Fields
}
