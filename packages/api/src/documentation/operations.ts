// All operations of the API.
import { texts } from "../Api.ts"
import { componentOperations } from "./componentOperations.ts"
import type { Operations } from "./Operation.ts"

export const operations: Operations = Object.assign(
  {},
  componentOperations,
  ...Object.values(texts).map((each) => each.operations)
)
