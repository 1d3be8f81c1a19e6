// The query parameters that lists have in common. A page past the end has the real total and no data.
import * as Sort from "@svc-runtime/domain/Sort"
import { Schema } from "effect"
import { atLeast, withDefault } from "./QueryText.ts"

/** Of a list without a default: it has everything that fits into one response. The first page is the newest. */
export const optionalPages = { limit: Schema.optionalKey(atLeast(1)), page: Schema.optionalKey(atLeast(0)) }

/** `maximum`: left out where bytes limit the response. `firstPage`: 0 where page 0 is the first one as well. */
export const pages = (
  { firstPage = 1, limit, maximum }: {
    readonly limit: number
    readonly maximum?: number | undefined
    readonly firstPage?: 0 | 1 | undefined
  }
) => {
  const limits = maximum === undefined ? atLeast(1) : atLeast(1).check(Schema.isLessThanOrEqualTo(maximum))
  return { limit: withDefault(limits, String(limit)), page: withDefault(atLeast(firstPage), "1") }
}

/** A column that is unknown does not sort. */
export const sortedBy = (column: string) => ({
  sort_by: withDefault(Schema.String, column),
  sort_order: withDefault(Sort.Order, "desc")
})
