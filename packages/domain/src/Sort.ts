// Sorting of lists. `sort_by` is free text on the wire: an unknown column is ignored.
import { Schema } from "effect"

export const Order = Schema.Literals(["asc", "desc"])
export type Order = typeof Order.Type
