// All operations of the API.
import type { Operations } from "@svc-runtime/api/documentation/Operation"
import { texts } from "../Api.ts"
import { componentOperations } from "./componentOperations.ts"

export const operations: Operations = Object.assign(
  {},
  componentOperations,
  ...Object.values(texts).map((each) => each.operations)
)
